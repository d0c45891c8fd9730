// What a person should look at, one after the other: before and after, what it was read as, what else it may have been.

import { api, follow } from "./api.js";
import { h, icon, put } from "./dom.js";
import { gameOf } from "./games.js";
import { umpire } from "./match.js";

const QUIET_MS = 350; // a second tap of a double tap is not meant for what has just come up
const STATES = { waiting: "the match waits for it", held: "waits behind another one", written: "counts, marked" };

/** Show the queue until the returned function is called. */
export function showReview(page, tools) {
  const view = new ReviewPage(page, tools);
  return () => view.close();
}

class ReviewPage {
  constructor(page, tools) {
    Object.assign(this, { tools, queue: [], at: 0, review: null, shown: 0 });
    document.title = "To check · tallycam";
    this.count = h("span.title", { role: "status" }, "To check");
    this.body = h("main.review", { id: "main" });
    put(page, h("header.bar", {}, h("a.plain", { href: "/", "aria-label": "All matches" }, icon("back")), this.count), this.body);
    this.keys = (event) => this.key(event);
    addEventListener("keydown", this.keys);
    this.end = follow("/changes", { snapshot: () => this.load(), change: () => this.load(), line: (up) => document.body.classList.toggle("cut", !up) });
    this.load();
  }

  close() {
    this.end();
    removeEventListener("keydown", this.keys);
  }

  async load() {
    try {
      const { reviews } = await api.reviews();
      const current = this.queue[this.at]?.id;
      this.queue = reviews;
      const again = reviews.findIndex((one) => one.id === current);
      this.go(again < 0 ? Math.min(this.at, reviews.length - 1) : again);
    } catch (problem) {
      this.tools.fail(problem);
    }
  }

  async go(at) {
    this.at = Math.max(0, at);
    const next = this.queue[this.at];
    this.count.textContent = this.queue.length ? `To check: ${this.at + 1} of ${this.queue.length}` : "To check";
    if (!next) {
      this.review = null;
      return put(this.body, h("div.card.nothing", {}, h("h1", {}, "Nothing to check"), h("p.quiet", {}, "What the camera is unsure of comes up here by itself."), h("a", { href: "/" }, "All matches")));
    }
    try {
      const [review, match] = await Promise.all([api.review(next.id), api.match(next.match)]);
      if (this.queue[this.at]?.id !== review.id) return;
      if (this.review?.id !== review.id) this.shown = performance.now();
      Object.assign(this, { review, match });
      this.paint();
    } catch (problem) {
      if (problem.status === 404) return this.load();
      this.tools.fail(problem);
    }
  }

  label(action) {
    return gameOf(this.match.game).label?.(action) ?? action.segment ?? action.kind.replace("_", " ");
  }

  paint() {
    const { review, match } = this;
    const read = review.actions.map((action) => this.label(action)).join(", ") || "nothing";
    const codes = review.codes.map(({ code }) => code.toLowerCase().replaceAll("_", " ")).join(", ");
    const sure = review.confidence === null ? "" : `, ${Math.round(review.confidence * 100)} % sure`;
    const scores = (preview) => preview.result.scores.join(" : ");
    const choices = review.alternatives.filter((one) => this.label(one.action) !== read).slice(0, 8).map((one, i) =>
      h(`button.choice${one.preview.result.conflict ? ".bad" : ""}`, { "data-key": `choice-${one.notation}`, "data-choice": this.label(one.action), onclick: () => this.decide("correct", [one.action]), "aria-label": `It was ${this.label(one.action)}: ${scores(one.preview)}` },
        h(`b${this.label(one.action).length > 6 ? ".long" : ""}`, {}, this.label(one.action)), h("small", {}, one.preview.result.conflict ? "conflict later" : scores(one.preview)), h("kbd.keysonly", {}, String(i + 1))));
    put(this.body,
      h("section.shots", {}, this.pictures(), review.clip && h("video.clip", { src: review.clip, controls: true, loop: true, muted: true, playsinline: true })),
      h("section.card.ask", {},
        h("p.quiet", {}, h("a", { href: `/match/${match.id}` }, match.sides.join(" – ")), `, ${gameOf(match.game).name}, ${clock(review.t_ms)}: ${STATES[review.state] ?? review.state}`),
        h("h1", {}, `Read as ${read}`), h("p.quiet", {}, `${codes}${sure}`),
        review.state === "held" ? h("p.note", {}, icon("eye"), "Something before it has to be decided first.") : [
          h("div.choices", {}, h("button.choice.right", { "data-key": "accept", onclick: () => this.decide("accept") }, icon("check"), h("small", {}, `${read} is right`)), choices),
          h("div.acts", {}, h("button", { "data-key": "strike", onclick: () => this.decide("strike") }, "It was nothing"), h("a.button", { href: `/match/${match.id}` }, "Something else: in the match"))],
        h("div.acts.turns", {}, h("button", { "data-key": "back", disabled: this.at === 0, onclick: () => this.go(this.at - 1) }, icon("back"), "Before"), h("button", { "data-key": "next", disabled: this.at >= this.queue.length - 1, onclick: () => this.go(this.at + 1) }, "Later", icon("next"))),
        h("p.quiet.keysonly", {}, "Keys: space it is right, 1 … 8 it was that, d it was nothing, ← → others")));
  }

  pictures() {
    const { pictures } = this.review;
    const whole = !pictures.before && !pictures.after;
    const shown = [["before", pictures[whole ? "before_whole" : "before"]], ["after", pictures[whole ? "after_whole" : "after"]]].filter(([, name]) => name);
    if (!shown.length) return h("p.quiet", {}, "No picture was kept.");
    const figures = shown.map(([word, name]) => h("figure", {}, h("img", { src: api.media(name), alt: `The board ${word} it` }), h("figcaption", {}, word)));
    const difference = shown.length === 2 && h("figure", {}, h("div.difference", {}, shown.map(([, name]) => h("img", { src: api.media(name), alt: "" }))), h("figcaption", {}, "difference"));
    return h("div.compare", {}, figures, difference);
  }

  async decide(decision, actions = []) {
    if (!this.review || this.busy || performance.now() - this.shown < QUIET_MS) return;
    this.busy = true;
    const { review } = this;
    try {
      await api.decideReview(review.id, decision, umpire(), actions);
      this.tools.say(decision === "correct" ? `It was ${this.label(actions[0])}.` : decision === "accept" ? "Right." : "Struck.");
      await this.load();
    } catch (problem) {
      this.tools.fail(problem);
      this.load();
    } finally {
      this.busy = false;
    }
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, dialog")) return;
    const choice = /^[1-8]$/.test(event.key) && this.body.querySelectorAll(".choice:not(.right)")[Number(event.key) - 1];
    const act = choice ? () => choice.click() : { " ": () => event.target.tagName !== "BUTTON" && this.decide("accept"), d: () => this.decide("strike"), ArrowLeft: () => this.go(this.at - 1), ArrowRight: () => this.at < this.queue.length - 1 && this.go(this.at + 1) }[event.key];
    if (!act || (event.key === " " && event.target.tagName === "BUTTON")) return;
    event.preventDefault();
    act();
  }
}

const clock = (t_ms) => `${Math.floor(t_ms / 60000)}:${String(Math.floor(t_ms / 1000) % 60).padStart(2, "0")}`;
