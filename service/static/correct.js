// Putting one entry right: likely alternatives with the score that each would give, any segment by the board or keys.

import { api } from "./api.js";
import { h, icon, mark, photo, put } from "./dom.js";
import { doubts } from "./doubts.js";
import { drafted, stumbles } from "./draft.js";
import { umpire } from "./words.js";

const PIECES = ["throw", "shot"]; // what the board shows; the rest are words
const QUIET_MS = 350; // a second tap of a double tap lands on what has just opened: it is not meant

export class Correction {
  constructor(page) {
    Object.assign(this, { page, step: null, choices: [], draft: null, stop: () => {}, asked: 0 });
    this.sheet = page.parts.sheet;
  }

  /** Show the sheet for a step of the history. */
  async open(step) {
    const begun = this.step === null;
    if (this.step?.id !== step.id) put(this.sheet); // a reason was given for one of them
    Object.assign(this, { step, choices: [], draft: null, adding: null, opened: performance.now() });
    this.chooseOnBoard();
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
    const { body, game } = this.page;
    this.stop();
    this.stop = () => {};
    if (!body.face) return;
    body.face.widen(true);
    const place = this.step.action.segment && !this.adding ? game.place?.(this.step) : null;
    this.stop = body.face.choose({ over: () => {}, chosen: (segment) => this.propose(segment), fresh: this.adding }, place);
  }

