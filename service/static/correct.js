// Putting one entry right: likely alternatives with the score that each would give, any segment by the board or keys.

import { api } from "./api.js";
import { h, icon, mark, put } from "./dom.js";
import { refusal, umpire } from "./match.js";

const QUIET_MS = 350; // a second tap of a double tap lands on what has just opened: it is not meant

const DOUBTS = {
  ON_A_WIRE: "the tip is on a wire", TIP_UNSURE: "the tip is not seen clearly", TIP_HIDDEN: "the tip is hidden",
  MAYBE_NO_DART: "it may be no dart", LEAN_ODD: "it leans oddly", NO_TIP_FOUND: "it could not be read",
  SEVERAL_AT_ONCE: "two darts came at once", MAYBE_ANOTHER_DART: "there may be another dart",
  FILLED_WITH_MISS: "no dart was seen", UNEXPLAINED_CHANGE: "something else changed too",
};

export class Correction {
  constructor(page) {
    Object.assign(this, { page, step: null, choices: [], draft: null, stop: () => {}, asked: 0 });
    this.sheet = page.parts.sheet;
  }

  /** Show the sheet for a step of the history. */
  async open(step) {
    const begun = this.step === null;
    Object.assign(this, { step, choices: [], draft: null, adding: false, opened: performance.now() });
    if (begun) this.chooseOnBoard();
    this.paint();
    this.sheet.hidden = false;
    document.body.classList.add("correcting");
    this.sheet.focus({ preventScroll: true });
    if (begun) scrollTo({ top: 0 });
    await this.suggest();
  }

  async suggest() {
    const asked = (this.asked += 1);
    try {
      const { alternatives } = await api.alternatives(this.page.id, this.step.id);
      if (asked !== this.asked || !this.step) return;
      this.choices = alternatives;
      this.paint();
    } catch (problem) {
      this.page.tools.fail(problem);
    }
  }

  close() {
    if (!this.step) return;
    const key = `step-${this.step.id}`;
    this.step = null;
    this.asked += 1;
    this.stop();
    this.page.body?.face?.widen(false);
    this.sheet.hidden = true;
    document.body.classList.remove("correcting");
    this.page.paintScores();
    this.page.shut();
    document.querySelector(`[data-key="${key}"]`)?.focus({ preventScroll: true });
  }

  /** After a change from elsewhere: the step may be another, or gone. */
  refresh() {
    if (!this.step) return;
    const now = this.page.match.history.find((one) => one.id === this.step.id);
    if (!now) return this.close();
    const same = JSON.stringify(now) === JSON.stringify(this.step) && this.seq === this.page.match.seq;
    this.seq = this.page.match.seq;
    this.step = now;
    if (!same && this.choices.length) this.suggest();
    if (this.draft) this.page.paintScores(this.draft.preview);
  }

  chooseOnBoard() {
    const { face } = this.page.body;
    if (!face) return;
    face.widen(true);
    const end = face.choose({ over: (segment) => this.page.hint(segment), chosen: (segment) => this.propose(segment) });
    this.stop = () => {
      end();
      this.page.hint(null);
    };
  }

  /** Preview any segment; it is saved by the button that then appears. */
  async propose(segment) {
    if (performance.now() - this.opened < QUIET_MS) return;
    const action = this.page.game.amended(this.step.action, segment);
    const name = typeof segment === "string" ? segment : this.page.label({ action });
    if (this.adding) return this.show(this.insert(action), name);
    if (name === this.page.label(this.step)) return this.drop();
    return this.show(this.amend(action), name);
  }

  async show(entry, name) {
    try {
      const { previews } = await api.preview(this.page.id, [entry]);
      if (!this.step) return;
      this.draft = { entry, name, preview: previews[0] };
      this.page.paintScores(previews[0]);
      this.paint();
      this.sheet.querySelector("[data-key=save]")?.focus();
    } catch (problem) {
      this.page.tools.fail(problem);
    }
  }

  drop() {
    this.draft = null;
    this.page.paintScores();
    this.paint();
  }

  amend(action) {
    return { entry: "amend", target: this.step.id, action, by: umpire(), reason: this.reason() };
  }

  insert(action) {
    return { entry: "insert", after: this.step.id, action, by: umpire(), reason: this.reason() };
  }

  /** From now on a chosen segment is a dart that nobody saw, after this one. */
  add() {
    this.adding = true;
    this.drop();
  }

  reason() {
    return this.sheet.querySelector("[name=reason]")?.value.trim() || "seen at the board";
  }

