// What corrections teach: what of it is kept and for how long, every example with its picture, and where a wrong one is put right.

import { api } from "./api.js";
import { doubts } from "./doubts.js";
import { h, icon, photo, put } from "./dom.js";
import { gameOf } from "./games.js";
import { inWords, labelWord } from "./readings.js";

const PART = 24; // so many examples at once: pictures take time over a network
const KEPT = {
  nothing: ["Nothing is kept for learning", "What people put right stays in its match and goes nowhere else."],
  corrected: ["Corrections are kept for learning", "Whatever the camera had wrong and a person put right is an example."],
  reviewed: ["All that people look at is kept for learning", "Whatever a person corrected or confirmed is an example."],
};
const SURE = [["", "however sure"], ["0-0.5", "less than 50 % sure"], ["0.5-0.8", "50 to 80 % sure"], ["0.8-0.95", "80 to 95 % sure"], ["0.95-", "at least 95 % sure"]];
const SAID = { accept: "confirmed", correct: "put right", strike: "struck" };

/** Show them until the returned function is called. */
export function showLabels(page, tools) {
  const view = new LabelsPage(page, tools);
  return () => (view.ended = true);
}

class LabelsPage {
  constructor(page, tools) {
    Object.assign(this, { tools, wanted: { game: "", label: "", error: "", sure: "" }, last: 0, words: [] });
    document.title = "What corrections teach · tallycam";
    this.parts = { consent: h("section.card.consent"), filters: h("form.filters", { "aria-label": "Which examples", onsubmit: (event) => event.preventDefault() }), told: h("p.quiet", { role: "status" }), list: h("ul.examples"), foot: h("div.acts") };
    put(page, h("header.bar", {}, h("a.plain", { href: "/boards", "aria-label": "All boards" }, icon("back")), h("span.title", {}, "What corrections teach"), h("span.grow"), h("button.plain", { "data-act": "theme", "aria-label": "Light or dark" }, icon("sun"))),
      h("main.learning", { id: "main" }, h("div", {}, this.parts.consent), h("section", {}, h("h1", {}, "Examples"), this.parts.filters, this.parts.told, this.parts.list, this.parts.foot)));
    this.load();
  }

  async load(more = false) {
    const { parts, wanted } = this;
    const turn = (this.turn = (this.turn ?? 0) + 1);
    try {
      const [above, below] = wanted.sure.split("-");
      const found = await api.labels({ game: wanted.game, label: wanted.label, error: wanted.error, above, below, after: more ? this.last : "", limit: PART });
      if (turn !== this.turn || this.ended) return;
      if (!wanted.label) this.words = Object.keys(found.counts.by_label);
      this.paint(found);
      const rows = found.labels.map(example);
      if (more) parts.list.append(...rows);
      else put(parts.list, rows);
      this.last = found.labels.at(-1)?.id ?? this.last;
      put(parts.foot, found.more && h("button", { "data-key": "more", onclick: () => this.load(true) }, "More"));
    } catch (problem) {
      this.tools.fail(problem);
    }
  }

  /** What is kept, which examples are asked for, how many there are. */
  paint({ keep, days, counts }) {
    const { parts, wanted } = this;
    const [head, told] = KEPT[keep];
    const off = keep === "nothing";
    put(parts.consent, h("h2", {}, head), h("p", {}, told), !off && h("p", {}, `Each is one for ${days} days, and its pictures stay so long. They are whole pictures of your board: who stood before it is in them.`),
      h("p", {}, "Examples stay on this machine. Nothing sends them anywhere."),
      h("p.quiet", {}, off ? "To keep some, write into the settings file" : "To end this, also for what is kept already, write into the settings file"),
      h("pre", { tabindex: 0 }, off ? '[labels]\nkeep = "corrected"   # or "reviewed"\ndays = 180' : '[labels]\nkeep = "nothing"'),
      h("a", { href: "/shadow" }, "Networks, and candidates beside them"));
    parts.filters.hidden = off;
    parts.told.hidden = off;
    const choice = (key, name, options) => h("label.field", {}, h("span", {}, name), h("select", { name: key, "data-key": `filter-${key}`, onchange: (event) => this.filter(key, event.target.value) },
      options.map(([value, word]) => h("option", { value, selected: wanted[key] === value }, word))));
    put(parts.filters, choice("game", "Game", [["", "any game"], ...["cricket", "finn", "astrolabe"].map((game) => [game, gameOf(game).name])]),
      choice("label", "What it was", [["", "anything"], ...this.words.map((word) => [word, labelWord(word)])]),
      choice("error", "Right or wrong", [["", "either"], ["true", "the camera had it wrong"], ["false", "the camera had it right"]]), choice("sure", "How sure it was", SURE));
    const { train, val } = counts.matches;
    parts.told.textContent = counts.examples ? `${counts.examples} ${counts.examples > 1 ? "examples" : "example"}, ${counts.errors} the camera had wrong, of ${train + val} ${train + val > 1 ? "matches" : "match"}${val ? `; ${val} of them to judge by` : ""}` : "No example is like this.";
  }

  filter(key, value) {
    this.wanted[key] = value;
    if (key === "game") this.wanted.label = "";
    this.load();
  }
}

function example(one) {
  const name = one.pictures.after ?? one.pictures.after_whole ?? one.pictures.before ?? one.pictures.before_whole;
  const [said, truth] = [inWords(one.game, one.said), inWords(one.game, one.truth)];
  const sure = one.confidence === null ? "" : `${Math.round(one.confidence * 100)} % sure`;
  return h("li.card.example", { "data-key": one.id }, h("div.sight", {}, name ? photo(api.media(name), `What the camera saw: ${truth}`) : h("span.none", {}, "No picture is kept.")),
    h("div", {}, h(`p.verdict${one.error ? ".bad" : ".good"}`, {}, icon(one.error ? "cross" : "check"), h("b", {}, truth), one.error && h("s", {}, said), h("span.unseen", {}, one.error ? "the camera had it wrong" : "the camera had it right")),
      h("p.quiet", {}, [gameOf(one.game).name, sure, doubts(one.codes.map((code) => ({ code })))].filter(Boolean).join(", ")),
      h("p.quiet", {}, `${SAID[one.decision]} by ${one.by.replace(/^umpire:/, "")}, ${new Date(one.at).toLocaleDateString([], { day: "numeric", month: "short" })}${one.split === "val" ? ", to judge by" : ""}`),
      h("a.button", { href: `/match/${one.match}${one.truth && one.entries.length ? `?entry=${one.entries.at(-1)}` : ""}`, "aria-label": `Put right: ${truth}` }, icon("pen"), "Put right")));
}
