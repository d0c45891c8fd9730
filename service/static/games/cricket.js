// FinCricket as people see it: the board with its darts, and who has how many hits on which sector.

import { Board, drawDarts, middleOf, spoken } from "../board.js";
import { h, put, s } from "../dom.js";

export const piece = "dart";
export const drag = "Drag the dart to where it is, or press on the board and slide; arrow keys move it by a millimetre.";
const SECTORS = [20, 19, 18, 17, 16, 15, 14, 13, 12, 11];
const SEGMENT = /^([sdt])?\s*(\d{1,2})$/i;

/** What a person typed as a segment, or null. */
export function read(text) {
  const word = text.trim().toUpperCase();
  if (["DB", "BULL", "BULLSEYE", "50"].includes(word)) return "DB";
  if (["SB", "25"].includes(word)) return "SB";
  if (["M", "MISS", "0", "-"].includes(word)) return "MISS";
  const found = SEGMENT.exec(word);
  const number = found ? Number(found[2]) : 0;
  return number >= 1 && number <= 20 ? (found[1] ?? "S").toUpperCase() + number : null;
}

/** What is written large for an action. */
export const label = (action) => action.segment;

/** The action with another segment. */
export const amended = (action, segment) => ({ ...action, segment });

/** A throw by the side on turn. */
export const thrown = (view, segment, t_ms) => ({ kind: "throw", side: view.result.turn, t_ms, segment });

/** What stands for a dart that nobody could read: the side on turn threw it. */
export const nothing = (view, t_ms) => (view.result.turn === null ? null : thrown(view, "MISS", t_ms));

/** The action that ends the turn, once the rules allow it. */
export function ending(view, t_ms) {
  const full = view.result.state.darts.length === 3;
  return full ? { kind: "end_turn", side: view.result.turn, t_ms } : null;
}

/** Segments of the same bed, for a person who hit the right sector but the wrong ring. */
export function rings(segment) {
  if (segment === "MISS") return [];
  if (segment.endsWith("B")) return ["SB", "DB"];
  return ["S", "T", "D"].map((ring) => ring + segment.slice(1));
}

export { spoken };

/**
 * Darts of each turn, from the explained history: undone ones marked, the actions between left out.
 * @returns {Array<{turn: number, side: number, darts: Array, ended: boolean, gain: number, scores: number[]}>}
 */
export function visits(view) {
  const all = [];
  for (const step of view.history) {
    let visit = all.at(-1);
    if (!step.counted) continue;
    if (!visit || visit.turn !== step.turn) all.push((visit = { turn: step.turn, side: step.side, darts: [], ended: false }));
    if (step.action.kind === "throw") visit.darts.push({ ...step, undone: false });
    if (step.action.kind === "undo") visit.darts.findLast((dart) => !dart.undone).undone = true;
    if (step.action.kind === "end_turn") visit.ended = true;
    visit.scores = step.scores;
  }
  for (const visit of all) {
    const kept = visit.darts.filter((dart) => !dart.undone);
    visit.gain = kept.reduce((sum, dart) => sum + (dart.gain?.[visit.side] ?? 0), 0);
  }
  return all;
}

/** Where each dart went, in millimetres; not `sure` where only its segment is known. */
export function tips(view) {
  const darts = visits(view).flatMap((visit) => visit.darts.filter((dart) => !dart.undone).map((dart) => ({ dart, side: visit.side })));
  return darts.filter(({ dart }) => dart.action.segment !== "MISS" || dart.seen?.xy_mm)
    .map(({ dart, side }) => ({ xy: place(dart), side, sure: place(dart) === dart.seen?.xy_mm }));
}

