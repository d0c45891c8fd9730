// A match told again: every state under a slider, the score as a chart, where the darts went, figures of each side.

import { api, follow } from "./api.js";
import { heatMap, scoreChart } from "./charts.js";
import { h, icon, mark, put } from "./dom.js";
import { faceOf } from "./games.js";
import { keepButton } from "./keeping.js";
import { scorePanels } from "./scores.js";
import { why } from "./words.js";

const PLAY_MS = 900;

/** Show it until the returned function is called. */
export function showStory(page, id, tools) {
  const story = new Story(page, id, tools);
  return () => story.close();
}

class Story {
  constructor(page, id, tools) {
    Object.assign(this, { id, tools, at: null, timer: 0 });
    this.parts = frame(id, this);
    put(page, this.parts.bar, this.parts.main);
    this.keys = (event) => this.key(event);
    addEventListener("keydown", this.keys);
    this.end = follow(`/matches/${encodeURIComponent(id)}/changes`, {
      snapshot: () => this.load(),
      change: () => this.load(),
      line: (up) => mark(document.body, "cut", !up),
    });
    this.load();
  }

  close() {
    this.end();
    this.pause();
    removeEventListener("keydown", this.keys);
  }

  async load() {
    try {
      const [match, { steps, seq }] = await Promise.all([api.match(this.id), api.steps(this.id)]);
      if (match.seq !== seq) return; // a change came between the two; its message loads both again
      const game = await faceOf(match.game);
      this.take(match, steps, game);
    } catch (problem) {
      if (problem.status === 404) put(this.parts.main, h("div.card.nothing", {}, h("h1", {}, "No such match"), h("a", { href: "/" }, "All matches")));
      else this.tools.fail(problem);
    }
  }

  take(match, steps, game) {
    if (!this.game) {
      this.game = game;
      this.body = this.game.build({ correction: { step: null } });
      put(this.parts.board, this.body.board);
      put(this.parts.extra, this.body.extra);
    }
    const last = this.at === null || this.at === this.steps.length - 1;
    Object.assign(this, { match, steps: steps.map((step) => ({ ...match.history.find((one) => one.id === step.id), result: step.result })) });
    this.parts.title.textContent = match.sides.join(" – ");
    document.title = `${match.sides.join(" – ")} · story · tallycam`;
    this.parts.slider.max = Math.max(0, this.steps.length - 1);
    this.paintFigures();
    this.go(last ? this.steps.length - 1 : Math.min(this.at, this.steps.length - 1));
  }

  /** Show the match as it stood after a step. */
  go(at) {
    if (!this.match) return;
    this.at = Math.max(0, Math.min(at, this.steps.length - 1));
    const { slider, said, score, playing } = this.parts;
    slider.disabled = playing.disabled = !this.steps.length;
    slider.value = String(this.at);
    const step = this.steps[this.at];
    const result = step?.result ?? this.match.result;
    const view = { ...this.match, result, history: this.match.history.filter((one) => one.counted).slice(0, this.at + 1) };
    this.body.update(view, { selected: null, choosing: false, open: () => {} });
    for (const dart of this.parts.board.querySelectorAll("[role=button]")) dart.setAttribute("role", "img");
    put(score, scorePanels({ sides: this.match.sides, result }, { look: ".brief" }));
    const text = step ? `${this.at + 1} of ${this.steps.length}, turn ${step.turn}: ${this.spoken(step)}` : "Nothing has been played yet.";
    said.textContent = text;
    slider.setAttribute("aria-valuetext", text);
    this.chart?.point(this.at);
  }

  spoken(step) {
    const word = this.game.label?.(step.action) ?? step.notation;
    const who = step.side === null ? "" : `${this.match.sides[step.side]} `;
    const { text } = why(step, this.match.sides);
    return step.action.kind === "end_turn" ? `${who}ends the turn` : `${who}${word ?? ""}${text ? `, ${text}` : ""}`;
  }

