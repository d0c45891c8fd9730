// Finn Billiards as people see it: the board from the thrower's end, each pin where it stands, the last shot on it.

import { h, put, s } from "../dom.js";
import { draggable } from "../drag.js";

export const piece = "shot";
export const hint = "Or tap the pins: each tap is the next way a pin can lie. Drag one onto another: it was that one.";
export const drag = "Tap a pin: the next way it can lie. Drag it onto another pin: it was that one; over the side: off the board; toward you: short of the line.";

const FAR = 117; // cm from the thrower's end: the part of the board that is drawn
const NEAR = 51;
const WIDTH = 49;
const HOME = { 7: [95, 30], 9: [95, 24.5], 8: [95, 19], 5: [90, 32.75], 11: [90, 27.25], 12: [90, 21.75], 6: [90, 16.25], 3: [85, 30], 10: [85, 24.5], 4: [85, 19], 1: [80, 27.25], 2: [80, 21.75] };
const BACK = 105; // where pins stand that had left the board
const ZONE = [[55, 0], [80, 0], [80, 49], [55, 49]];
const WAYS = ["fallen", "leaning", "off_board", "line"];
const SIGNS = { fallen: "↓", leaning: "/", off_board: "×", line: "_" };
const SAID = { fallen: "fallen", leaning: "leaning", off_board: "off the board", line: "short of the line" };

const drawn = ([x, y]) => [WIDTH - y, FAR - x]; // y leads to the left
const round = (value) => Math.round(value * 10) / 10;

export const doubtful = (step) => Boolean(step.seen?.review?.length && !step.decision && !step.correction);

/** What is written large for a shot. */
export function label(action) {
  const pins = Object.entries(action.pins).sort(([a], [b]) => a - b);
  const placed = action.placements ?? {};
  const words = pins.map(([pin, how]) => (placed[pin] ? `${pin}→D` : pin + SIGNS[how]));
  return [...(words.length ? words : ["–"]), action.cushions ? `|${action.cushions}` : ""].filter(Boolean).join(" ");
}

/** A shot in words, for those who do not know the signs. */
export function told(action) {
  const pins = Object.entries(action.pins);
  const words = Object.keys(SAID).map((how) => [how, pins.filter(([, one]) => one === how).map(([pin]) => pin)]).filter(([, of]) => of.length);
  return words.map(([how, of]) => `${of.join(", ")} ${SAID[how]}`).join("; ") || "no pin fell";
}

/** The action with what was chosen on the board in its place. */
export const amended = (action, chosen) => ({ ...chosen, side: action.side, t_ms: action.t_ms });

/** Figures of each side: rows of a name and a value a side. */
export function figures(view, steps) {
  const shots = (side) => steps.filter((step) => step.side === side && step.action.kind === "shot");
  const of = (value) => view.sides.map((_, side) => value(shots(side)));
  const pins = (how) => (mine) => mine.reduce((sum, step) => sum + Object.values(step.action.pins).filter((one) => one === how).length, 0);
  return [
    ["Shots", of((mine) => mine.length)],
    ["Pins down", of(pins("fallen"))],
    ["Best shot", of((mine) => `+${Math.max(0, ...mine.map((step) => step.gain?.[step.side] ?? 0))}`)],
    ["Shots without a pin", of((mine) => mine.filter((step) => !Object.keys(step.action.pins).length).length)],
    ["Leaning", of(pins("leaning"))],
    ["Off the board", of(pins("off_board"))],
    ["Cushions", of((mine) => mine.reduce((sum, step) => sum + (step.action.cushions ?? 0), 0))],
    ["Put in defense", of((mine) => mine.filter((step) => step.action.placements).length)],
  ];
}

/** Builds the two parts of the page that only this game has. */
export function build(page) {
  const table = new Table(page);
  const facts = h("dl.facts");
  return {
    board: h("div.boardbox.tablebox", {}, table.root),
    extra: facts,
    face: table,
    hand: table.tools,
    update(view, ui) {
      table.show(view, ui);
      const { target = 70 } = view.config;
      const rows = view.sides.map((side, i) => [side, view.result.over ? "" : `${target - view.result.scores[i]} to go`]);
      put(facts, rows.flatMap(([side, rest], i) => [h(`dt.who.side-${i}`, {}, side), h("dd", {}, rest)]));
    },
  };
}

class Table {
  constructor(page) {
    Object.assign(this, { page, draft: null, chosen: null, defend: false });
    this.root = s("svg.table", { viewBox: `-1.5 -1.5 ${WIDTH + 3} ${FAR - NEAR + 3}`, role: "group", "aria-label": "Board with twelve pins, seen from the thrower" });
    this.tools = h("div.tools");
    this.root.addEventListener("click", (event) => this.place(event));
    draggable(this.root, (event) => (this.draft && event.target.closest("[data-pin]")?.dataset.pin) || null, {
      begin: (pin) => this.lift(pin),
      move: (pin, event) => this.carry(pin, event),
      drop: (pin, event) => this.drop(pin, this.target(pin, event)),
      end: () => this.letGo(),
    });
  }

