// Teaching a board its own pins or balls: pictures of known truth, one after the other, and what they come to before it is kept.

import { api } from "./api.js";
import { h, icon, mark, put } from "./dom.js";
import { sure } from "./sure.js";

const PICTURE_MS = 1500;
const EMPTY = null;
const COUNTS = [["right", "Read right"], ["asked", "Asked about"], ["silent", "Wrong without a question"]];

/** Show it until the returned function is called. */
export function showTeach(page, id, tools) {
  const view = new TeachPage(page, id, tools);
  return () => view.close();
}

class TeachPage {
  constructor(page, id, tools) {
    Object.assign(this, { id, tools, steps: [], taken: new Map(), left: new Set(), at: 0, told: null, busy: false, timer: 0, count: 0 });
    document.title = "Teach a board · tallycam";
    this.title = h("span.title", {}, "Teach it your own set");
    this.image = h("img", { alt: "What the camera sees right now" });
    this.stage = h("div.stage", {}, this.image);
    this.side = h("div.setupside");
    this.main = h("main.setup.teaching", { id: "main" }, this.stage, this.side);
    put(page, h("header.bar", {}, h("a.plain", { href: "/boards", "aria-label": "All boards" }, icon("back")), this.title, h("span.grow"), h("button.plain", { "data-act": "theme", "aria-label": "Light or dark" }, icon("sun"))), this.main);
    this.image.addEventListener("load", () => this.later());
    this.image.addEventListener("error", () => this.later());
    this.load();
  }

  close() {
    this.ended = true;
    clearTimeout(this.timer);
    this.image.removeAttribute("src");
  }

  async load() {
    try {
      this.board = await api.board(this.id);
      this.title.textContent = `Teach ${this.board.name}`;
      if (this.board.setup_version === null) return this.nothing("Set the board up first", "What is taught is a part of its setup.", h("a.button.main", { href: `/board/${this.id}/setup` }, "Set it up"));
      const [{ setup }, { steps }] = await Promise.all([api.setup(this.id, this.board.setup_version), api.teachingSteps(this.board.game)]);
      Object.assign(this, { setup, steps });
      this.look();
      this.paint();
    } catch (problem) {
      if (problem.body?.code === "NOTHING_TO_TEACH") this.nothing("There is nothing to teach", "Darts are found by what came, whatever they look like.");
      else if (problem.status === 404) this.nothing("No such board", "");
      else this.tools.fail(problem);
    }
  }

  nothing(head, told, more = null) {
    put(this.main, h("div.card.nothing", {}, h("h1", {}, head), told && h("p", {}, told), more, h("a", { href: "/boards" }, "All boards")));
  }

  // Pictures

  look() {
    if (this.ended || document.hidden || this.shown()) return this.later();
    this.image.src = `${api.picture(this.id)}?at=${(this.count += 1)}`;
  }

  later() {
    clearTimeout(this.timer);
    if (!this.ended) this.timer = setTimeout(() => this.look(), PICTURE_MS);
  }

  /** The picture that was taken and is being described; while there is one the camera's is not shown. */
  shown() {
    const taken = this.taken.get(this.at);
    return taken && !taken.said ? taken : null;
  }

  /** Keep what the camera sees now as the picture of this step. */
  async take() {
    if (this.busy) return;
    await this.doing(async () => {
      const reply = await fetch(api.picture(this.id), { cache: "no-store" });
      if (!reply.ok) throw new Error((await reply.json().catch(() => ({}))).detail ?? "There is no picture.");
      const { name } = await api.addPicture(await reply.blob());
      const { truth } = this.steps[this.at];
      this.taken.set(this.at, { name, truth: truth ?? this.noBalls(), said: truth !== null });
      this.left.delete(this.at);
      if (truth !== null) this.on();
      else this.image.src = api.media(name);
    });
  }

  async doing(work) {
    this.busy = true;
    this.paint();
    try {
      await work();
    } catch (problem) {
      this.tools.fail(problem);
    } finally {
      this.busy = false;
      this.paint();
    }
  }

  on() {
    const next = this.steps.findIndex((_, i) => !this.taken.has(i) && !this.left.has(i));
    this.at = next < 0 ? this.steps.length : next;
    this.look();
  }

  /** All slots of the combs, empty: a person says what lies in each. */
  noBalls() {
    return { slots: this.setup.positions.map(({ slots }) => Array(slots).fill(EMPTY)) };
  }

  again(step) {
    this.taken.delete(step);
    this.left.delete(step);
    Object.assign(this, { at: step, told: null });
    this.look();
    this.paint();
  }

  leave(step) {
    this.left.add(step);
    this.on();
    this.paint();
  }

  // Learning

  /** Pins are compared with the first picture; each picture of balls tells by itself. */
  lessons() {
    const pins = this.board.game === "finn";
    return [...this.taken].filter(([step, taken]) => taken.said && !(pins && step === 0))
      .map(([step, { name, truth }]) => ({ image: name, truth, check: this.steps[step].check, ...(pins ? { before: this.taken.get(0).name } : {}) }));
  }

  enough() {
    const lessons = this.lessons();
    return lessons.some((one) => one.check) && lessons.some((one) => !one.check);
  }

  learn() {
    return this.doing(async () => (this.told = await api.teach(this.id, this.lessons())));
  }

  async keep() {
    await this.doing(async () => {
      await api.saveSetup(this.id, this.told.setup);
      this.kept = true;
      this.tools.say(`${this.board.name} reads by what it was taught from the next match on.`, { label: "Undo", run: () => this.back() });
    });
  }