  paintFigures() {
    const { match, steps } = this;
    this.chart = scoreChart(match.sides, steps, (at) => (this.pause(), this.go(at)));
    put(this.parts.chart, this.chart.root);
    const rows = this.game.figures(match, steps);
    const head = h("tr", {}, h("th", { scope: "col" }, h("span.unseen", {}, "Figure")), match.sides.map((side, i) => h(`th.side-${i}`, { scope: "col" }, h("span.who", {}, side))));
    put(this.parts.figures, h("caption.unseen", {}, "Figures of each side"), h("thead", {}, head),
      h("tbody", {}, rows.map(([name, values]) => h("tr", {}, h("th", { scope: "row" }, name), values.map((value) => h("td", {}, String(value)))))));
    const tips = this.game.tips?.(match);
    this.parts.heatbox.hidden = !tips?.length;
    if (tips?.length) put(this.parts.heat, heatMap(tips, match.sides));
  }

  turn(by) {
    this.pause();
    this.go(this.at + by);
  }

  play() {
    if (this.timer) return this.pause();
    if (this.at >= this.steps.length - 1) this.go(0);
    this.timer = setInterval(() => (this.at < this.steps.length - 1 ? this.go(this.at + 1) : this.pause()), PLAY_MS);
    this.paintPlay();
  }

  pause() {
    clearInterval(this.timer);
    this.timer = 0;
    this.paintPlay();
  }

  paintPlay() {
    const { playing } = this.parts;
    put(playing, icon(this.timer ? "pause" : "play"));
    playing.setAttribute("aria-label", this.timer ? "Pause" : "Play");
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, button, a")) return;
    const acts = { ArrowLeft: () => this.turn(-1), ArrowRight: () => this.turn(1), " ": () => this.play(), Home: () => this.turn(-Infinity), End: () => this.turn(Infinity) };
    if (!acts[event.key]) return;
    event.preventDefault();
    acts[event.key]();
  }
}

function frame(id, story) {
  const match = `/match/${encodeURIComponent(id)}`;
  const title = h("span.title");
  const slider = h("input.slider", { type: "range", min: 0, max: 0, step: 1, value: 0, "aria-label": "Step of the match", oninput: (event) => (story.pause(), story.go(Number(event.target.value))) });
  const playing = h("button.plain", { "aria-label": "Play", onclick: () => story.play() }, icon("play"));
  const said = h("p.saidstep", { role: "status" });
  const board = h("div.face");
  const score = h("section.score", { "aria-label": "Score" });
  const [extra, chart, heat] = ["extra", "chart", "heat"].map((name) => h(`div.${name}`));
  const figures = h("table.figures");
  const heatbox = h("section", { hidden: true }, h("h2", {}, "Where the darts went"), heat);
  const views = h("nav.views", { "aria-label": "Other views" }, h("a", { href: `${match}/tv` }, "TV"), h("a", { href: `${match}/overlay` }, "Overlay for streaming"), h("a", { href: api.scoresheet(id), download: true }, "Scoresheet"),
    h("a", { href: api.exported(id, "csv"), download: true }, "Table (CSV)"), h("a", { href: api.exported(id, "json"), download: true }, "All of it (JSON)"), keepButton(id, story.tools));
  const bar = h("header.bar", {}, h("a.plain", { href: match, "aria-label": "Back to the match" }, icon("back")), title, h("span.grow"), h("button.plain", { "data-act": "theme", "aria-label": "Light or dark" }, icon("sun")));
  const main = h("main.story", { id: "main" }, score,
    h("section.middle", { "aria-label": "The match step by step" }, board,
      h("div.scrub", {}, h("button.plain", { "aria-label": "Step back", onclick: () => story.turn(-1) }, icon("back")), playing, h("button.plain", { "aria-label": "Step on", onclick: () => story.turn(1) }, icon("next")), slider), said),
    h("section.told", {}, h("section", {}, h("h2", {}, "Score"), chart), extra, h("section", {}, h("h2", {}, "Figures"), figures), heatbox, views));
  return { bar, main, title, slider, playing, said, board, score, extra, chart, figures, heat, heatbox };
}