  // Dragging

  /** Where a pointer is, in the drawing. */
  at(event) {
    const box = this.root.getBoundingClientRect();
    const scale = (WIDTH + 3) / box.width;
    return [(event.clientX - box.left) * scale - 1.5, (event.clientY - box.top) * scale - 1.5];
  }

  lift(pin) {
    this.root.classList.add("dragging");
    this.ghost = s("g.ghost", { "aria-hidden": "true" }, s("circle.body", { r: 2.6 }), s("text", { dy: "0.36em" }, pin));
    this.told = s("text.dropword", { x: WIDTH / 2, y: 4, "aria-hidden": "true" });
    this.root.append(this.ghost, this.told);
  }

  /** The pin goes with the finger; what letting go would mean stands on the board. */
  carry(pin, event) {
    const [x, y] = this.at(event);
    const target = this.target(pin, event);
    this.ghost.setAttribute("transform", `translate(${x.toFixed(2)} ${y.toFixed(2)})`);
    const words = target.other ? `it was pin ${target.other}` : target.place ? "defense here" : SAID[target.how];
    if (this.told.textContent !== words) this.told.textContent = words;
  }

  letGo() {
    this.root.classList.remove("dragging");
    this.ghost.remove();
    this.told.remove();
  }

  /** What letting a pin go here means: it was another one, how it lies, or where a defense puts it. */
  target(pin, event) {
    const [x, y] = this.at(event);
    if (y > FAR - NEAR) return { how: "line" };
    if (x < 0 || x > WIDTH || y < 0) return { how: "off_board" };
    if (this.defend && this.draft.pins[pin] === "fallen") return { place: [round(FAR - y), round(WIDTH - x)] };
    const near = ([other, place]) => {
      const [px, py] = drawn(place);
      return other !== pin && Math.hypot(px - x, py - y) < 2.6;
    };
    const found = Object.entries(this.places()).find(near);
    return found ? { other: found[0] } : { how: "fallen" };
  }

  drop(pin, { other, how, place }) {
    const { pins, placements } = this.draft;
    if (place) placements[pin] = place;
    else if (other) {
      const both = [pins[pin], pins[other]];
      for (const [one, had] of [[pin, both[1]], [other, both[0]]]) {
        if (had) pins[one] = had;
        else delete pins[one];
        delete placements[one];
      }
    } else {
      pins[pin] = how;
      delete placements[pin];
    }
    this.tell();
  }

  /** Where every pin is drawn. */
  places() {
    return { ...HOME, ...this.seen(), ...this.view.result.state.defense, ...(this.draft && this.defend ? this.draft.placements : {}) };
  }

  widen() {}

  /** Let a person say what a shot did: each tap on a pin is the next way it can lie. */
  choose({ chosen, fresh = null }) {
    const step = fresh ? null : this.page.correction.step;
    const from = step?.action ?? { pins: {} };
    this.chosen = chosen;
    this.draft = { pins: { ...from.pins }, cushions: from.cushions ?? 0, placements: { ...from.placements } };
    this.defend = Boolean(from.placements);
    this.paint();
    return () => {
      this.draft = this.chosen = null;
      this.paint();
    };
  }

  show(view, ui) {
    Object.assign(this, { view, ui });
    this.paint();
  }

  /** The shot that is shown: the one being corrected, else the last. */
  shot() {
    const { history } = this.view;
    return history.find((step) => step.id === this.ui.selected) ?? history.findLast((step) => step.counted);
  }

  /** Where the camera saw pins last, up to the shot that is shown. */
  seen() {
    const places = {};
    for (const step of this.view.history) {
      for (const [pin, { xy_cm }] of Object.entries(step.seen?.pins ?? {})) if (xy_cm) places[pin] = xy_cm;
      if (step === this.shot()) break;
    }
    return places;
  }

  /** What the draft is as an action, or null while pins of a defense have no place yet. */
  action() {
    const { pins, cushions, placements } = this.draft;
    const counted = Object.keys(pins).filter((pin) => pins[pin] === "fallen");
    const action = { kind: "shot", pins: { ...pins } };
    if (cushions) action.cushions = cushions;
    if (!this.defend) return action;
    if (!counted.length || counted.some((pin) => !placements[pin])) return null;
    return { ...action, take: "defense", placements: Object.fromEntries(counted.map((pin) => [pin, placements[pin]])) };
  }

