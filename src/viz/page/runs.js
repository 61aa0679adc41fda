"use strict";
// The comparison of training runs: a table of settings and results, then the curves of all runs.
(() => {
  const {data, root, el, curveKey, charts} = heed;

  const name = row => row.classes ? curveKey(row.classes, el("b", {}, row.name)) : row.name;
  const table = el("div.scroll", {tabIndex: 0, role: "region", "aria-label": "Runs"}, el("table.plain.runs", {},
    el("thead", {}, el("tr", {}, el("th", {scope: "col"}, "Run"), ...data.columns.map(column => el("th.number", {scope: "col"}, column)))),
    el("tbody", {}, ...data.rows.map(row => el(row.member ? "tr.member" : "tr", {}, el("th", {scope: "row"}, name(row)),
      ...row.figures.map(figure => el("td.number", {}, figure)))))));

  root.replaceChildren(el("h1", {}, "Training runs"), el("section.card", {}, el("h2", {}, "Settings and results"), table),
    el("section.card", {}, el("h2", {}, "Curves by update"), charts(data.charts)));
})();
