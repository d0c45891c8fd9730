// One match: score, board, the visit, what counted and why; and where a person puts it right.

import { api, follow } from "./api.js";
import { Correction } from "./correct.js";
import { h, icon, mark, put } from "./dom.js";
import { faceOf, gameOf } from "./games.js";
import { scorePanels } from "./scores.js";
import { refusal, rulesSaid, umpire, why } from "./words.js";

/** What the page can do is loaded when somebody asks. */
const showHelp = () => import("./help.js").then((help) => help.showHelp());
const PHASES = { hand: "hand at the board", motion: "something moves", takeout: "darts are pulled", still: "watching", throw: "watching" };

/** Show a match until the returned function is called. */
export function showMatch(page, id, tools) {
  const view = new MatchPage(page, id, tools);
  return () => view.close();
}

class MatchPage {
  constructor(page, id, tools) {
    Object.assign(this, { id, tools, match: null, selected: null, choosing: false, heard: 0, said: 0, told: null });
    this.parts = frame();
    put(page, this.parts.bar, this.parts.main);
    this.correction = new Correction(this);
    this.parts.bell.addEventListener("click", () => this.open(this.doubts()[0].id));
    this.keys = (event) => this.key(event);
    addEventListener("keydown", this.keys);
    this.end = follow(`/matches/${encodeURIComponent(id)}/changes`, {
      snapshot: (data) => this.whole(data.match),
      change: (data) => this.changed(data),
      status: (data) => this.live(data),
      line: (up) => this.line(up),
    });
    this.first();
  }

  close() {
    this.closed = true;
    this.end();
    this.correction.close();
    removeEventListener("keydown", this.keys);
    document.body.classList.remove("cut");
  }

  /** The first look also tells when there is no such match; the stream would only try again for ever. */
  async first() {
    try {
      this.take(await this.fresh(api.match(this.id)));
    } catch (problem) {
      if (problem.status === 404) this.nothing();
      else this.tools.fail(problem);
    }
  }

  nothing() {
    this.close();
    put(this.parts.bar, h("a.plain", { href: "/", "aria-label": "All matches" }, icon("back")), h("span.title", {}, "tallycam"));
    put(this.parts.main, h("div.card.nothing", {}, h("h1", {}, "No such match"), h("p.quiet", {}, "Its address may be cut short, or it is kept by another machine."), h("a.button", { href: "/" }, "All matches")));
  }

  line(up) {
    mark(document.body, "cut", !up);
    this.parts.pill.textContent = up ? this.pillText() : "connecting…";
  }

  async changed(data) {
    try {
      if (data.change > this.heard) this.take(await this.fresh(api.match(this.id)));
    } catch (problem) {
      if (problem.status === 0 && !this.closed) setTimeout(() => this.changed(data), 1000); // told of it, but not yet what it is
      else this.tools.fail(problem);
      return;
    }
    if (!data.say || data.change <= this.said) return; // said even if a look asked for before has shown it already
    this.said = data.change;
    document.getElementById("say").textContent = data.say;
    if (localStorage.voice === "on") speak(data.say);
  }

  whole(match) {
    this.told = match.live;
    this.take(match);
  }

  /** The match that a request brings: what the stream told of the camera while it was under way is newer. */
  async fresh(request) {
    const { told } = this;
    const match = await request;
    if (this.told !== told) match.live = this.told;
    return match;
  }

  live(data) {
    this.told = data;
    if (this.match) this.match.live = data;
    if (!this.game) return;
    this.paintPill();
    if (data.message) this.paintScores();
  }

  /** Take the truth and show it. */
  take(match) {
    if (match.change < this.heard) return;
    this.heard = match.change;
    this.match = match;
    if (this.game) this.paint();
    else this.begin(match.game);
  }

  /** The first time, the game's own part of the page is loaded. */
  async begin(name) {
    let game;
    try {
      game = await faceOf(name);
    } catch {
      return void (this.closed || setTimeout(() => this.begin(name), 1000)); // the service is away
    }
    if (this.game || this.closed) return;
    const { match } = this;
    this.game = game;
    this.body = game.build(this);
    const { main, score, side } = this.parts;
    mark(main, "boarded", this.body.board);
    main.replaceChildren(score, h("section.middle", {}, this.body.board, this.parts.visit, this.parts.hand), h("section.extra", {}, this.body.extra), side);
    this.parts.title.textContent = [gameOf(match.game).name, ...rulesSaid(match.game, match.config)].join(" · ");
    if (this.body.face) this.handScoring();
    this.paint();
    const named = Number(new URLSearchParams(location.search).get("entry")); // an entry that somebody is to look at
    if (named) this.open(named);
  }

