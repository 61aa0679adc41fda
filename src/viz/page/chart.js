"use strict";
// Draws the charts that src/viz/chart.cpp lays out: heed.chart(layout), heed.charts(layouts).
(() => {
  const {el, svg, short} = heed;

  heed.grouped = number => Number(number).toLocaleString("en");

  // A curve's line, solid or dashed, before its name.
  heed.curveKey = (classes, ...name) => el("span.key", {},
    svg("svg", {class: "chart sample", viewBox: "0 0 26 8", "aria-hidden": "true"}, svg("path", {class: `line ${classes}`, d: "M0 4H26"})), ...name);

  heed.chart = ({title, box, x: [x0, x1], y: [y0, y1], log, x_ticks, y_ticks, curves, labels, note}) => {
    const [width, height, left, right, top, bottom] = box;
    const bend = log ? Math.log : y => y;
    const px = x => left + (x - x0) / (x1 - x0) * (width - left - right);
    const py = y => height - bottom - (bend(y) - bend(y0)) / (bend(y1) - bend(y0)) * (height - top - bottom);
    const parts = [];
    for (const [y, text] of y_ticks)
      parts.push(svg("line", {class: "grid", x1: left, x2: width - right, y1: py(y), y2: py(y)}),
        svg("text", {x: left - 6, y: py(y) + 4, "text-anchor": "end"}, text));
    for (const [x, text] of x_ticks) parts.push(svg("text", {x: px(x), y: height - 8, "text-anchor": "middle"}, text));
    parts.push(svg("line", {class: "axis", x1: left, x2: width - right, y1: height - bottom, y2: height - bottom}));
    for (const {name, classes, dots, points} of curves) {
      const d = points.map(([x, y], k) => `${k ? "L" : "M"}${px(x).toFixed(1)} ${py(y).toFixed(1)}`).join("");
      parts.push(svg("path", {class: `line ${classes}`, d}, svg("title", {}, name)));
      if (dots) parts.push(...points.map(([x, y]) => svg("circle", {class: `dot ${classes}`, cx: px(x), cy: py(y), r: 2.5})));
    }
    for (const {classes, y, text} of labels) parts.push(svg("text", {class: `label ${classes}`, x: width - right + 5, y: y + 4}, text));

    const cursor = svg("line", {class: "cursor", y1: top, y2: height - bottom, visibility: "hidden"});
    const last = curves.map(one => `${one.name} ${short(one.points.at(-1)[1], 4)}`).join(", ");
    const picture = svg("svg", {class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `${title} by update; last: ${last}`}, ...parts, cursor);
    const reading = el("p.reading", {}, `last: ${last}`);
    const nearest = (list, x) => list.reduce((best, point) => Math.abs(point[0] - x) < Math.abs(best[0] - x) ? point : best);
    const longest = curves.reduce((best, one) => one.points.length > best.points.length ? one : best);
    picture.addEventListener("pointermove", event => {
      const at = picture.getBoundingClientRect();
      const x = x0 + ((event.clientX - at.left) / at.width * width - left) / (width - left - right) * (x1 - x0);
      const found = nearest(longest.points, x);
      cursor.setAttribute("x1", px(found[0]));
      cursor.setAttribute("x2", px(found[0]));
      cursor.setAttribute("visibility", "visible");
      reading.textContent = `update ${heed.grouped(found[0])}: ${curves.map(one => `${one.name} ${short(nearest(one.points, found[0])[1], 4)}`).join(", ")}`;
    });
    picture.addEventListener("pointerleave", () => {
      cursor.setAttribute("visibility", "hidden");
      reading.textContent = `last: ${last}`;
    });
    const keys = curves.length < 2 || labels.length ? [] : curves.map(one => heed.curveKey(one.classes, one.name));
    return el("div.chart", {}, el("h3", {}, title, ...keys), picture, reading, note ? el("p.soft.small", {}, note) : null);
  };

  heed.charts = layouts => el("div.charts", {}, ...layouts.filter(layout => layout).map(heed.chart));
})();
