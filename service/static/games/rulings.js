// What an umpire of Astrolabe rules (AS-70), and what befalls balls and Rounds without a shot: each seen before it is saved.

import { api } from "../api.js";
import { h, icon } from "../dom.js";
import { drafted } from "../draft.js";
import { refusal, umpire } from "../words.js";
import { FOULS, clock } from "./astrolabe.js";

const TIMES = [[-30, "−30 s"], [-10, "−10 s"], [10, "+10 s"], [30, "+30 s"], [60, "+1 min"]];

const spoken = (place) => (Array.isArray(place) ? `slot ${place[1]} of position ${place[0]}` : { hand: "the hand", grouped: "rest", gutter: "the gutter" }[place]);

/** The rulings of one table. `parts` is shown where its tools are, `pick` says which balls can be tapped meanwhile. */
export class Rulings {
  constructor(table) {
    Object.assign(this, { table, page: table.page, pick: null, draft: null });
  }

  get view() {
    return this.table.view;
  }

  /** The time of a ruling: the camera's where one watches, else that of the newest action. */
  now() {
    const { live, history } = this.view;
    return history.reduce((newest, step) => Math.max(newest, step.action.t_ms), live && !live.done ? live.t_ms : 0);
  }

  /** What may be ruled where the match stands: groups of a name and its buttons. */
  menu() {
    const { sides, config, result, history } = this.view;
    const { state } = result;
    const runs = state.round_ends_ms !== null;
    const rule = (said, what) => () => this.look(said, { kind: "umpire", t_ms: this.now(), ...what });
    const each = (word, made) => sides.map((side, i) => [side, rule(`${word} ${side}`, made(i))]);
    const last = history.findLast((step) => step.counted && step.action.kind === "shot");
    const back = sides.map((side, i) => state.grouped[i] > 0 && [`One of ${side} came back`, () => this.look(`A grouped ball of ${side} came back`, { kind: "returned", side: i, t_ms: this.now() }, "player")]);
    return [
      ["Warning to", each("Warning to", (side) => ({ ruling: "warning", side }))],
      runs && ["Free shot for", each("Free shot for", (side) => ({ ruling: "free_shot", side }))],
      runs && ["Time", TIMES.map(([s, word]) => [word, rule(`${word} of time`, { ruling: "add_time", ms: 1000 * s })])],
      last && [`Last shot, ${sides[last.side]}`, Object.entries({ "": "No foul", ...FOULS }).filter(([foul]) => foul !== (last.action.foul ?? "")).map(([foul, word]) => [word, () => this.foul(last, foul, word)])],
      runs && ["Balls", [["Take one out", () => this.remove()], config.ball_conversion && ["Change a colour", () => this.convert()], ...back]],
      runs && ["Table moved by", sides.map((side, i) => [side, () => this.moved(i)])],
    ].filter(Boolean);
  }

  foul(step, foul, word) {
    const { foul: _, ...action } = step.action;
    this.look(`${foul ? "Foul" : "No foul"}${foul ? `: ${word.toLowerCase()}` : ""}`, foul ? { ...action, foul } : action, umpire(), step);
  }

  remove() {
    this.take("Tap the ball that is taken out", () => true, (ball, from) =>
      this.look(`A ball of ${this.view.sides[ball]} out of ${spoken(from)}`, { kind: "umpire", t_ms: this.now(), ruling: "remove_ball", ball, from }));
  }

  convert() {
    this.take("Tap the ball that is the other side's now", (ball, from) => Array.isArray(from), (ball, slot) =>
      this.look(`The ball in ${spoken(slot)} is ${this.view.sides[1 - ball]}'s`, { kind: "umpire", t_ms: this.now(), ruling: "convert_ball", slot, ball: 1 - ball }));
  }

  /** Somebody moved the table: the balls that this touched, one tap each. */
  moved(side) {
    const { sides } = this.view;
    const moves = [];
    const count = (ball, place) => moves.filter((move) => move.ball === ball && move.from === place).length;
    const takes = (ball, from) => (Array.isArray(from) ? !moves.some((move) => String(move.from) === String(from)) : from === "grouped" && this.view.result.state.grouped[ball] > count(ball, from));
    const told = () => `Tap the balls that ${sides[side]} moved with the table: ${moves.length || "none yet"}`;
    const done = () => this.look(`${sides[side]} moved the table`, { kind: "table_moved", side, t_ms: this.now(), moves });
    this.take(told, takes, (ball, from) => {
      moves.push({ ball, from, to: ball === side ? "out" : "hand" });
      this.table.paint();
    }, done);
  }