  paint() {
    const { match } = this;
    const { result } = match;
    document.title = `${result.scores.join(" : ")} · ${match.sides.join(" – ")} · tallycam`;
    this.paintPill();
    this.paintScores();
    this.body.update(match, { selected: this.selected, choosing: this.choosing, open: (entry) => this.open(entry) });
    this.paintVisit();
    this.paintChecks();
    this.paintHistory();
    this.correction.refresh();
  }

  pillText() {
    const { result, live } = this.match ?? { result: {} };
    if (result.over) return "finished";
    if (live && !live.done) return PHASES[live.phase] ?? "live";
    return live?.done ? "recording ended" : "by hand";
  }

  paintPill() {
    const { pill } = this.parts;
    pill.textContent = this.pillText();
    mark(pill, "on", this.match.live && !this.match.live.done && !this.match.result.over);
    pill.title = this.match.live?.source ?? "";
  }

  paintScores(preview = null) {
    put(this.parts.score, scorePanels(this.match, { ahead: preview?.result }), this.alarms());
  }

  paintVisit() {
    const { match, game } = this;
    if (!game.visits) return;
    const visit = game.visits(match).findLast((one) => one.darts.length);
    const fresh = match.result.turn !== null && visit && (visit.ended || visit.side !== match.result.turn);
    const darts = visit ? visit.darts.filter((dart) => !dart.undone) : [];
    const slots = [0, 1, 2].map((i) => this.slot(darts[i], i, visit));
    const head = visit && h("div.visithead", {}, h(`span.who.side-${visit.side}`, {}, match.sides[visit.side]), h("span.quiet", {}, fresh ? "last visit" : "this visit"), h("b", {}, `+${visit.gain}`));
    put(this.parts.visit, head || h("div.visithead", {}, h("span.quiet", {}, "No dart yet")), h("div.slots", {}, slots));
  }

  slot(dart, i, visit) {
    if (!dart) return h("div.slot.empty", { "aria-hidden": "true" }, h("b", {}, "·"));
    const look = `${this.game.doubtful(dart) ? ".doubt" : ""}${dart.id === this.selected ? ".chosen" : ""}${dart.correction ? ".corrected" : ""}`;
    return h(`button.slot.side-${visit.side}${look}`, { "data-key": `slot-${dart.id}`, "data-entry": dart.id, onclick: () => this.open(dart.id), "aria-label": `Dart ${i + 1}: ${this.game.spoken(dart.action.segment)}, ${this.why(dart)}. Correct it` },
      h("b", {}, this.label(dart)), h("small", {}, this.why(dart)));
  }

  why(step) {
    return why(step, this.match.sides).text;
  }

  /** What is written large for a step. */
  label(step) {
    return this.game.label?.(step.action) ?? step.notation;
  }

  /** Entries a person should look at. */
  doubts() {
    return this.match.history.filter((step) => this.game.doubtful(step));
  }

  /** What must not be overlooked: a score that stops, a camera that broke off. */
  alarms() {
    const { live, result } = this.match;
    const broken = live?.message && h("p.note.bad", { role: "alert" }, icon("cross"), h("span", {}, `${live.source}: ${live.message}`));
    const stopped = result.conflict && h("button.note.bad", { "data-key": "conflict", onclick: () => this.open(result.conflict.id) }, icon("cross"),
      h("span", {}, h("b", {}, `The score stops at entry ${result.conflict.id}`), ` ${refusal(result.conflict.reason)}`));
    return [broken, stopped];
  }

  paintChecks() {
    const open = this.doubts();
    const notes = [];
    if (open.length) {
      notes.push(h("button.note", { "data-key": "checks", onclick: () => this.open(open[0].id) }, icon("eye"),
        h("span", {}, h("b", {}, `${open.length} ${this.game.piece}${open.length > 1 ? "s" : ""} to check`))));
    }
    put(this.parts.checks, notes);
    const { bell } = this.parts;
    bell.hidden = !open.length;
    bell.lastChild.textContent = String(open.length);
    bell.setAttribute("aria-label", `${open.length} ${this.game.piece}${open.length > 1 ? "s" : ""} to check`);
  }

  paintHistory() {
    const turns = [];
    for (const step of this.match.history) {
      const turn = step.counted ? step.turn : null;
      if (turns.at(-1)?.turn !== turn) turns.push({ turn, side: turn === null ? null : step.side, steps: [] });
      turns.at(-1).steps.push(step);
    }
    const items = turns.reverse().map((turn) => this.turnItem(turn));
    put(this.parts.history, items.length ? items : h("li.quiet", {}, "Nothing has been played yet."));
    put(this.parts.corrections, this.match.corrections.length ? h("details", {}, h("summary", {}, `${this.match.corrections.length} correction${this.match.corrections.length > 1 ? "s" : ""}`), h("ul", {}, this.match.corrections.map((one) => this.correctionItem(one)).reverse())) : null);
  }

