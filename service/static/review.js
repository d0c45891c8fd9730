// What a person should look at, one after the other: what shows it, what it was read as, what else it may have been.
// The pieces on the drawn board are handles: whatever was read wrong is put right by hand, and seen before it is saved.

import { api, follow } from "./api.js";
import { h, icon, put } from "./dom.js";
import { doubts } from "./doubts.js";
import { drafted } from "./draft.js";
import { faceOf, gameOf } from "./games.js";
import { keepButton } from "./keeping.js";
import { Viewer } from "./viewer.js";
import { umpire } from "./words.js";

const QUIET_MS = 350; // a second tap of a double tap is not meant for what has just come up
const STATES = { waiting: "the match waits for it", held: "waits behind another one", written: "counts, marked" };
const showHelp = () => import("./help.js").then((help) => help.showHelp()); // loaded when somebody asks
const HERE = "review"; // key of what is looked at, as a step of the history, while it is not yet written

/** Show the queue until the returned function is called. */
export function showReview(page, tools) {
  const view = new ReviewPage(page, tools);
  return () => view.close();
}

class ReviewPage {
  constructor(page, tools) {
    Object.assign(this, { tools, queue: [], at: 0, review: null, shown: 0, draft: null, adding: false, body: null, decided: null, stop: () => {} });
    this.only = new URLSearchParams(location.search).get("match"); // of one match alone
    document.title = "To check · tallycam";
    this.count = h("span.title", { role: "status" }, "To check");
    this.viewer = new Viewer(tools);
    this.parts = { ask: h("section.card.ask"), board: h("section.onboard", { "aria-label": "The board, to put it right by hand" }) };
    this.main = h("main.review", { id: "main" });
    put(page, h("header.bar", {}, h("a.plain", { href: "/", "aria-label": "All matches" }, icon("back")), this.count, h("span.grow"),
      h("button.plain.keysonly", { onclick: showHelp, "aria-label": "Help and keys" }, icon("help")), h("button.plain", { "data-act": "theme", "aria-label": "Light or dark" }, icon("sun"))), this.main);
    this.keys = (event) => this.key(event);
    addEventListener("keydown", this.keys);
    this.end = follow("/changes", { snapshot: () => this.load(), change: () => this.load(), line: (up) => document.body.classList.toggle("cut", !up) });
    this.load();
  }

  close() {
    this.end();
    this.stop();
    this.viewer.close();
    removeEventListener("keydown", this.keys);
  }

  async load() {
    try {
      const { reviews } = await api.reviews(this.only);
      const current = this.queue[this.at]?.id;
      this.queue = reviews;
      const again = reviews.findIndex((one) => one.id === current);
      await this.go(again < 0 ? Math.min(this.at, reviews.length - 1) : again);
    } catch (problem) {
      this.tools.fail(problem);
    }
  }

  async go(at) {
    this.at = Math.max(0, at);
    const next = this.queue[this.at];
    this.count.textContent = this.queue.length ? `To check: ${this.at + 1} of ${this.queue.length}` : "To check";
    if (!next) return this.nothing();
    try {
      const [review, match] = await Promise.all([api.review(next.id), api.match(next.match)]);
      const game = await faceOf(match.game);
      if (this.queue[this.at]?.id !== review.id) return;
      const other = this.review?.id !== review.id;
      if (!other && JSON.stringify([review, match.seq]) === JSON.stringify([this.review, this.match.seq])) return; // news of another match
      Object.assign(this, { review, match, game });
      if (other) Object.assign(this, { shown: performance.now(), draft: null, adding: false });
      this.begin(other);
    } catch (problem) {
      if (problem.status === 404) return this.load();
      this.tools.fail(problem);
    }
  }

  nothing() {
    this.stop();
    this.review = null;
    put(this.main, h("div.card.nothing", {}, h("h1", {}, "Nothing to check"), h("p.quiet", {}, "What the camera is unsure of comes up here by itself."),
      this.decided && h("div.acts", {}, keepButton(this.decided, this.tools), h("a.button", { href: `/match/${this.decided}` }, "The match")), h("a", { href: "/" }, "All matches")));
  }

