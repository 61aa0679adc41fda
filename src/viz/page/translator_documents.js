"use strict";
// The translation page: translates documents that the reader chooses or drops on the page.
const translatorDocuments = (() => {
  const {el} = heed, {icon, iconButton} = translatorPanes;

  // allowed(): whether the server translates documents. pair(): the chosen languages.
  const makeDocuments = ({allowed, pair}) => {
    const card = el("section.card.document", {"aria-label": "Document", hidden: true});
    const drop = el("div.drop", {"aria-hidden": "true"}, el("p", {}, "Drop the document to translate it"));
    const input = el("input", {type: "file", hidden: true, id: "file", onchange: () => {
      if (input.files[0]) take(input.files[0]);
      input.value = "";
    }});
    const choose = el("button.quiet", {type: "button", id: "choose-file", onclick: () => input.click()}, icon("file"), "Document");
    const button = el("span", {hidden: true}, choose, input);

    const closeButton = () => iconButton("close", "Close", () => {
      card.hidden = true;
      choose.focus();
    });

    // Of a table, the reader chooses what to translate.
    const take = file => {
      card.hidden = false;
      if (!/\.[ct]sv$/i.test(file.name)) return translate(file, "");
      const columns = el("input", {id: "columns", type: "text", required: true, autocomplete: "off"});
      card.replaceChildren(el("form", {onsubmit: event => {
        event.preventDefault();
        translate(file, columns.value);
      }}, el("label", {for: "columns"}, `Columns of ${file.name} to translate, by number or name, with commas between them`), columns,
      el("button", {type: "submit"}, "Translate")), closeButton());
      columns.focus();
    };

    const translate = async (file, columns) => {
      card.replaceChildren(el("p", {role: "status"}, `Translating ${file.name} …`), el("div.busy.on", {"aria-hidden": "true"}));
      try {
        const asked = pair();
        if (!asked.source) throw new Error("choose the language of the document first.");
        const {href, name} = await translatorServer.translateFile(file, asked, columns);
        card.replaceChildren(el("p", {role: "status"}, `${file.name} is translated.`), el("a.button", {href, download: name}, "Download"));
      } catch (error) {
        card.replaceChildren(el("p", {role: "alert"}, `${file.name}: ${error.message}`));
      }
      card.append(closeButton());
    };

    const takes = event => allowed() && [...(event.dataTransfer?.types || [])].includes("Files");
    let depth = 0;  // of the elements that the pointer has entered with a file
    for (const [name, change] of [["dragenter", 1], ["dragleave", -1], ["drop", null], ["dragover", 0]]) {
      document.addEventListener(name, event => {
        if (!takes(event)) return;
        depth = change === null ? 0 : depth + change;
        drop.classList.toggle("on", depth > 0);
        if (name === "dragover" || name === "drop") event.preventDefault();
        if (name === "drop" && event.dataTransfer.files[0]) take(event.dataTransfer.files[0]);
      });
    }
    return {button, card, drop, allow: (allowed, formats) => {
      button.hidden = !allowed;
      input.accept = (formats || []).join(",");
    }};
  };

  return {makeDocuments};
})();