  /** Preview any segment; it is saved by the button that then appears. */
  async propose(segment) {
    if (performance.now() - this.opened < QUIET_MS) return;
    const action = this.page.game.amended(this.step.action, segment);
    const name = typeof segment === "string" ? segment : this.page.label({ action });
    if (this.adding) return this.show(this.insert({ ...action, side: this.adding.side }), name);
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

  /** What the service offers where the score would stop: seen before it is saved, as everything. */
  instead({ entry, result }) {
    const name = entry.action ? this.page.label({ action: entry.action }) : "nothing";
    this.draft = { entry: { ...entry, by: umpire(), reason: this.reason() }, name, preview: { result } };
    this.page.paintScores(this.draft.preview);
    this.paint();
    this.sheet.querySelector("[data-key=save]")?.focus();
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

  /** From now on what is chosen on the board is one that nobody saw, after this one, by whoever was on turn then. */
  async add() {
    try {
      const { steps } = await api.steps(this.page.id);
      if (!this.step) return;
      this.adding = { side: steps.find((one) => one.id === this.step.id)?.result.turn ?? this.step.side };
    } catch (problem) {
      return this.page.tools.fail(problem);
    }
    this.chooseOnBoard();
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
    return stumbles(this.page.match, preview);
  }

  async save(entry, name) {
    const { page } = this;
    const before = this.adding ? "added" : page.label(this.step);
    entry.reason = this.reason();
    try {
      const match = await page.fresh(api.append(page.id, page.match.seq, entry));
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
      page.take(await page.fresh(api.decide(page.id, step.id, "confirmed", umpire())));
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
      this.more(kept, unfolded));
    mark(this.sheet, "drafting", this.draft);
  }

  known() {
    const { seen, decision, correction, by } = this.step;
    const parts = [
      correction && `corrected by ${correction.by.replace("umpire:", "umpire ")}: ${correction.reason}`,
      !correction && (by === "camera" ? `read by the camera${seen?.confidence ? `, ${Math.round(seen.confidence * 100)} % sure` : ""}` : `entered by ${by.replace("umpire:", "umpire ")}`),
      decision ? `confirmed by ${decision.by.replace("umpire:", "umpire ")}` : doubts(seen?.review ?? []),
    ];
    return h("p.known", {}, parts.filter(Boolean).join(" · "));
  }

  /** What the camera saw around the tip: before and after, to be compared with the eyes. */
  pictures() {
    const all = this.step.seen?.pictures ?? {};
    const kept = ["before", "after"].map((word) => [word, all[word] ?? all[`${word}_whole`], !all[word]]).filter(([, name]) => name);
    const shown = kept.map(([word, name, whole]) => {
      const source = `/api/v1/media/${name}`;
      const picture = photo(source, `The board ${word} this ${this.page.game.piece}`);
      return h(whole ? "figure.whole" : "figure", {}, h("button.photo", { "data-key": `photo-${word}`, onclick: () => enlarge(source, word, this.page.game.piece), "aria-label": `Enlarge the picture ${word} it` }, picture), h("figcaption", {}, word));
    });
    return kept.length > 0 && h("div.pictures", {}, shown);
  }

  choicesPart() {
    if (this.adding) return h("p.hint", {}, `Say on the board${this.page.game.read ? ", or type," : ""} what the missing ${this.page.game.piece} was that came after ${this.page.label(this.step)}.`);
    const asks = this.page.game.doubtful(this.step);
    const offered = this.choices.filter((_, i, all) => !asks || all.length < 8 || i !== all.length - 2); // MISS stays
    const buttons = offered.map((choice) =>
      h(`button.choice${this.stumbles(choice.preview) ? ".bad" : ""}`, { "data-key": `choice-${choice.notation}`, "data-choice": this.name(choice), onclick: () => this.take(choice), "aria-label": `It was ${this.name(choice)}: ${choice.preview.result.scores.join(" to ")}` },
        h(`b${this.name(choice).length > 6 ? ".long" : ""}`, {}, this.name(choice)), h("small", {}, this.stumbles(choice.preview) ? "conflict later" : choice.preview.result.scores.join(" : "))));
    const right = asks && h("button.choice.right", { "data-key": "accept", onclick: () => performance.now() - this.opened > QUIET_MS && this.accept() }, icon("check"), h("small", {}, `${this.page.label(this.step)} is right`));
    const face = this.page.body.face && PIECES.includes(this.step.action.kind) && h("p.hint", {}, this.page.game.hint ?? "Or press on the board and slide to the segment.");
    return [h("div.choices", {}, right, buttons), face];
  }

  draftPart() {
    const { draft, page } = this;
    const instead = `${this.adding ? "after" : "instead of"} ${page.label(this.step)}`;
    return drafted({ match: page.match, game: page.game, draft, instead }, { propose: (one) => this.propose(one), drop: () => this.drop(), save: () => this.save(draft.entry, draft.name), take: (one) => this.instead(one) });
  }

  more(kept, unfolded) {
    const reason = h("input", { name: "reason", value: kept ?? "seen at the board", maxlength: 120, autocomplete: "off" });
    const who = h("input", { name: "umpire", value: localStorage.umpire ?? "Home", maxlength: 40, autocomplete: "off", onchange: (event) => (localStorage.umpire = event.target.value) });
    return [
      this.page.game.read && h("form.typed", { onsubmit: (event) => this.typed(event) }, h("label", {}, h("span", {}, "Type it"), h("input", { name: "typed", placeholder: "t20", size: 6, maxlength: 8, autocomplete: "off", autocapitalize: "off", spellcheck: "false", oninput: (event) => event.target.setCustomValidity("") })), h("button", {}, "Look")),
      h("details.reason", { open: unfolded }, h("summary", {}, "Reason, umpire, more"),
        h("label", {}, "Reason", reason), h("label", {}, "Umpire", who),
        h("div.acts", {}, h("button", { onclick: () => this.add() }, `A ${this.page.game.piece} is missing after it`), h("button", { onclick: () => this.show({ entry: "strike", target: this.step.id, by: umpire(), reason: this.reason() }, "nothing") }, `It was no ${this.page.game.piece}`))),
    ];
  }
}

function enlarge(source, word, piece) {
  const close = () => dialog.close();
  const dialog = h("dialog.card.large", { "aria-label": `The picture ${word} this ${piece}`, onclick: close, onclose: () => dialog.remove() },
    photo(source, `The board ${word} this ${piece}`), h("button.main", { onclick: close }, "Close"));
  document.body.append(dialog);
  dialog.showModal();
}