  turnItem({ turn, side, steps }) {
    const { match } = this;
    const gain = side === null ? null : steps.reduce((sum, step) => sum + (step.gain?.[side] ?? 0), 0);
    const scores = steps.at(-1).scores;
    return h("li.turnitem", {},
      h("div.turnhead", {}, h(`span.who.side-${side ?? "x"}`, {}, turn === null ? "Not counted" : side === null ? "Match" : match.sides[side]), turn !== null && h("span.quiet", {}, `turn ${turn}`), h("span.grow"),
        gain !== null && h("b", {}, signed(gain)), scores && h("span.sum", {}, scores.join(" : "))),
      h("ol.steps", {}, steps.map((step) => this.stepItem(step))));
  }

  stepItem(step) {
    const said = why(step, this.match.sides);
    const quiet = step.action.kind === "end_turn";
    const look = `${quiet ? ".ends" : ""}${step.counted ? "" : ".lost"}${this.game.doubtful(step) ? ".doubt" : ""}${step.id === this.selected ? ".chosen" : ""}`;
    const badge = step.correction ? h("span.badge", { title: step.correction.reason }, icon("pen"), step.correction.replaces ? h("s", {}, step.correction.replaces) : "added") : null;
    return h("li", {}, h(`button.step${look}`, { "data-key": `step-${step.id}`, "data-entry": step.id, onclick: () => this.open(step.id), "aria-label": `${step.notation}: ${said.text}. Correct it` },
      h("b", {}, quiet ? "" : this.label(step)), h("span.why", {}, said.text, said.clause && h("small", {}, said.clause)), badge,
      this.game.doubtful(step) && h("span.badge.ask", {}, icon("eye"), "check")));
  }

  correctionItem(one) {
    return h(`li${one.holds ? "" : ".off"}`, {}, h("span", {}, h("b", {}, one.text), ` ${one.reason}`, h("small", {}, ` ${one.by.replace("umpire:", "umpire ")}${one.at ? ", " + clock(one.at) : ""}`)),
      one.holds && h("button.plain", { "data-key": `undo-${one.id}`, onclick: () => this.undo(one.id) }, icon("undo"), "Undo"));
  }

  /** Open the correction of an entry. */
  open(entry) {
    const step = this.match.history.find((one) => one.id === entry);
    if (!step || (step.action.kind === "end_turn" && !this.match.result.conflict && !this.game.doubtful(step))) return;
    this.selected = entry;
    this.correction.open(step);
    this.paint();
  }

  shut() {
    this.selected = null;
    if (this.match) this.paint();
  }

  /** Take a correction back; the service strikes it, so both stay in the log. */
  async undo(target) {
    const newest = target ?? this.match.corrections.findLast((one) => one.holds)?.id;
    if (!newest) return this.tools.say("There is no correction to undo.");
    try {
      this.take(await this.fresh(api.undo(this.id, this.match.seq, umpire(), newest)));
      this.tools.say(`Undone. ${this.sum()}`);
    } catch (problem) {
      this.tools.fail(problem);
    }
  }

  /** "Ann 60, Ben 41": what is said after a change. */
  sum() {
    return this.match.sides.map((side, i) => `${side} ${this.match.result.scores[i]}`).join(", ");
  }

  // Scoring by hand, where no camera does it: tap the board, then end the turn.

  handScoring() {
    const { hand } = this.parts;
    if (this.body.hand) {
      this.ownTools();
      return;
    }
    const add = h("button", { onclick: () => this.choose(!this.choosing) }, icon("plus"), h("span", {}, "Add a dart"));
    const done = h("button.main", { onclick: () => this.record(this.game.ending(this.match, this.time())) }, "End turn");
    put(hand, add, done);
    this.stopChoosing = () => {};
    this.paintHand = () => {
      const { result, live } = this.match;
      const full = this.game.ending(this.match, 0) !== null;
      hand.hidden = result.over || result.conflict || (live && !live.done) || this.correction.step !== null;
      add.hidden = full;
      done.hidden = !full;
      add.lastChild.textContent = this.choosing ? "Done" : "Add a dart";
      if (full && this.choosing) this.choose(false);
    };
    const update = this.body.update;
    this.body.update = (match, ui) => {
      update(match, ui);
      this.paintHand();
    };
  }

