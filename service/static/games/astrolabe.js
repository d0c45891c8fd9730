// Astrolabe as people see it: three combs of slots with the balls in them, where the others are, whose turn it is.

import { h, put } from "../dom.js";
import { draggable } from "../drag.js";

export const name = "Astrolabe";
export const piece = "shot";
const MINUTE_MS = 60000;
const minutes = (ms) => `${ms / MINUTE_MS} minutes`;
export const settings = [
  { key: "target", group: "Format", name: "Points to win a Game", usual: null, options: [[null, "none: two Rounds"], [50, "50"], [100, "100"], [150, "150"]], shown: () => "none", said: (points) => `to ${points}` },
  { key: "best_of", group: "Format", name: "Games", usual: 1, options: [[1, "one"], [3, "best of 3"], [5, "best of 5"], [7, "best of 7"]], said: (games) => `best of ${games}` },
  { key: "round_ms", group: "Format", name: "A Round, minutes", usual: 360000, factor: MINUTE_MS, least: 0.5, step: 0.5, shown: minutes, said: (ms) => `Rounds of ${minutes(ms)}` },
  { key: "extra_ms", group: "Format", name: "An extra Round, minutes", usual: 180000, factor: MINUTE_MS, least: 0.5, step: 0.5, shown: minutes, said: (ms) => `extra Rounds of ${minutes(ms)}` },
  { key: "rounds", group: "Format", name: "Rounds of a Game", usual: 2, said: (count) => `${count} Rounds` },
  { key: "live_scoring", group: "Optional rules", name: "Live scoring", usual: false, why: "Only what lies in the slots when the Round ends counts" },
  { key: "grand_slam_finish", group: "Optional rules", name: "Grand Slam finish", usual: false, why: "A Grand Slam ends the Round" },
  { key: "blocking", group: "Optional rules", name: "Blocking", usual: false, why: "A ball between two of the other side is out" },
  { key: "ball_conversion", group: "Optional rules", name: "Ball conversion", usual: false, why: "The umpire may change a ball's colour" },
  { key: "dead_slots", group: "Optional rules", name: "Dead slots", usual: [], places: true, why: "Position.slot of those that score nothing in the second half of a Round", said: (all) => `dead slots ${all.map(word).join(", ")}` },
  { key: "balls", group: "Table", name: "Balls a side", usual: 10, said: (count) => `${count} balls` },
  { key: "slots", group: "Table", name: "Slots", usual: [5, 5, 5], said: (trio) => `slots ${trio.join(", ")}` },
  { key: "base", group: "Table", name: "Points of a slot", usual: [1, 2, 5], said: (trio) => `slots worth ${trio.join(", ")}` },
  { key: "chain", group: "Table", name: "More for each ball of a chain", usual: [1, 2, 5], least: 0, said: (trio) => `chains ${trio.join(", ")}` },
  { key: "multipliers", group: "Table", name: "Times", usual: [1, 1, 1], said: (trio) => `times ${trio.join(", ")}` },
];
export const hint = "Or tap on the table where its ball came to rest; drag a ball to where it went.";
export const drag = "Tap where the ball of the shot came to rest. Drag a ball to where it went, from a slot or from the lists below.";

const PLACES = { hand: "in hand", grouped: "grouped", gutter: "in the gutter", out: "out" };
const FOULS = { play_line: "Over the play line", interference: "Interference", touched_moving_ball: "Touched a moving ball" };
const word = (place) => (Array.isArray(place) ? place.join(".") : place);
const same = (a, b) => word(a) === word(b);

export const doubtful = (step) => Boolean(step.seen?.review?.length && !step.decision && !step.correction);

/** What is written large for an action. */
export function label(action) {
  if (action.kind !== "shot") return action.ruling ?? action.option?.replace("_", " ") ?? action.kind.replace("_", " ");
  const [first, ...rest] = action.moves;
  const moved = rest.map((move) => `${word(move.from)}→${word(move.to)}`);
  return [first ? `→${word(first.to)}` : "→?", ...moved, action.foul && "foul"].filter(Boolean).join(" ");
}