/** Figures of each side: rows of a name and a value a side. */
export function figures(view) {
  const all = visits(view);
  const of = (value) => view.sides.map((_, side) => value(all.filter((visit) => visit.side === side)));
  const darts = (mine) => mine.flatMap((visit) => visit.darts.filter((dart) => !dart.undone));
  const hits = (dart) => (/^[SDT](1[1-9]|20)$/.test(dart.action.segment) ? { S: 1, D: 2, T: 3 }[dart.action.segment[0]] : 0);
  const share = (part, whole) => (whole ? `${Math.round((100 * part) / whole)} %` : "–");
  return [
    ["Darts", of((mine) => darts(mine).length)],
    ["Marks a turn", of((mine) => (mine.length ? (darts(mine).reduce((sum, dart) => sum + hits(dart), 0) / mine.length).toFixed(1) : "–"))],
    ["Best turn", of((mine) => `+${Math.max(0, ...mine.map((visit) => visit.gain))}`)],
    ["Trebles", of((mine) => darts(mine).filter((dart) => dart.action.segment.startsWith("T")).length)],
    ["Doubles", of((mine) => darts(mine).filter((dart) => dart.action.segment.startsWith("D") && dart.action.segment !== "DB").length)],
    ["On a sector in play", of((mine) => share(darts(mine).filter((dart) => hits(dart)).length, darts(mine).length))],
    ["Misses", of((mine) => darts(mine).filter((dart) => dart.action.segment === "MISS").length)],
  ];
}

/** Builds the two parts of the page that only this game has. */
export function build() {
  const board = new Board();
  const marks = h("table.marks");
  return {
    board: h("div.boardbox", {}, board.root),
    extra: marks,
    face: board,
    update(view, ui) {
      paintBoard(board, view);
      drawDarts(board, dartsShown(view, ui));
      paintMarks(marks, view);
    },
  };
}

function paintBoard(board, view) {
  const { hits, closed } = view.result.state;
  const side = view.result.turn;
  board.states((number) => {
    if (number < 11) return ["dead"];
    if (closed.includes(number)) return ["closed"];
    return side !== null && hits[side][number] === 3 ? [`open-${side}`] : [];
  });
}

function dartsShown(view, ui) {
  const all = visits(view);
  const visit = all.find((one) => one.darts.some((dart) => dart.id === ui.selected)) ?? all.findLast((one) => one.darts.length);
  if (!visit) return [];
  const left = visit.darts.filter((dart) => !dart.undone);
  return left.map((dart, i) => ({
    key: `board-${dart.id}`,
    label: String(i + 1),
    xy: place(dart),
    off: dart.action.segment === "MISS" && !dart.seen?.xy_mm,
    look: [`side-${visit.side}`, dart.id === ui.selected && "chosen", doubtful(dart) && "doubt", visit.ended && "lying"].filter(Boolean).join(" "),
    name: `Dart ${i + 1} of ${view.sides[visit.side]}: ${spoken(dart.action.segment)}. Correct it`,
    open: ui.choosing ? null : () => ui.open(dart.id),
  }));
}

/** Where the camera saw the tip, as long as that still fits the segment that stands. */
export function place(dart) {
  const seen = dart.seen?.xy_mm;
  return seen && !dart.correction && dart.action.segment === (dart.seen.segment ?? dart.action.segment) ? seen : middleOf(dart.action.segment);
}

export function doubtful(step) {
  return Boolean(step.seen?.review?.length && !step.decision && !step.correction);
}

function paintMarks(table, view) {
  const { hits, closed } = view.result.state;
  const head = h("tr", {}, h("th", { scope: "col" }, h("span.unseen", {}, "Sector")), view.sides.map((side, i) => h(`th.side-${i}`, { scope: "col" }, side)));
  const rows = SECTORS.map((number) => {
    const shut = closed.includes(number);
    const cells = view.sides.map((_, i) => h("td", {}, hitMark(hits[i][number], i, shut)));
    return h(`tr${shut ? ".closed" : ""}`, {}, h("th", { scope: "row" }, String(number)), cells);
  });
  put(table, h("caption.unseen", {}, "Hits on each sector"), h("thead", {}, head), h("tbody", {}, rows));
}

/** One hit a stroke, two a cross, three a cross in a ring: the side scores there. */
function hitMark(count, side, shut) {
  const said = shut ? "closed" : count === 3 ? "open, scores" : `${count} of 3 hits`;
  return s(
    `svg.mark.side-${side}.n${count}`,
    { viewBox: "0 0 24 24", role: "img", "aria-label": said },
    count === 0 && s("circle.none", { cx: 12, cy: 12, r: 1.6 }),
    count >= 1 && s("path", { d: "M6.5 17.5l11-11" }),
    count >= 2 && s("path", { d: "M6.5 6.5l11 11" }),
    count >= 3 && s("circle", { cx: 12, cy: 12, r: 9.6 }),
  );
}