  /** Let balls be tapped on the table. */
  take(said, takes, taken, done = null) {
    this.pick = { said, takes, taken, done };
    this.table.paint();
  }

  /** See what it would come to. */
  async look(said, action, by = umpire(), step = null) {
    const entry = step ? { entry: "amend", target: step.id, action, by, reason: "umpire's ruling" } : { entry: "record", action, by };
    await this.ahead(said, entry);
    this.table.tools.querySelector("[data-key=save]")?.focus();
  }

  async ahead(name, entry) {
    const { seq } = this.view;
    try {
      const { previews } = await api.preview(this.page.id, [entry]);
      this.draft = { name, entry, seq, preview: previews[0] };
      this.page.paintScores(previews[0]);
      this.table.paint();
    } catch (problem) {
      this.page.tools.fail(problem);
    }
  }

  /** The match went on meanwhile: what was seen ahead is seen anew. */
  heard() {
    if (this.draft && this.draft.seq !== this.view.seq) this.ahead(this.draft.name, this.draft.entry);
  }

  back() {
    this.pick = this.draft = null;
    this.page.paintScores();
    this.table.paint();
  }

  close() {
    this.table.rulings = null;
    this.back();
  }

  async save() {
    const { page, draft } = this;
    try {
      const match = await page.fresh(api.append(page.id, page.match.seq, draft.entry));
      this.table.rulings = null;
      page.take(match);
      page.tools.say(`${draft.name}. ${page.sum()}`, { label: "Undo", run: () => page.undo(match.seq) });
    } catch (problem) {
      page.tools.fail(problem);
      if (problem.status === 409) page.first();
    }
  }

  /** What follows beside points: whose turn it is, how much time is left. */
  follows() {
    const { sides, result: was } = this.view;
    const { result } = this.draft.preview;
    const [ended, ends] = [was.state.round_ends_ms, result.state.round_ends_ms];
    const parts = [
      result.turn !== was.turn && result.turn !== null && `${sides[result.turn]} is on turn`,
      ended !== null && ends === null && "the Round ends",
      ended !== null && ends !== null && ends !== ended && `${clock(Math.max(0, ends - this.now()))} left`,
      result.state.choice !== null && was.state.choice === null && `${sides[result.state.choice]} chooses: Bank or Final Sequence`,
    ];
    return parts.filter(Boolean).join(", ") || "nothing else changes";
  }

  parts() {
    const { draft, pick } = this;
    const back = h("button", { "data-key": "back", onclick: () => this.back() }, "Back");
    if (draft) {
      const { conflict } = draft.preview.result;
      if (conflict?.id === draft.seq + 1) return h("div.rulings", {}, h("p.note.bad", { role: "alert" }, icon("cross"), h("span", {}, `${draft.name}: ${refusal(conflict.reason)}`)), h("div.acts", {}, back));
      return h("div.rulings", {}, drafted({ match: this.view, game: this.page.game, draft, instead: this.follows() }, { propose: () => {}, drop: () => this.back(), save: () => this.save() }));
    }
    if (pick) return h("div.rulings", {}, h("p.hint", { role: "status" }, typeof pick.said === "string" ? pick.said : pick.said()), h("div.acts", {}, back, pick.done && h("button.main", { "data-key": "done", onclick: pick.done }, "That is all")));
    const rows = this.menu().map(([word, acts]) => h("div.ruling", { role: "group", "aria-label": word }, h("span", {}, word), h("div.acts", {}, acts.filter(Boolean).map(([said, run]) => h("button", { "data-key": `${word} ${said}`, onclick: run }, said)))));
    return h("div.rulings", { "aria-label": "Umpire's rulings" }, rows, h("div.acts", {}, h("button", { "data-key": "umpire", onclick: () => this.close() }, "Close")));
  }
}