/** The action with what was chosen on the board in its place. */
export const amended = (action, chosen) => ({ ...chosen, side: action.side, t_ms: action.t_ms });

/** Figures of each side: rows of a name and a value a side. */
export function figures(view, steps) {
  const shots = (side) => steps.filter((step) => step.side === side && step.action.kind === "shot");
  const of = (value) => view.sides.map((_, side) => value(shots(side)));
  const ended = (where) => (mine) => mine.filter((step) => step.action.moves.some((move) => move.from === "hand" && (where === "slot" ? Array.isArray(move.to) : move.to === where))).length;
  return [
    ["Shots", of((mine) => mine.length)],
    ["Into a slot", of(ended("slot"))],
    ["Grouped", of(ended("grouped"))],
    ["Into the gutter", of(ended("gutter"))],
    ["Opponent's balls moved", of((mine) => mine.reduce((sum, step) => sum + step.action.moves.filter((move) => move.ball !== step.side).length, 0))],
    ["Fouls", of((mine) => mine.filter((step) => step.action.foul).length)],
  ];
}

const clock = (ms) => `${Math.floor(ms / 60000)}:${String(Math.floor(ms / 1000) % 60).padStart(2, "0")}`;

/** A shot in words, for those who do not know the signs. */
export function told(action) {
  const moves = (action.moves ?? []).map(({ from, to }) => `${from === "hand" ? "the ball" : `the one from ${said(from)}`} came to ${said(to)}`);
  return moves.join("; ");
}

const said = (place) => (Array.isArray(place) ? `slot ${place[1]} of position ${place[0]}` : PLACES[place].replace("in the", "the").replace("grouped", "rest without a slot").replace("in hand", "the hand"));

/** Builds the two parts of the page that only this game has. */
export function build(page) {
  const table = new Table(page);
  const facts = h("dl.facts");
  return {
    board: h("div.boardbox.tablebox", {}, table.root),
    extra: facts,
    face: table,
    hand: table.tools,
    update(view, ui) {
      table.show(view, ui);
      const { round, game, games } = view.result.state;
      const { round_ends_ms: ends } = view.result.state;
      const now = view.live?.t_ms || view.history.findLast((step) => step.counted)?.action.t_ms || 0;
      const rows = [["Round", round || "not begun"], ends !== null && ["Time left", clock(Math.max(0, ends - now))], view.config.best_of > 1 && ["Game", `${game} (${games.join(" : ")})`]].filter(Boolean);
      put(facts, rows.flatMap(([key, value]) => [h("dt", {}, key), h("dd", {}, String(value))]));
    },
  };
}

class Table {
  constructor(page) {
    Object.assign(this, { page, draft: null, chosen: null, picked: null });
    this.root = h("div.combs", { role: "group", "aria-label": "Table, the furthest position first" });
    this.tools = h("div.tools");
    draggable(this.root, (event) => this.draft && this.under(event.target), {
      begin: (piece) => this.root.append((this.ghost = h(`span.ghostball.side-${piece.ball}`, { "aria-hidden": "true" }))),
      move: (_, event) => (this.ghost.style.translate = `${event.clientX}px ${event.clientY}px`),
      drop: (piece, event) => this.drop(piece, this.placeAt(document.elementFromPoint(event.clientX, event.clientY))),
      end: () => this.ghost.remove(),
    });
  }

  /** The ball that a finger takes hold of: in a slot, or one of those that lie elsewhere. */
  under(target) {
    const slot = target.closest(".cell.full");
    if (slot) return { ball: Number(slot.dataset.ball), from: this.placeAt(slot) };
    const count = target.closest("b[data-ball]");
    return count && Number(count.textContent) ? { ball: Number(count.dataset.ball), from: count.closest("[data-place]").dataset.place } : null;
  }

  placeAt(target) {
    const found = target?.closest("[data-slot], [data-place]");
    return !found ? null : found.dataset.slot ? found.dataset.slot.split(".").map(Number) : found.dataset.place;
  }