  /** A likely alternative: its score stands on the button, so one tap saves it, unless the rules would stumble later. */
  take(choice) {
    if (performance.now() - this.opened < QUIET_MS) return;
    const entry = this.amend(choice.action);
    if (this.stumbles(choice.preview)) return this.show(entry, this.name(choice));
    this.save(entry, this.name(choice));
  }

  name(choice) {
    return this.page.game.label?.(choice.action) ?? choice.notation;
  }

  stumbles(preview) {
    const { conflict } = preview.result;
    return conflict && conflict.id !== this.page.match.result.conflict?.id;
  }

  async save(entry, name) {
    const { page } = this;
    const before = this.adding ? "added" : page.label(this.step);
    entry.reason = this.reason();
    try {
      const match = await api.append(page.id, page.match.seq, entry);
      const number = match.seq;
      this.close();
      page.take(match);
      page.tools.say(`${before} → ${name}. ${page.sum()}`, { label: "Undo", run: () => page.undo(number) });
    } catch (problem) {
      page.tools.fail(problem);
      if (problem.status === 409) page.first();
    }
  }

  /** It is right as it stands. */
  async accept() {
    const { page, step } = this;
    if (!page.game.doubtful(step)) return this.close();
    try {
      page.take(await api.decide(page.id, step.id, "confirmed", umpire()));
      const next = page.doubts()[0];
      if (next) page.open(next.id);
      else this.close();
    } catch (problem) {
      page.tools.fail(problem);
    }
  }

  /** Begin to type what it was. */
  typing() {
    this.sheet.querySelector("[name=typed]")?.focus();
  }

  typed(event) {
    event.preventDefault();
    const field = event.target.elements.typed;
    const segment = this.page.game.read(field.value);
    field.setCustomValidity(segment ? "" : "Type a segment: t20, d16, 5, sb, db or m");
    if (segment) this.propose(segment);
    else field.reportValidity();
  }

  paint() {
    const { step, page } = this;
    const kept = this.sheet.querySelector("[name=reason]")?.value;
    const unfolded = this.sheet.querySelector("details.reason")?.open; // news must not fold what somebody has just unfolded
    const at = page.match.history.filter((one) => one.turn === step.turn && one.action.kind === step.action.kind).findIndex((one) => one.id === step.id);
    put(this.sheet,
      h("div.sheethead", {}, h("h2", {}, page.label(step)), h("span.quiet", {}, `${step.side === null ? "" : page.match.sides[step.side] + ", "}turn ${step.turn}, ${page.game.piece} ${at + 1}`), h("span.grow"),
        h("button.plain", { "data-key": "close", onclick: () => this.close(), "aria-label": "Close" }, icon("cross"))),
      this.known(),
      this.pictures(),
      this.draft ? this.draftPart() : this.choicesPart(),
      page.game.read && this.more(kept, unfolded));
    mark(this.sheet, "drafting", this.draft);
  }

  known() {
    const { seen, decision, correction, by } = this.step;
    const doubts = (seen?.review ?? []).map(({ code }) => DOUBTS[code] ?? code.toLowerCase().replaceAll("_", " "));
    const parts = [
      correction && `corrected by ${correction.by.replace("umpire:", "umpire ")}: ${correction.reason}`,
      !correction && (by === "camera" ? `read by the camera${seen?.confidence ? `, ${Math.round(seen.confidence * 100)} % sure` : ""}` : `entered by ${by.replace("umpire:", "umpire ")}`),
      decision ? `confirmed by ${decision.by.replace("umpire:", "umpire ")}` : doubts.join(", "),
    ];
    return h("p.known", {}, parts.filter(Boolean).join(" · "));
  }

  /** What the camera saw around the tip: before and after, to be compared with the eyes. */
  pictures() {
    const kept = Object.entries(this.step.seen?.pictures ?? {});
    const shown = kept.map(([word, name]) => {
      const source = `/api/v1/media/${name}`;
      const picture = h("img", { src: source, alt: `The board ${word} this dart`, width: 220, height: 220 });
      return h("figure", {}, h("button.photo", { "data-key": `photo-${word}`, onclick: () => enlarge(source, word), "aria-label": `Enlarge the picture ${word} this dart` }, picture), h("figcaption", {}, word));
    });
    return kept.length > 0 && h("div.pictures", {}, shown);
  }