  /** A game that has tools of its own: they are there whenever a shot can be entered or is corrected. */
  ownTools() {
    const { hand } = this.parts;
    put(hand, this.body.hand);
    this.stopChoosing = () => {};
    const update = this.body.update;
    this.body.update = (match, ui) => {
      const { result, live } = match;
      const correcting = this.correction.step !== null;
      hand.hidden = !correcting && Boolean(result.over || result.conflict || (live && !live.done && !this.game.ruled));
      if (hand.hidden && this.choosing) this.choose(false);
      update(match, ui);
    };
  }

  choose(on) {
    this.choosing = on;
    this.stopChoosing();
    this.body.face.widen(on);
    if (on) this.stopChoosing = this.body.face.choose({ over: () => {}, chosen: (segment) => this.record(this.game.thrown(this.match, segment, this.time())) });
    this.paint();
  }

  time() {
    return this.match.history.reduce((newest, step) => Math.max(newest, step.action.t_ms), 0) + 1000;
  }

  async record(action) {
    try {
      this.take(await this.fresh(api.append(this.id, this.match.seq, { entry: "record", action, by: "player" })));
      return true;
    } catch (problem) {
      this.tools.fail(problem);
      return false;
    }
  }

  key(event) {
    if (!this.game || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape" && this.correction.step) return this.correction.close();
    if (event.target.closest("input, textarea, select, dialog")) return;
    const doubt = this.doubts()[0];
    const acts = {
      u: () => this.undo(),
      n: () => doubt && this.open(doubt.id),
      e: () => this.open(this.match.history.findLast((step) => step.action.kind !== "end_turn")?.id),
      " ": () => this.correction.step && event.target.tagName !== "BUTTON" && this.correction.accept(),
      ArrowLeft: () => this.walk(-1),
      ArrowRight: () => this.walk(1),
      "?": showHelp,
    };
    const act = acts[event.key];
    if (act) {
      event.preventDefault();
      act();
    } else if (this.correction.step && /^[a-z0-9]$/i.test(event.key)) this.correction.typing();
  }

  walk(way) {
    const steps = this.match.history.filter((step) => step.action.kind !== "end_turn");
    const at = steps.findIndex((step) => step.id === this.selected);
    const next = steps[at < 0 ? steps.length - 1 : at + way];
    if (next) this.open(next.id);
  }
}

function frame() {
  const title = h("span.title");
  const pill = h("span.pill", { role: "status" }, "…");
  const checks = h("div.checks");
  const history = h("ol.history", { "aria-label": "History, newest first" });
  const corrections = h("div.corrections");
  const sheet = h("section.sheet", { "aria-label": "Correct", hidden: true, tabindex: -1 });
  const score = h("section.score", { "aria-label": "Score" });
  const bell = h("button.bell", { hidden: true }, icon("eye"), h("b", {}, ""));
  const save = h("a.plain.keysonly", { href: "#", download: true, "aria-label": "Download the scoresheet", title: "Download the scoresheet" }, icon("down"));
  const id = location.pathname.split("/").pop();
  const story = h("a.plain", { href: `/match/${id}/story`, "aria-label": "Story and figures", title: "Story and figures" }, icon("chart"));
  const bar = h("header.bar", {}, h("a.plain", { href: "/", "aria-label": "All matches" }, icon("back")), title, pill, h("span.grow"), bell, voiceButton(), story, save,
    h("button.plain.keysonly", { onclick: showHelp, "aria-label": "Help and keys" }, icon("help")), h("button.plain", { "data-act": "theme", "aria-label": "Light or dark" }, icon("sun")));
  save.href = api.scoresheet(id);
  const side = h("section.side", {}, sheet, checks, h("h2.unseen", {}, "History"), history, corrections);
  const main = h("main.match", { id: "main" }, h("p.quiet.wait", {}, "…"));
  return { bar, bell, main, title, pill, checks, history, corrections, sheet, score, side, visit: h("div.visit"), hand: h("div.byhand", { hidden: true }) };
}

const signed = (points) => (points < 0 ? `−${-points}` : `+${points}`);

/** Turns on and off that each change is said aloud, as a caller does. */
function voiceButton() {
  if (!window.speechSynthesis) return null;
  const button = h("button.plain.keysonly", { "aria-label": "Say scores aloud", "aria-pressed": String(localStorage.voice === "on"), title: "Say scores aloud" }, icon("voice"));
  button.addEventListener("click", () => {
    localStorage.voice = localStorage.voice === "on" ? "off" : "on";
    button.setAttribute("aria-pressed", String(localStorage.voice === "on"));
    if (localStorage.voice === "on") speak("Scores are said aloud.");
    else speechSynthesis.cancel();
  });
  return button;
}

/** Say the newest thing; what was still being said is out of date. */
function speak(text) {
  speechSynthesis.cancel();
  speechSynthesis.speak(Object.assign(new SpeechSynthesisUtterance(text), { lang: "en" }));
}

const clock = (text) => new Date(text).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