  label(action) {
    return this.game.label?.(action) ?? action.segment ?? action.kind.replace("_", " ");
  }

  /** The one action that can be put right on the board, with the side whose it is. */
  action() {
    const { actions, event_kind: kind } = this.review;
    return (kind === "takeout" ? actions[0] : actions.at(-1)) ?? null;
  }

  /** The entry of that action, null while it is not written. */
  entry() {
    const { entries, event_kind: kind } = this.review;
    const standing = entries.filter((id) => this.match.history.some((step) => step.id === id));
    return (kind === "takeout" ? standing[0] : standing.at(-1)) ?? null;
  }

  /** What is looked at as a step of the history: its own, or one that would follow. */
  step() {
    const { review, match } = this;
    const written = match.history.find((step) => step.id === this.entry());
    if (written) return written;
    const action = this.action() ?? this.game.nothing?.(match, review.t_ms);
    if (!action) return null;
    const last = match.history.findLast((step) => step.counted);
    const same = last && last.side === action.side && last.action.kind !== "end_turn" && match.game === "cricket";
    return { id: HERE, action, side: action.side ?? null, turn: (last?.turn ?? 0) + (same ? 0 : 1), counted: true, notation: this.label(action), seen: review.event, scores: match.result.scores, gain: null };
  }

  begin(other) {
    if (other || !this.body) this.build();
    this.viewer.show(this.review);
    this.paint();
    if (other || this.main.firstChild !== this.viewer.root) put(this.main, this.viewer.root, this.parts.ask, this.parts.board);
  }

  /** The drawn board, with what was read on it to be taken hold of. */
  build() {
    this.stop();
    this.stop = () => {};
    this.body = null;
    const step = this.review.state === "held" ? null : this.step();
    put(this.parts.board);
    if (!step || this.review.actions.length > 1 && this.review.state === "waiting") return;
    this.body = this.game.build({ match: this.match, correction: { step }, record: () => {}, time: () => this.review.t_ms, choose: () => {} });
    if (!this.body.face) return;
    put(this.parts.board, this.body.board, this.body.hand && h("div.byhand", {}, this.body.hand), h("p.hint", {}, this.game.drag));
    this.show(step);
    this.choosing(step);
  }

  /** Draw the match as it stood with this step, no later one. */
  show(step) {
    const { match } = this;
    const history = step.id === HERE ? [...match.history, step] : match.history.slice(0, match.history.findIndex((one) => one.id === step.id) + 1);
    this.body.update({ ...match, history }, { selected: step.id, choosing: false, open: () => {} });
  }

  choosing(step) {
    this.stop();
    this.body.face.widen(true);
    const end = this.body.face.choose({ over: () => {}, chosen: (chosen) => this.propose(chosen), fresh: this.adding ? { side: step.side } : null }, this.adding ? null : this.game.place?.(step));
    this.stop = () => {
      end();
      this.stop = () => {};
    };
  }

  // Correcting

  /** Look ahead at what a person chose on the board, by keys or among the likely ones. */
  async propose(chosen) {
    const { review, match } = this;
    if (!review || performance.now() - this.shown < QUIET_MS) return;
    const step = this.step();
    const action = this.game.amended(step.action, chosen);
    const name = typeof chosen === "string" ? chosen : this.label(action);
    if (!this.adding && name === this.label(step.action) && review.actions.length) return this.drop();
    const by = umpire();
    const entry = this.entry();
    const told = { by, reason: "seen at the board" };
    const record = (one) => ({ entry: "record", action: one, by });
    const asked = this.adding && entry ? [{ entry: "insert", after: entry, action, ...told }]
      : this.adding ? [...review.actions, action].map(record)
        : entry ? [{ entry: "amend", target: entry, action, ...told }] : [record(action)];
    try {
      const { previews } = await api.preview(match.id, asked, true);
      if (this.review?.id !== review.id) return;
      this.draft = { action, name, preview: previews.at(-1), entry: asked.at(-1) };
      this.paint();
      this.parts.ask.querySelector("[data-key=save]")?.focus();
    } catch (problem) {
      this.tools.fail(problem);
    }
  }