  /** The setup from before is kept again: a version goes back by being the newest. */
  async back() {
    await this.doing(async () => {
      await api.saveSetup(this.id, this.setup);
      this.kept = false;
      this.tools.say("The setup is as it was before.");
    });
  }

  async over() {
    if (!(await sure("Begin anew?", "The pictures that were taken are forgotten. The setup stays as it is.", "Begin anew"))) return;
    this.taken.clear();
    this.left.clear();
    Object.assign(this, { told: null, kept: false, at: 0 });
    this.look();
    this.paint();
  }

  // Showing

  paint() {
    if (this.ended) return;
    mark(this.stage, "busy", this.busy);
    put(this.side, this.told ? this.outcome() : this.guide());
  }

  guide() {
    const done = this.at >= this.steps.length;
    return [h("h1", {}, "Teach it your own set"), h("p.quiet", {}, "A few pictures of which you know what they show. Nothing is trained: some numbers of the setup are tried, and what they do is checked on pictures that were not learnt from."),
      h("ol.lessons", {}, this.steps.map((step, i) => this.lesson(step, i))),
      done && !this.enough() && h("p.note", {}, icon("eye"), "It takes at least one picture to learn from and one to check by."),
      this.busy && done && h("p.said", { role: "status" }, "The pictures are read, a minute or two …"),
      h("div.acts", {}, this.taken.size > 0 && h("button", { "data-key": "over", disabled: this.busy, onclick: () => this.over() }, "Begin anew"), h("button.main", { "data-key": "learn", disabled: this.busy || !done || !this.enough(), onclick: () => this.learn() }, "Try what helps"))];
  }

  lesson({ do: what, check }, i) {
    const taken = this.taken.get(i);
    const now = i === this.at;
    const said = what.replace(/\bside ([01])\b/g, (_, side) => `side ${Number(side) + 1}`);
    return h(`li.lesson${now ? ".now" : ""}`, { "aria-current": now ? "step" : null }, taken ? h("img", { src: api.media(taken.name), alt: `Picture ${i + 1}`, width: 96, height: 54 }) : h("span.number", { "aria-hidden": "true" }, String(i + 1)),
      h("div", {}, h("p", {}, said, check && h("small.quiet", {}, " To check by.")), this.left.has(i) && h("small.quiet", {}, "Left out."),
        now && taken && this.slots(taken),
        now && !taken && h("div.acts", {}, (i > 0 || this.board.game !== "finn") && h("button", { "data-key": "leave", disabled: this.busy, onclick: () => this.leave(i) }, "Leave it out"), h("button.main", { "data-key": "take", disabled: this.busy, onclick: () => this.take() }, "Take the picture"))),
      (taken?.said || this.left.has(i)) && h("button", { "data-key": `again-${i}`, disabled: this.busy, "aria-label": `Picture ${i + 1} again`, onclick: () => this.again(i) }, "Again"));
  }

  /** What lies in each slot of the picture that was just taken: a tap is the next that may. */
  slots(taken) {
    const rows = taken.truth.slots.map((row, position) => h("div.comb", {}, h("span.worth", {}, String(position + 1)), h("div.cells", {}, row.map((ball, slot) =>
      h(`button.cell${ball === EMPTY ? "" : `.full.side-${ball}`}`, { "data-key": `slot-${position + 1}.${slot + 1}`, "data-slot": `${position + 1}.${slot + 1}`, "aria-label": `Position ${position + 1}, slot ${slot + 1}: ${ball === EMPTY ? "empty" : `side ${ball + 1}`}`,
        onclick: () => ((row[slot] = ball === EMPTY ? 0 : ball === 0 ? 1 : EMPTY), this.paint()) })))));
    const empty = taken.truth.slots.flat().every((ball) => ball === EMPTY);
    return h("div.combs", {}, h("p.quiet", {}, "Tap what lies in each slot: once for side 1, twice for side 2."), rows,
      h("div.acts", {}, h("button", { "data-key": "retake", onclick: () => this.again(this.at) }, "Take it again"), h("button.main", { "data-key": "said", disabled: empty, onclick: () => ((taken.said = true), this.on(), this.paint()) }, "So it is")));
  }

  outcome() {
    const { told } = this;
    const table = (name, { before, after }) => h("table.figures", {}, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, `${name}: ${before.lessons}`), h("th", { scope: "col" }, "before"), h("th", { scope: "col" }, "after"))),
      h("tbody", {}, COUNTS.map(([key, word]) => h("tr", { "data-count": key }, h("th", { scope: "row" }, word), h("td", {}, String(before[key])), h("td", {}, String(after[key]))))));
    return [h("h1", {}, told.helped ? "It helps" : "It does not help"),
      h("p", {}, told.helped ? `Chosen: ${told.changed.join(", ")}.` : "Nothing that was tried reads these pictures better, so the setup stays as it is."),
      table("To check by", told.check), table("Learnt from", told.lessons),
      this.kept && h("p.note", {}, icon("check"), "Kept: the next match on this board is read by it."),
      h("div.acts", {}, h("button", { "data-key": "over", disabled: this.busy, onclick: () => this.over() }, "Begin anew"),
        told.helped && !this.kept && h("button.main", { "data-key": "keep", disabled: this.busy, onclick: () => this.keep() }, "Keep it"),
        this.kept && h("button", { "data-key": "back", disabled: this.busy, onclick: () => this.back() }, "As it was before"))];
  }
}