  choicesPart() {
    if (this.adding) return h("p.hint", {}, `Press on the board, or type it: the dart that is missing after ${this.page.label(this.step)}.`);
    const asks = this.page.game.doubtful(this.step);
    const offered = this.choices.filter((_, i, all) => !asks || all.length < 8 || i !== all.length - 2); // MISS stays
    const buttons = offered.map((choice) =>
      h(`button.choice${this.stumbles(choice.preview) ? ".bad" : ""}`, { "data-key": `choice-${choice.notation}`, "data-choice": this.name(choice), onclick: () => this.take(choice), "aria-label": `It was ${this.name(choice)}: ${choice.preview.result.scores.join(" to ")}` },
        h(`b${this.name(choice).length > 6 ? ".long" : ""}`, {}, this.name(choice)), h("small", {}, this.stumbles(choice.preview) ? "conflict later" : choice.preview.result.scores.join(" : "))));
    const right = asks && h("button.choice.right", { "data-key": "accept", onclick: () => performance.now() - this.opened > QUIET_MS && this.accept() }, icon("check"), h("small", {}, `${this.page.label(this.step)} is right`));
    const face = this.page.body.face && h("p.hint", {}, this.page.game.hint ?? "Or press on the board and slide to the segment.");
    return [h("div.choices", {}, right, buttons), face];
  }

  draftPart() {
    const { draft, page } = this;
    const { result } = draft.preview;
    const now = page.match.result;
    const changes = page.match.sides.map((side, i) => h(`div.change.side-${i}`, {}, h("span", {}, side), now.scores[i] === result.scores[i] ? h("b", {}, String(now.scores[i])) : h("b", {}, h("s", {}, String(now.scores[i])), " → ", String(result.scores[i]))));
    const rings = (page.game.rings?.(draft.name) ?? []).map((one) => h(`button.ring${one === draft.name ? ".on" : ""}`, { "data-key": `ring-${one}`, onclick: () => this.propose(one), "aria-pressed": String(one === draft.name) }, one));
    const stumble = this.stumbles(draft.preview);
    return h("div.draft", {},
      h("div.drafthead", {}, h("b.big", {}, draft.name), h("span.quiet", {}, `${this.adding ? "after" : "instead of"} ${page.label(this.step)}`), h("span.grow"), rings),
      h("div.changes", {}, changes),
      now.winner !== result.winner && h("p.note.bad", {}, icon("cross"), h("span", {}, winner(result.winner, page.match.sides))),
      stumble && h("p.note.bad", { role: "alert" }, icon("cross"), h("span", {}, `The score would stop at entry ${result.conflict.id}: ${refusal(result.conflict.reason)}. That entry then needs a look too.`)),
      h("div.acts", {}, h("button", { "data-key": "drop", onclick: () => this.drop() }, "Back"), h("button.main", { "data-key": "save", onclick: () => this.save(draft.entry, draft.name) }, stumble ? "Save all the same" : `Save ${draft.name}`)));
  }

  more(kept, unfolded) {
    const reason = h("input", { name: "reason", value: kept ?? "seen at the board", maxlength: 120, autocomplete: "off" });
    const who = h("input", { name: "umpire", value: localStorage.umpire ?? "Home", maxlength: 40, autocomplete: "off", onchange: (event) => (localStorage.umpire = event.target.value) });
    return [
      h("form.typed", { onsubmit: (event) => this.typed(event) }, h("label", {}, h("span", {}, "Type it"), h("input", { name: "typed", placeholder: "t20", size: 6, maxlength: 8, autocomplete: "off", autocapitalize: "off", spellcheck: "false", oninput: (event) => event.target.setCustomValidity("") })), h("button", {}, "Look")),
      h("details.reason", { open: unfolded }, h("summary", {}, "Reason, umpire, more"),
        h("label", {}, "Reason", reason), h("label", {}, "Umpire", who),
        h("div.acts", {}, h("button", { onclick: () => this.add() }, `A ${this.page.game.piece} is missing after it`), h("button", { onclick: () => this.show({ entry: "strike", target: this.step.id, by: umpire(), reason: this.reason() }, "nothing") }, `It was no ${this.page.game.piece}`))),
    ];
  }
}

function enlarge(source, word) {
  const close = () => dialog.close();
  const dialog = h("dialog.card.large", { "aria-label": `The picture ${word} this dart`, onclick: close, onclose: () => dialog.remove() },
    h("img", { src: source, alt: `The board ${word} this dart`, width: 440, height: 440 }), h("button.main", { onclick: close }, "Close"));
  document.body.append(dialog);
  dialog.showModal();
}

function winner(who, sides) {
  if (who === "draw") return "The match would be a draw.";
  return who === null ? "The match would not be over." : `${sides[who]} would win.`;
}
