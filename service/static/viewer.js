// Pictures of what was seen: before, after, their difference, and the clip picture by picture.

import { api } from "./api.js";
import { h, icon, photo, put } from "./dom.js";

const AHEAD = 4; // pictures of the clip that are fetched before they are asked for

/** The pictures of one review. `root` is shown; `step` and `play` are for keys. */
export class Viewer {
  constructor(tools) {
    Object.assign(this, { tools, review: null, mode: "after", whole: false, at: 0, frames: null, timer: 0 });
    this.tabs = h("div.tabs", { role: "group", "aria-label": "Pictures" });
    this.stage = h("div.look", { onclick: (event) => this.zoom(event) });
    this.foot = h("div.scrub", { hidden: true });
    this.root = h("div.viewer", {}, this.stage, this.foot, this.tabs);
    this.picture = h("img", { alt: "" });
    this.told = h("span.quiet.at", { role: "status" });
    this.slider = h("input.slider", { type: "range", min: 0, value: 0, step: 1, "aria-label": "Picture of the clip", oninput: () => (this.pause(), this.go(Number(this.slider.value))) });
    this.playing = h("button.plain", { onclick: () => this.play() });
    put(this.foot, h("button.plain", { "data-key": "frame-back", "aria-label": "One picture back", onclick: () => this.step(-1) }, icon("back")), this.playing,
      h("button.plain", { "data-key": "frame-on", "aria-label": "One picture on", onclick: () => this.step(1) }, icon("next")), this.slider, this.told);
    this.pause();
  }

  close() {
    this.pause();
  }

  /** Show a review's pictures; the same review keeps what is shown of it. */
  show(review) {
    const same = this.review?.id === review.id;
    this.review = review;
    if (same) return;
    this.pause();
    Object.assign(this, { frames: null, at: 0, whole: !review.pictures.after && !review.pictures.before });
    if (this.mode === "clip" && !review.clip) this.mode = "after";
    this.paint();
  }

  name(word) {
    const { pictures } = this.review;
    return (this.whole ? pictures[`${word}_whole`] ?? pictures[word] : pictures[word] ?? pictures[`${word}_whole`]) ?? null;
  }

  turn(mode) {
    this.mode = mode;
    this.paint();
  }

  paint() {
    const { pictures, clip } = this.review;
    const [before, after] = [this.name("before"), this.name("after")];
    const modes = [before && ["before", "Before"], after && ["after", "After"], before && after && ["difference", "Difference"], clip && ["clip", "Clip"]].filter(Boolean);
    if (modes.length && !modes.some(([mode]) => mode === this.mode)) this.mode = modes[0][0];
    const both = (pictures.after && pictures.after_whole) || (pictures.before && pictures.before_whole);
    put(this.tabs, modes.map(([mode, word]) => h("button", { "data-key": `tab-${mode}`, "aria-pressed": String(this.mode === mode), onclick: () => this.turn(mode) }, word)),
      both && this.mode !== "clip" && h("button.turned", { "data-key": "tab-whole", "aria-pressed": String(this.whole), onclick: () => ((this.whole = !this.whole), this.paint()) }, "Whole picture"));
    this.foot.hidden = this.mode !== "clip" || !modes.length;
    this.stage.className = `look ${this.mode}`;
    this.stage.style.transform = "";
    if (!modes.length) return put(this.stage, h("p.quiet.none", {}, "No picture was kept."));
    if (this.mode === "clip") return this.open();
    this.pause();
    const shown = this.mode === "difference" ? [before, after] : [this.name(this.mode)];
    const said = this.mode === "difference" ? "What differs before and after it" : `The board ${this.mode} it`;
    put(this.stage, shown.map((name, i) => photo(api.media(name), i ? "" : said)));
  }

  /** Look closer where it is tapped, or at the whole again. */
  zoom(event) {
    const image = event.target.closest("img");
    if (!image) return;
    const box = this.stage.getBoundingClientRect();
    const near = this.stage.classList.toggle("near");
    const share = (v, from, length) => `${(100 * (v - from)) / length}%`;
    for (const one of this.stage.querySelectorAll("img")) {
      one.style.transformOrigin = near ? `${share(event.clientX, box.left, box.width)} ${share(event.clientY, box.top, box.height)}` : "";
    }
  }

  /** Show the clip at the picture where the event begins. */
  async open() {
    put(this.stage, this.picture);
    if (this.frames) return this.go(this.at);
    const { review } = this;
    this.told.textContent = "cutting the clip …";
    try {
      const frames = await api.frames(review.id);
      if (this.review.id !== review.id) return;
      this.frames = frames;
      this.slider.max = frames.times.length - 1;
      this.go(Math.max(0, frames.times.findIndex((t_ms) => t_ms >= frames.begins_ms)));
    } catch (problem) {
      this.told.textContent = problem.message;
    }
  }

  go(at) {
    if (!this.frames) return;
    const { times, begins_ms: begins } = this.frames;
    this.at = Math.max(0, Math.min(at, times.length - 1));
    this.picture.src = api.frame(this.review.id, this.at);
    this.picture.alt = `Picture ${this.at + 1} of ${times.length}`;
    this.slider.value = this.at;
    const since = (times[this.at] - begins) / 1000;
    this.told.textContent = `${since < 0 ? "−" : "+"}${Math.abs(since).toFixed(2)} s`;
    this.slider.setAttribute("aria-valuetext", `${this.picture.alt}, ${this.told.textContent}`);
    for (let next = this.at + 1; next <= Math.min(this.at + AHEAD, times.length - 1); next += 1) new Image().src = api.frame(this.review.id, next);
  }

  /** One picture on or back; without a clip, before and after in turn. */
  step(by) {
    if (!this.review) return;
    this.pause();
    if (!this.review.clip) return this.turn(this.mode === "before" ? "after" : "before");
    if (this.mode !== "clip") return this.turn("clip");
    this.go(this.at + by);
  }

  play() {
    if (this.timer) return this.pause();
    if (!this.review?.clip) return;
    if (this.mode !== "clip") this.turn("clip");
    const next = () => {
      const { times } = this.frames ?? { times: [] };
      const on = this.at < times.length - 1 ? this.at + 1 : 0;
      const wait = on ? times[on] - times[this.at] : 700;
      if (times.length && this.picture.complete) this.go(on);
      this.timer = setTimeout(next, Math.max(20, wait || 100));
    };
    this.timer = setTimeout(next, 50);
    this.paintPlay();
  }

  pause() {
    clearTimeout(this.timer);
    this.timer = 0;
    this.paintPlay();
  }

  paintPlay() {
    put(this.playing, icon(this.timer ? "pause" : "play"));
    this.playing.setAttribute("aria-label", this.timer ? "Pause" : "Play");
  }
}