  drop() {
    this.draft = null;
    this.adding = false;
    this.build();
    this.paint();
  }

  /** From now on what is chosen is one that nobody saw, after this one. */
  add() {
    this.draft = null;
    this.adding = true;
    this.build();
    this.paint();
    this.parts.board.scrollIntoView({ block: "nearest" });
  }

  async save() {
    const { draft, review, match, adding } = this;
    if (adding && this.entry()) {
      await this.doing(async () => {
        await api.append(match.id, match.seq, draft.entry);
        if (review.open) await api.decideReview(review.id, "accept", umpire(), []);
      }, `${draft.name} added.`);
    } else await this.decide("correct", adding ? [...review.actions, draft.action] : [draft.action]);
  }

  async decide(decision, actions = []) {
    if (!this.review || performance.now() - this.shown < QUIET_MS) return;
    const said = decision === "correct" ? `It was ${actions.map((one) => this.label(one)).join(", ")}.` : decision === "accept" ? "Right." : "Struck.";
    await this.doing(() => api.decideReview(this.review.id, decision, umpire(), actions), said);
  }

  /** Do one thing at a time, then look again. */
  async doing(work, said) {
    if (this.busy) return;
    this.busy = true;
    this.decided = this.match.id;
    try {
      await work();
      this.draft = null;
      this.adding = false;
      this.tools.say(said, { label: "Undo", run: () => this.undo() });
    } catch (problem) {
      this.tools.fail(problem);
    } finally {
      this.busy = false;
      this.review = null;
      await this.load();
    }
  }

  /** Take the newest correction of the match back that was decided last. */
  async undo() {
    try {
      const id = this.decided ?? this.match?.id;
      if (!id) return;
      const match = await api.match(id);
      const newest = match.corrections.findLast((one) => one.holds)?.id ?? null;
      if (newest === null && match.game !== "cricket") return this.tools.say("There is no correction to undo.");
      await api.undo(id, match.seq, umpire(), newest ?? undefined);
      this.tools.say("Undone.");
    } catch (problem) {
      this.tools.fail(problem);
    }
  }

  // Showing

  paint() {
    const { review, match, draft } = this;
    const read = review.actions.map((action) => this.label(action)).join(", ") || "nothing";
    const sure = review.confidence === null ? "" : `, ${Math.round(review.confidence * 100)} % sure`;
    const said = doubts(review.codes);
    put(this.parts.ask,
      h("p.quiet", {}, h("a", { href: `/match/${match.id}` }, match.sides.join(" – ")), `, ${gameOf(match.game).name}, ${clock(review.t_ms)}: ${STATES[review.state] ?? review.state}`),
      h("h1", {}, `Read as ${read}`), review.actions.length === 1 && this.game.told && h("p", {}, this.game.told(review.actions[0])), h("p.quiet.why", {}, `${said.charAt(0).toUpperCase()}${said.slice(1)}${sure}`),
      review.state === "held" ? h("p.note", {}, icon("eye"), "Something before it has to be decided first.")
        : draft ? drafted({ match, game: this.game, draft, instead: this.adding ? `after ${read}` : `instead of ${read}` }, { propose: (one) => this.propose(one), drop: () => this.drop(), save: () => this.save() })
          : this.answers(read),
      h("div.acts.turns", {}, h("button", { "data-key": "back", disabled: this.at === 0, onclick: () => this.go(this.at - 1) }, icon("back"), "Earlier"),
        h("button", { "data-key": "next", disabled: this.at >= this.queue.length - 1, onclick: () => this.go(this.at + 1) }, "Later", icon("next"))),
      h("p.quiet.keysonly", {}, "Keys: space it is right, 1 … 8 it was that, d it was nothing, m one is missing, ← → the clip, n b others, ? all"));
  }

