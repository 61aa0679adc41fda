"use strict";
// Shared by all pages: creating elements, light and dark.
// Data is only ever inserted as text: there is no innerHTML anywhere.
const heed = (() => {
  const {page, ramps} = JSON.parse(document.getElementById("data").textContent);

  // Light or dark: like the system, unless the reader of a served page chose the other, which the browser remembers.
  const scheme = (() => {
    const system = matchMedia("(prefers-color-scheme: dark)");
    const rules = [...document.styleSheets].flatMap(sheet => [...sheet.cssRules])
      .filter(rule => rule.media && rule.media.mediaText.includes("prefers-color-scheme"));
    const listeners = [];
    let chosen = null;
    try {
      chosen = localStorage.getItem("heed-scheme");
    } catch { /* a page without storage follows the system */ }
    const isDark = () => chosen ? chosen === "dark" : system.matches;
    const apply = () => {
      for (const rule of rules) rule.media.mediaText = chosen ? (isDark() ? "all" : "not all") : system.media;
      document.documentElement.style.colorScheme = chosen ? (isDark() ? "dark" : "light") : "";
      listeners.forEach(listener => listener());
    };
    const toggle = () => {
      const next = isDark() ? "light" : "dark";
      chosen = next === (system.matches ? "dark" : "light") ? null : next;
      try {
        if (chosen) localStorage.setItem("heed-scheme", chosen); else localStorage.removeItem("heed-scheme");
      } catch { /* chosen for this page only */ }
      apply();
    };
    system.addEventListener("change", apply);
    if (chosen) apply();
    return {isDark, toggle, onchange: listener => listeners.push(listener)};
  })();

  // el("td.number", {title: "x"}, "text", child…): a tag with classes, properties and children.
  const el = (what, properties = {}, ...children) => {
    const [tag, ...classes] = what.split(".");
    const node = document.createElement(tag);
    if (classes.length) node.className = classes.join(" ");
    for (const [key, value] of Object.entries(properties)) {
      if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
      else if (key.includes("-") || key === "role" || key === "for" || key === "scope") node.setAttribute(key, value);
      else node[key] = value;
    }
    node.append(...children.filter(child => child !== null && child !== undefined));
    return node;
  };

  const svg = (tag, attributes = {}, ...children) => {
    const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    node.append(...children);
    return node;
  };

  const short = (number, digits = 3) => number === null || number === undefined ? "–" :
    Math.abs(number) >= 1e5 ? number.toExponential(1) : String(Number(number.toPrecision(digits)));

  // The data blocks after the first one.
  const parts = [...document.querySelectorAll("script.part")].map(block => JSON.parse(block.textContent));

  return {data: page, ramps, parts, root: document.getElementById("page"), el, svg, scheme, short};
})();
