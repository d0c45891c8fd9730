// Astrolabe as people see it: three combs of slots with the balls in them, where the others are, whose turn it is.

import { h, put } from "../dom.js";
import { draggable } from "../drag.js";

export const piece = "shot";
export const ruled = true; // there is something to rule while a camera watches
export const hint = "Or tap on the table where its ball came to rest; drag a ball to where it went.";
export const drag = "Tap where the ball of the shot came to rest. Drag a ball to where it went, from a slot or from the lists below.";

const PLACES = { hand: "in hand", grouped: "grouped", gutter: "in the gutter", out: "out" };
export const FOULS = { play_line: "Over the Play Line", interference: "Interference", touched_moving_ball: "Touched a moving ball" };
const WORDS = {
  start_round: "Round", round_over: "Time up", returned: "Back in hand", table_moved: "Table moved", warning: "Warning", add_time: "Time", free_shot: "Free shot",
  remove_ball: "Ball out", convert_ball: "Colour", bank: "Bank", final_sequence: "Final Sequence",
};
const word = (place) => (Array.isArray(place) ? place.join(".") : place);
const same = (a, b) => word(a) === word(b);

export const doubtful = (step) => Boolean(step.seen?.review?.length && !step.decision && !step.correction);

/** What is written large for an action. */
export function label(action) {
  if (action.kind !== "shot") return WORDS[action.ruling ?? action.option ?? action.kind];
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

export const clock = (ms) => `${Math.floor(ms / 60000)}:${String(Math.floor(ms / 1000) % 60).padStart(2, "0")}`;

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
    Object.assign(this, { page, draft: null, chosen: null, picked: null, rulings: null });
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
  choose({ chosen, fresh = null }) {
    const step = fresh ? null : this.page.correction.step;
    this.picked = this.rulings = null;
    if (step && step.action.kind !== "shot") return () => {};
    this.chosen = chosen;
    this.draft = { side: step?.side ?? fresh?.side ?? this.view.result.turn, moves: [...(step?.action.moves ?? [])], foul: step?.action.foul ?? null };
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
    this.rulings?.heard();
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
    const picks = ball !== null && this.rulings?.pick?.takes(ball, place) && !this.rulings.draft;
    const look = `${ball === null ? "" : `.side-${ball}.full`}${picks ? ".pickable" : ""}${ball !== null && fresh.includes(word(place)) ? ".fresh" : ""}${this.picked && same(this.picked.from, place) ? ".chosen" : ""}`;
    const said = { "aria-label": `Position ${place[0]}, slot ${place[1]}: ${who}`, "data-slot": word(place), "data-ball": ball, "data-key": `slot-${word(place)}` };
    if (picks) return h(`button.cell${look}`, { ...said, onclick: () => this.rulings.pick.taken(ball, place) });
    return this.draft ? h(`button.cell${look}`, { ...said, onclick: () => this.tap(place, ball) }) : h(`span.cell${look}`, { ...said, role: "img" });
  }

  place(place, said, counts) {
    const picks = (ball) => counts[ball] > 0 && place !== "out" && this.rulings?.pick?.takes(ball, place) && !this.rulings.draft;
    const count = (number, i) => (picks(i) ? h(`button.side-${i}.pickable`, { "data-key": `pick-${place}-${i}`, "aria-label": `A ball of ${this.view.sides[i]}, ${said}`, onclick: () => this.rulings.pick.taken(i, place) }, String(number))
      : h(`b.side-${i}`, { "data-ball": i, "aria-label": `${this.view.sides[i]}: ${number}` }, String(number)));
    const body = [h("span", {}, said), counts.map(count)];
    return this.draft ? h("button.place", { "data-place": place, "data-key": `place-${place}`, onclick: () => this.tap(place, null) }, body) : h("div.place", {}, body);
  }

  // By hand

  paintTools() {
    const { page, tools, draft } = this;
    const { state, turn, over } = this.view.result;
    if (!draft && this.rulings) return put(tools, this.rulings.parts());
    if (!draft) return put(tools, over || page.correction.step ? null : this.acts(state));
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

  /** What can be done between two shots. What ends a Round is looked at before it is saved. */
  acts({ round_ends_ms: ends, choice }) {
    const { page } = this;
    const { live, sides } = this.view;
    const button = (words, run, look = "") => h(`button${look}`, { "data-key": words, onclick: run }, words);
    const look = (words, action) => button(words, () => this.rule((rulings) => rulings.look(words, { ...action, t_ms: Math.max(rulings.now(), action.t_ms ?? 0) }, "player")));
    const acts = [];
    if (ends === null) acts.push(button("Start the Round", () => page.record({ kind: "start_round", t_ms: page.time() }), ".main"));
    else if (choice !== null) acts.push(h("span", {}, `${sides[choice]}:`), look("Bank", { kind: "choose", side: choice, option: "bank" }), look("Final Sequence", { kind: "choose", side: choice, option: "final_sequence" }));
    else acts.push(!(live && !live.done) && h("button.main", { "data-key": "add", onclick: () => page.choose(true) }, "Add a shot"), look("Time is up", { kind: "round_over", t_ms: ends }));
    return [acts, h("button", { "data-key": "umpire", onclick: () => this.rule(() => this.paint()) }, "Umpire")];
  }

  /** Rulings are loaded when somebody rules. */
  async rule(run) {
    const { Rulings } = await import("./rulings.js");
    this.rulings = new Rulings(this);
    run(this.rulings);
  }

  async save(action) {
    const { page } = this;
    const done = await page.record({ ...action, side: this.draft.side, t_ms: page.time() });
    if (done) page.choose(false);
  }
}