  /** A ball was carried somewhere: the shot's own out of the hand, another, or one that this shot had moved already. */
  drop({ ball, from }, to) {
    const { draft } = this;
    if (to === null || same(from, to)) return;
    const again = draft.moves.find((move) => Array.isArray(from) && same(move.to, from));
    if (again) draft.moves = draft.moves.map((move) => (move === again ? { ...move, to } : move));
    else if (from === "hand") draft.moves = [{ ball: draft.side, from, to }, ...draft.moves.filter((move) => move.from !== "hand")];
    else draft.moves.push({ ball, from, to });
    this.picked = null;
    this.tell();
  }

  widen() {}

  /** Let a person say what a shot did: tap where its ball came to rest; a ball that it moved, then where that went. */
  choose({ chosen }) {
    const step = this.page.correction.step;
    if (step && step.action.kind !== "shot") return () => {};
    this.chosen = chosen;
    this.picked = null;
    this.draft = { side: step?.side ?? this.view.result.turn, moves: [...(step?.action.moves ?? [])], foul: step?.action.foul ?? null };
    this.before = step ? this.balls(step.action.moves) : this.view.result.state;
    this.paint();
    return () => {
      this.draft = this.chosen = this.picked = null;
      this.paint();
    };
  }

  /** The table before a shot that is corrected, as far as its own moves tell. */
  balls(moves) {
    const state = structuredClone(this.view.result.state);
    for (const { ball, from, to } of moves) {
      if (Array.isArray(to) && state.slots[to[0] - 1]?.[to[1] - 1] === ball) state.slots[to[0] - 1][to[1] - 1] = null;
      if (Array.isArray(from) && state.slots[from[0] - 1]) state.slots[from[0] - 1][from[1] - 1] = ball;
    }
    return state;
  }

  show(view, ui) {
    Object.assign(this, { view, ui });
    this.paint();
  }

  /** Slots as the draft leaves them. */
  slots() {
    const slots = structuredClone(this.draft ? this.before.slots : this.view.result.state.slots);
    for (const { ball, from, to } of this.draft?.moves ?? []) {
      if (Array.isArray(from)) slots[from[0] - 1][from[1] - 1] = null;
      if (Array.isArray(to) && slots[to[0] - 1]) slots[to[0] - 1][to[1] - 1] = ball;
    }
    return slots;
  }

  /** A tap: on a ball it is picked, elsewhere the picked ball, or else the ball of the shot, came to rest. */
  tap(place, ball) {
    if (ball !== null && ball !== undefined) {
      const again = this.draft.moves.findIndex((move) => same(move.to, place) && Array.isArray(place));
      if (again >= 0) this.draft.moves.splice(again, 1);
      else this.picked = { ball, from: place };
    } else if (this.picked) {
      this.draft.moves.push({ ...this.picked, to: place });
      this.picked = null;
    } else {
      const { side } = this.draft;
      this.draft.moves = [{ ball: side, from: "hand", to: place }, ...this.draft.moves.filter((move) => move.from !== "hand")];
    }
    this.tell();
  }

  action() {
    const { moves, foul } = this.draft;
    const first = moves.findIndex((move) => move.from === "hand");
    if (first < 0) return null;
    const ordered = [moves[first], ...moves.filter((_, i) => i !== first)];
    return { kind: "shot", moves: ordered, ...(foul ? { foul } : {}) };
  }

  tell() {
    this.paint();
    const action = this.action();
    if (action && this.page.correction.step) this.chosen(action);
  }

  /** Slots that the shot shown moved a ball into: the one being corrected, else the last. */
  fresh() {
    const { history } = this.view;
    const step = history.find((one) => one.id === this.ui.selected) ?? history.findLast((one) => one.counted && one.action.kind === "shot");
    return (this.draft ?? step?.action)?.moves?.map((move) => word(move.to)) ?? [];
  }