  tap(pin) {
    const { pins, placements } = this.draft;
    const next = WAYS[WAYS.indexOf(pins[pin]) + 1];
    delete placements[pin];
    if (next) pins[pin] = next;
    else delete pins[pin];
    this.tell();
  }

  tell() {
    this.paint();
    const action = this.action();
    if (action && this.page.correction.step) this.chosen(action);
  }

  /** Where a defense puts the next fallen pin. */
  place(event) {
    if (!this.draft || !this.defend || event.target.closest("[data-pin]")) return;
    const pin = this.open();
    if (!pin) return;
    const [x, y] = this.at(event);
    this.draft.placements[pin] = [round(FAR - y), round(WIDTH - x)];
    this.tell();
  }

  /** The first fallen pin that has no place in defense yet. */
  open() {
    const { pins, placements } = this.draft;
    return Object.keys(pins).find((pin) => pins[pin] === "fallen" && !placements[pin]);
  }

  paint() {
    if (!this.view) return;
    const zone = (this.view.config.defense_zone_cm ?? ZONE).map((point) => drawn(point).join()).join(" ");
    const shot = this.draft ? { action: this.draft } : this.shot();
    const pins = Object.entries(this.places()).map(([pin, at]) => this.pin(pin, at, shot?.action.pins[pin], shot?.side));
    const zoneWord = s("text.zoneword", { x: WIDTH / 2, y: FAR - 67, "aria-hidden": "true" }, this.draft && this.defend && this.open() ? `tap where pin ${this.open()} goes` : "defense");
    this.root.classList.toggle("drafting", Boolean(this.draft));
    put(this.root, s("rect.wood", { x: 0, y: 0, width: WIDTH, height: FAR - NEAR, rx: 1 }), s("path.back", { d: `M0 ${FAR - BACK}H${WIDTH}` }), s(`polygon.zone${this.draft && this.defend ? ".on" : ""}`, { points: zone }), zoneWord, pins);
    this.paintTools();
  }

  pin(pin, at, how, side) {
    const [x, y] = drawn(at);
    const act = this.draft && ((event) => (event.type === "click" || event.key === "Enter" || event.key === " ") && (event.preventDefault(), this.tap(pin)));
    return s(`g.pin.side-${side ?? "x"}${how ? "." + how : ""}`, { "data-pin": pin, "data-key": `pin-${pin}`, role: act ? "button" : "img", tabindex: act ? 0 : null, "aria-label": `Pin ${pin}, ${how ? SAID[how] : "stands"}`, onclick: act, onkeydown: act },
      s("circle.reach", { cx: x, cy: y, r: 2.75 }), s("circle.body", { cx: x, cy: y, r: 2.15 }),
      s("text", { x, y, dy: "0.36em" }, pin), how && s("g.sign", {}, s("circle", { cx: x + 1.7, cy: y - 1.6, r: 1.05 }), s("text", { x: x + 1.7, y: y - 1.6, dy: "0.36em" }, SIGNS[how])));
  }

  // By hand

  paintTools() {
    const { page, tools, draft } = this;
    if (!draft) return put(tools, h("button", { "data-key": "add", onclick: () => page.choose(true) }, "Add a shot"));
    const byHand = !page.correction.step;
    const action = this.action();
    const fallen = Object.values(draft.pins).includes("fallen");
    put(tools,
      h("span.big", { role: "status" }, label(draft)),
      this.view.config.ride_the_rails && h("span.count", {}, h("button", { "data-key": "less", "aria-label": "One cushion less", onclick: () => this.cushion(-1) }, "−"), `${draft.cushions} cushions`, h("button", { "data-key": "more", "aria-label": "One cushion more", onclick: () => this.cushion(1) }, "+")),
      fallen && h("button", { "data-key": "defend", "aria-pressed": String(this.defend), onclick: () => this.turn() }, this.defend ? "Take the points" : "Put in defense"),
      !byHand && !Object.keys(draft.pins).length && h("button", { "data-key": "air", onclick: () => this.tell() }, "An air shot"),
      byHand && h("button", { "data-key": "stop", onclick: () => page.choose(false) }, "Cancel"),
      byHand && h("button.main", { "data-key": "save", disabled: !action, onclick: () => this.save(action) }, Object.keys(draft.pins).length ? "Save the shot" : "Save an air shot"));
  }

  cushion(by) {
    this.draft.cushions = Math.max(0, this.draft.cushions + by);
    this.tell();
  }

  turn() {
    this.defend = !this.defend;
    if (!this.defend) this.draft.placements = {};
    this.tell();
  }

  async save(action) {
    const { page } = this;
    const done = await page.record({ ...action, side: page.match.result.turn, t_ms: page.time() });
    if (done) page.choose(false);
  }
}
