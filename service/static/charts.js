// Pictures of numbers: the score over the match, and where darts went.

import { Board } from "./board.js";
import { h, s } from "./dom.js";

const WIDE = 640;
const HIGH = 240;
const LEFT = 40;
const FOOT = 26;

/** Steps between lines of the grid that give four lines or so: 1, 2, 5, 10, 20 … */
export function gridStep(span) {
  const rough = Math.max(span, 1) / 4;
  const ten = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].find((factor) => factor * ten >= rough) * ten;
  return Math.max(1, step);
}

/**
 * The score of each side after each step.
 * @param {string[]} sides
 * @param {Array<{result: {scores: number[]}, turn: number}>} steps
 * @param {(at: number) => void} go called when a person taps a place
 * @returns {{root: Node, point: (at: number) => void}} `point` marks a step
 */
export function scoreChart(sides, steps, go) {
  const scores = steps.map((step) => step.result.scores);
  const top = Math.max(1, ...scores.flat());
  const low = Math.min(0, ...scores.flat());
  const x = (at) => LEFT + ((at + 1) / Math.max(1, steps.length)) * (WIDE - LEFT - 10);
  const y = (points) => 10 + ((top - points) / (top - low)) * (HIGH - FOOT - 10);
  const step = gridStep(top - low);
  const lines = [];
  for (let points = Math.ceil(low / step) * step; points <= top; points += step) lines.push(points);
  const grid = lines.map((points) => [s("line.grid", { x1: LEFT, x2: WIDE - 10, y1: y(points), y2: y(points) }), s("text.tick", { x: LEFT - 8, y: y(points), dy: "0.35em", "text-anchor": "end" }, String(points))]);
  const paths = sides.map((_, i) => {
    const corners = scores.map((points, at) => `H${x(at).toFixed(1)}V${y(points[i]).toFixed(1)}`).join("");
    return s(`path.run.side-${i}`, { d: `M${LEFT} ${y(0).toFixed(1)}${corners}` });
  });
  const last = scores.at(-1) ?? sides.map(() => 0);
  const said = `Score over ${steps.length} steps. ${sides.map((side, i) => `${side} ${last[i]}`).join(", ")}.`;
  const hair = s("line.hair", { y1: 6, y2: HIGH - FOOT });
  const dots = sides.map((_, i) => s(`circle.dot.side-${i}`, { r: 6 }));
  const root = s("svg.scorechart", { viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img", "aria-label": said }, grid, s("text.tick", { x: WIDE - 10, y: HIGH - 6, "text-anchor": "end" }, `${steps.at(-1)?.turn ?? 0} turns`), paths, hair, dots);
  const choose = (event) => {
    const box = root.getBoundingClientRect();
    const part = (((event.clientX - box.left) / box.width) * WIDE - LEFT) / (WIDE - LEFT - 10);
    go(Math.round(part * steps.length) - 1);
  };
  root.addEventListener("pointerdown", (event) => (root.setPointerCapture(event.pointerId), choose(event)));
  root.addEventListener("pointermove", (event) => event.buttons && choose(event));
  const point = (at) => {
    for (const name of ["x1", "x2"]) hair.setAttribute(name, x(at));
    dots.forEach((dot, i) => (dot.setAttribute("cx", x(at)), dot.setAttribute("cy", y(scores[at]?.[i] ?? 0))));
  };
  point(steps.length - 1);
  const legend = h("p.legend", { "aria-hidden": "true" }, sides.map((side, i) => h(`span.who.side-${i}`, {}, side)));
  return { root: h("div", {}, root, legend), point };
}

/**
 * The board with a dot for each dart, and a glow where many are.
 * @param {Array<{xy: number[], side: number, sure: boolean}>} tips in millimetres; not `sure`: only the segment is known
 */
export function heatMap(tips, sides) {
  const board = new Board();
  board.root.classList.add("still");
  board.root.setAttribute("role", "img");
  board.root.setAttribute("aria-label", `Dartboard with ${tips.length} darts of ${sides.join(", ")}`);
  const glow = tips.map(({ xy: [x, y], side }) => s(`circle.glow.side-${side}`, { cx: x, cy: -y, r: 22 }));
  const dots = tips.map(({ xy: [x, y], side, sure }) => s(`circle.spot.side-${side}${sure ? "" : ".about"}`, { cx: x, cy: -y, r: 4.2 }));
  board.root.append(s("g.glows", { "aria-hidden": "true" }, glow), s("g", { "aria-hidden": "true" }, dots));
  const about = tips.some((tip) => !tip.sure);
  return h("figure.heatmap", {}, board.root, about && h("figcaption.quiet", {}, "Hollow: only the segment is known, not the place."));
}