  paint() {
    if (!this.view) return;
    const fresh = this.fresh();
    const { base = [1, 2, 5] } = this.view.config;
    const rows = this.slots().map((row, i) => h("div.comb", {}, h("span.worth", {}, `${base[i]}`, h("small", {}, " pt")), h("div.cells", {}, row.map((ball, j) => this.cell([i + 1, j + 1], ball, fresh))))).reverse();
    const state = this.view.result.state;
    const heads = h("div.place.head", { "aria-hidden": "true" }, h("span", {}, ""), this.view.sides.map((side, i) => h(`b.who.side-${i}`, {}, side)));
    const places = Object.entries(PLACES).map(([place, said]) => this.place(place, said, state[place]));
    put(this.root, rows, h("div.places", {}, heads, places));
    this.paintTools();
  }

  cell(place, ball, fresh) {
    const who = ball === null ? "empty" : `ball of ${this.view.sides[ball]}`;
    const look = `${ball === null ? "" : `.side-${ball}.full`}${ball !== null && fresh.includes(word(place)) ? ".fresh" : ""}${this.picked && same(this.picked.from, place) ? ".chosen" : ""}`;
    const said = { "aria-label": `Position ${place[0]}, slot ${place[1]}: ${who}`, "data-slot": word(place), "data-ball": ball, "data-key": `slot-${word(place)}` };
    return this.draft ? h(`button.cell${look}`, { ...said, onclick: () => this.tap(place, ball) }) : h(`span.cell${look}`, { ...said, role: "img" });
  }

  place(place, said, counts) {
    const body = [h("span", {}, said), counts.map((count, i) => h(`b.side-${i}`, { "data-ball": i, "aria-label": `${this.view.sides[i]}: ${count}` }, String(count)))];
    return this.draft ? h("button.place", { "data-place": place, "data-key": `place-${place}`, onclick: () => this.tap(place, null) }, body) : h("div.place", {}, body);
  }

  // By hand

  paintTools() {
    const { page, tools, draft } = this;
    const { state, turn, over } = this.view.result;
    const act = (words, action, look = "") => h(`button${look}`, { "data-key": words, onclick: () => page.record({ ...action, t_ms: page.time() }) }, words);
    if (!draft) {
      if (over) return put(tools);
      if (state.round_ends_ms === null) return put(tools, act("Start the Round", { kind: "start_round" }, ".main"));
      if (state.choice !== null) return put(tools, h("span", {}, `${this.view.sides[state.choice]}:`), act("Bank", { kind: "choose", side: state.choice, option: "bank" }), act("Final Sequence", { kind: "choose", side: state.choice, option: "final_sequence" }));
      return put(tools, h("button.main", { "data-key": "add", onclick: () => page.choose(true) }, "Add a shot"), act("Time is up", { kind: "round_over" }));
    }
    const byHand = !page.correction.step;
    const action = this.action();
    const foul = h("select", { "data-key": "foul", "aria-label": "Foul", onchange: (event) => ((draft.foul = event.target.value || null), this.tell()) },
      [["", "No foul"], ...Object.entries(FOULS)].map(([value, words]) => h("option", { value, selected: (draft.foul ?? "") === value }, words)));
    const hint = this.picked ? "Tap where that ball went" : draft.moves.length ? label({ kind: "shot", ...draft, moves: action?.moves ?? draft.moves }) : `Tap where the ball of ${this.view.sides[draft.side ?? turn]} came to rest`;
    put(tools, h("span.big.small", { role: "status" }, hint), foul,
      draft.moves.length > 0 && h("button", { "data-key": "clear", onclick: () => ((draft.moves = []), (this.picked = null), this.tell()) }, "Clear"),
      byHand && h("button", { "data-key": "stop", onclick: () => page.choose(false) }, "Cancel"),
      byHand && h("button.main", { "data-key": "save", disabled: !action, onclick: () => this.save(action) }, "Save the shot"));
  }

  async save(action) {
    const { page } = this;
    const done = await page.record({ ...action, side: this.draft.side, t_ms: page.time() });
    if (done) page.choose(false);
  }
}