  answers(read) {
    const { review, match } = this;
    const piece = this.game.piece;
    if (this.adding) {
      return h("div.adding", {}, h("p.note", {}, icon("plus"), h("span", {}, `Say on the board what the missing ${piece} was.`)), this.typedPart(), h("div.acts", {}, h("button", { "data-key": "drop", onclick: () => this.drop() }, "Back")));
    }
    const scores = (preview) => preview.result.scores.join(" : ");
    const choices = review.alternatives.filter((one) => this.label(one.action) !== read).slice(0, 8).map((one, i) =>
      h(`button.choice${one.preview.result.conflict ? ".bad" : ""}`, { "data-key": `choice-${one.notation}`, "data-choice": this.label(one.action), onclick: () => this.decide("correct", [one.action]), "aria-label": `It was ${this.label(one.action)}: ${scores(one.preview)}` },
        h(`b${this.label(one.action).length > 6 ? ".long" : ""}`, {}, this.label(one.action)), h("small", {}, one.preview.result.conflict ? "conflict later" : scores(one.preview)), h("kbd.keysonly", {}, String(i + 1))));
    return [
      h("div.choices", {}, h("button.choice.right", { "data-key": "accept", onclick: () => this.decide("accept") }, icon("check"), h("small", {}, `${read} is right`)), choices),
      this.body ? this.typedPart() : h("a.button", { href: `/match/${match.id}` }, "Something else: in the match"),
      h("div.acts.two", {}, h("button", { "data-key": "strike", onclick: () => this.decide("strike") }, "It was nothing"), this.body && review.actions.length > 0 && h("button", { "data-key": "add", onclick: () => this.add() }, `A ${piece} is missing after it`))];
  }

  typedPart() {
    if (!this.game.read) return null;
    const typed = (event) => {
      event.preventDefault();
      const field = event.target.elements.typed;
      const segment = this.game.read(field.value);
      field.setCustomValidity(segment ? "" : "Type a segment: t20, d16, 5, sb, db or m");
      if (segment) this.propose(segment);
      else field.reportValidity();
    };
    return h("form.typed", { onsubmit: typed }, h("label", {}, h("span", {}, "Type it"), h("input", { name: "typed", "data-key": "typed", placeholder: "t20", size: 6, maxlength: 8, autocomplete: "off", autocapitalize: "off", spellcheck: "false", oninput: (event) => event.target.setCustomValidity("") })), h("button", { "data-key": "look" }, "Look"));
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape" && (this.draft || this.adding)) return this.drop();
    if (event.target.closest("input, select, dialog")) return;
    const open = !this.draft && !this.adding;
    const choice = open && /^[1-8]$/.test(event.key) && this.parts.ask.querySelectorAll(".choice:not(.right)")[Number(event.key) - 1];
    const onButton = event.target.closest("button, [role=button], a");
    const acts = {
      " ": open && !onButton && (() => this.decide("accept")), d: open && (() => this.decide("strike")), m: open && this.body && (() => this.add()),
      ArrowLeft: () => this.viewer.step(-1), ArrowRight: () => this.viewer.step(1), p: () => this.viewer.play(),
      n: () => this.at < this.queue.length - 1 && this.go(this.at + 1), b: () => this.go(this.at - 1), u: () => this.undo(), "?": showHelp,
      e: () => (this.parts.ask.querySelector("[name=typed]") ?? this.parts.board.querySelector("[tabindex='0'], button"))?.focus(),
    };
    const act = choice ? () => choice.click() : acts[event.key];
    if (!act || (event.key.startsWith("Arrow") && event.target.closest("[data-key=grip]"))) return;
    event.preventDefault();
    act();
  }
}

const clock = (t_ms) => `${Math.floor(t_ms / 60000)}:${String(Math.floor(t_ms / 1000) % 60).padStart(2, "0")}`;
