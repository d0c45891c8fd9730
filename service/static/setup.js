// Setting a board up: what the camera sees and whether it will do, the board found or placed by hand under a loupe, what lies
// on it dragged into place, and all of it drawn over the picture as proof.

import { api } from "./api.js";
import { begin } from "./begin.js";
import { h, icon, mark, put, s } from "./dom.js";
import { planeOf } from "./plane.js";
import { sure } from "./sure.js";
import { drawTemplate, templateFields, templateHandles, withTemplate } from "./template.js";

const CORNERS = ["near left", "near right", "far right", "far left"];
const POINTS = {
  cricket: ["outer wire above 20", "outer wire at 6", "outer wire below 3", "outer wire at 11"],
  finn: ["near right corner", "far right corner", "far left corner", "near left corner"],
  astrolabe: CORNERS.map((corner) => `${corner} corner`),
};
const PLACES = { // where the handles begin: shares of width and height
  cricket: [[0.5, 0.2], [0.7, 0.5], [0.5, 0.8], [0.3, 0.5]],
  finn: [[0.8, 0.85], [0.65, 0.15], [0.35, 0.15], [0.2, 0.85]],
  astrolabe: [[0.2, 0.85], [0.8, 0.85], [0.65, 0.15], [0.35, 0.15]],
};
const LOUPE = 150;
const NEAR_PX = 12; // of the page: a tap so near to one before means that one
const ZOOM = 4;
const CHECKS = { light: "Light", glare: "Glare", focus: "Focus", size: "Size", view: "View", fit: "Fit", frame_rate: "Frame rate" };
const LEVELS = { good: ["check", "good"], fair: ["eye", "could be better"], bad: ["cross", "bad"] };

/** Show it until the returned function is called. */
export function showSetup(page, id, tools) {
  const view = new SetupPage(page, id, tools);
  return () => view.close();
}

class SetupPage {
  constructor(page, id, tools) {
    Object.assign(this, { id, tools, found: null, points: null, teaching: null, placing: false, picture: null, checked: null });
    this.parts = frame();
    put(page, this.parts.bar, this.parts.main);
    this.stage = new Stage(this.parts.stage, () => ((this.touched = true), this.moved()));
    this.load();
  }

  close() {
    this.stage.close();
  }

  async load() {
    try {
      this.board = await api.board(this.id);
    } catch (problem) {
      if (problem.status !== 404) return this.tools.fail(problem);
      return put(this.parts.main, h("div.card.nothing", {}, h("h1", {}, "No such board"), h("a", { href: "/boards" }, "All boards")));
    }
    document.title = `Set up ${this.board.name} · tallycam`;
    this.parts.title.textContent = `Set up ${this.board.name}`;
    this.stage.show(api.picture(this.id)); // looking takes seconds; what is seen is there at once
    const kept = await this.kept();
    this.paint(kept ? "As it was set up last …" : "Looking for the board …");
    await this.find(kept ? { setup: kept } : {});
  }

  /** The newest setup, so that somebody who only looks whether it still fits, or moves one line, sees it at once. */
  async kept() {
    const { setup_version: version } = this.board;
    return version === null ? null : api.setup(this.id, version).then(({ setup }) => setup, () => null);
  }

  /** Ask for a setup: of itself, or by points or a whole SETUP. */
  async find(asked, keep = false) {
    const turn = (this.asked = (this.asked ?? 0) + 1);
    mark(this.parts.stage, "busy", true);
    try {
      const found = await api.calibrate(this.id, keep ? { picture: this.picture, ...asked } : asked);
      if (turn !== this.asked) return;
      Object.assign(this, { found, picture: found.picture });
      await this.stage.show(api.media(this.drawn() ? found.picture : found.overlay));
      this.prove();
      this.paint(found.to_check.length ? null : asked.setup ? "So it was set up last. Is every line where it belongs?" : "The board is found. Is every line where it belongs?");
      this.check(turn);
    } catch (problem) {
      if (turn !== this.asked) return;
      this.found = null;
      if (problem.body?.picture) this.picture = problem.body.picture;
      await this.stage.show(this.picture ? api.media(this.picture) : api.picture(this.id));
      this.paint(problem.message);
      this.stage.draw([]);
      this.check(turn);
      if (problem.body?.picture && !this.points) this.byHand(problem.message);
    } finally {
      if (turn === this.asked) mark(this.parts.stage, "busy", false);
    }
  }

  /** Whether what lies on the board is drawn here, to be dragged, and not into the picture. */
  drawn() {
    return this.board.game !== "cricket" && this.plane() !== null;
  }

  /** The board's plane in the picture that is shown. */
  plane() {
    const setup = this.found?.setup;
    return setup && !setup.rings_mm ? planeOf(setup) : null;
  }

  /** Draw all that follows from the setup over the picture: where it lies beside the board, the setup is wrong. */
  prove() {
    const plane = this.board.game === "cricket" ? null : this.plane();
    this.stage.draw(plane ? drawTemplate(this.found.setup, plane) : []);
  }

  /** Ask whether the picture will do. */
  async check(turn) {
    if (!this.picture) return;
    try {
      const { checks } = await api.checks(this.id, this.picture, this.found?.setup ?? null);
      if (turn !== this.asked) return;
      this.checked = checks;
      this.paintChecks();
    } catch (problem) {
      this.tools.fail(problem);
    }
  }

  /** Let a person drag what lies on the table: combs and lines, gutters and zones. */
  place() {
    this.points = this.teaching = null;
    this.placing = true;
    this.found = { ...this.found, setup: withTemplate(this.found.setup) };
    this.arrange();
    this.paint();
  }

  arrange() {
    const plane = this.plane();
    const handles = templateHandles(this.found.setup);
    const points = handles.map((handle) => plane.px(handle.at()));
    this.stage.handles(points, handles.map((handle) => handle.name), {
      small: true, // there are many, and what lies under them has to show
      moving: (i, px) => {
        this.found = { ...this.found, setup: handles[i].to(plane.cm(px)) };
        this.prove();
      },
      moved: () => {
        this.touched = true;
        this.arrange(); // a handle that was dragged off its line goes back to it
        this.paint();
      },
    });
    this.prove();
  }

  /** Let a person place the points; each move is looked at as soon as the finger lifts. */
  async byHand(said = null) {
    this.teaching = null;
    this.placing = false;
    await this.stage.show(this.picture ? api.media(this.picture) : api.picture(this.id));
    const { width, height } = this.stage;
    const before = this.found ? null : await this.before();
    const known = this.found?.setup.board_px ?? before;
    this.points = known?.length === 4 ? known.map((point) => [...point]) : PLACES[this.board.game].map(([x, y]) => [x * width, y * height]);
    this.stage.handles(this.points, POINTS[this.board.game]);
    this.paint(said);
    if (before) this.moved(); // nobody has to drag what has not moved
  }

  /** Where the newest setup has the corners of a table, so that a camera that was nudged needs little dragging. */
  async before() {
    const setup = this.board.game === "cricket" ? null : await this.kept();
    const usual = setup?.board_cm?.[0].every((v) => v === 0); // the handles go round from the origin
    const factor = setup ? this.stage.width / setup.image_size[0] : 1;
    return usual ? setup.board_px.map(([x, y]) => [x * factor, y * factor]) : null;
  }

  moved() {
    if (this.points) this.find({ points_px: this.points }, true).then(() => this.points && this.stage.handles(this.points, POINTS[this.board.game]));
  }

  /** Tap balls of each side, so that their colours are known. */
  teach(side) {
    this.teaching = side;
    this.points = null;
    this.placing = false;
    this.stage.taps((at) => this.taught(at));
    this.paint();
  }

  taught(at) {
    const colours = { 0: [], 1: [], ...this.found.setup.colours };
    const near = (NEAR_PX * this.stage.width) / this.parts.stage.clientWidth;
    const left = Object.fromEntries(Object.entries(colours).map(([side, places]) => [side, places.filter(([x, y]) => Math.hypot(x - at[0], y - at[1]) > near)]));
    const before = Object.values(colours).flat().length;
    // A second tap on the same ball takes the first one back: a finger misses.
    if (Object.values(left).flat().length < before) Object.assign(colours, left);
    else colours[this.teaching] = [...colours[this.teaching], at.map((v) => Math.round(v))];
    const setup = { ...this.found.setup, colours, colours_image: this.picture };
    this.touched = true;
    this.found = { ...this.found, setup };
    this.stage.dots(colours);
    this.paint();
  }

  async again() {
    if (this.touched && !(await sure("Look again?", "What you placed or tapped since it was saved last is forgotten.", "Look again"))) return;
    this.touched = false;
    this.points = this.teaching = null;
    this.placing = false;
    this.stage.handles([], []);
    return this.find({});
  }

  async save() {
    try {
      await api.saveSetup(this.id, this.found.setup);
      this.touched = false;
      this.tools.say(`${this.board.name} is set up.`);
      this.board = await api.board(this.id);
      begin(this.board, this.tools);
    } catch (problem) {
      this.tools.fail(problem);
    }
  }

  /** What the picture is worth, one line each, with what to do about it. */
  paintChecks() {
    const rows = (this.checked ?? []).map(({ name, level, value, unit, said, do: advice }) =>
      h(`li.${level}`, { "data-check": name }, icon(LEVELS[level][0]), h("b", {}, CHECKS[name]), h("span.value", {}, `${value} ${unit}`), h("span.told", {}, said, advice && h("em", {}, ` ${advice}`)), h("span.unseen", {}, LEVELS[level][1])));
    put(this.parts.checks, rows);
  }

  paint(said = null) {
    const { found, board, points, teaching, placing } = this;
    const placed = placing && templateFields(found.setup, (setup) => {
      this.found = { ...this.found, setup };
      this.arrange();
      this.paint();
    });
    const word = board.game === "finn" ? "Line and zone" : "Combs and lines";
    const checks = (found?.to_check ?? []).map((line) => h("li", {}, line));
    const colours = found?.setup.colours ?? {};
    const sides = [0, 1].map((side) => h(`button.side-${side}`, { "data-key": `teach-${side}`, "aria-pressed": String(teaching === side), onclick: () => this.teach(side) }, h("span.who", {}, `Side ${side + 1}`), ` ${(colours[side] ?? []).length} tapped`));
    put(this.parts.tools,
      said && h(`p.said${said.length > 80 ? ".long" : ""}`, { role: "status" }, said.replaceAll("`", "")),
      checks.length > 0 && h("ul.tocheck", {}, checks),
      points && h("p.quiet", {}, `Drag each handle onto its point: ${POINTS[board.game].map((name, i) => `${i + 1} ${name}`).join(", ")}. Arrow keys move one pixel, with shift ten.`),
      placing && h("p.quiet", {}, board.game === "finn" ? "Drag the first line and the corners of the defense zone. The rings show where the pins stand at the start: they have to sit on their feet." : "Drag the first and the last slot of each comb, the Play Line and the edge of the gutters, until every ring sits on its slot."),
      placed,
      board.game === "astrolabe" && found && h("fieldset.teach", {}, h("legend", {}, "Tap a ball or two of each side in the picture"), sides),
      teaching !== null && h("p.quiet", {}, `Now tap balls of side ${teaching + 1}; a second tap on one takes it back.`),
      h("div.acts", {},
        h("button", { "data-key": "look", onclick: () => this.again() }, "Look again"),
        h("button", { "data-key": "hand", "aria-pressed": String(Boolean(points)), onclick: () => this.byHand() }, board.game === "cricket" ? "Place by hand" : "Corners"),
        board.game !== "cricket" && h("button", { "data-key": "place", "aria-pressed": String(placing), disabled: !found, onclick: () => this.place() }, word),
        h("button.main", { "data-key": "save", disabled: !found, onclick: () => this.save() }, "It fits: save")));
  }
}

/** The picture, with handles to drag and a loupe that shows what is under the finger. */
class Stage {
  constructor(root, moved) {
    Object.assign(this, { root, moved, width: 1280, height: 720 });
    this.image = h("img", { alt: "What the camera sees, with the board drawn over it", hidden: true });
    this.layer = s("svg.handles", { viewBox: "0 0 1280 720", preserveAspectRatio: "none" });
    this.proof = s("svg.proof", { viewBox: "0 0 1280 720", preserveAspectRatio: "none", "aria-hidden": "true" });
    this.loupe = h("canvas.loupeglass", { width: LOUPE, height: LOUPE, hidden: true, "aria-hidden": "true" });
    put(root, this.image, this.proof, this.layer, this.loupe);
  }

  close() {
    this.image.removeAttribute("src");
  }

  async show(source) {
    this.image.src = source;
    try {
      await this.image.decode();
    } catch {
      return; // the message beside says why there is no picture
    }
    this.image.hidden = false;
    Object.assign(this, { width: this.image.naturalWidth, height: this.image.naturalHeight });
    for (const layer of [this.layer, this.proof]) layer.setAttribute("viewBox", `0 0 ${this.width} ${this.height}`);
  }

  /** Draw over the picture what nobody takes hold of. */
  draw(paths) {
    put(this.proof, paths);
  }

  /**
   * Points to drag.
   * @param {number[][]} points px, changed as they are dragged
   * @param {string[]} names
   * @param {{moving: Function, moved: Function}} [on] told of each move and of its end
   */
  handles(points, names, on = { moving: () => {}, moved: () => this.moved() }) {
    this.layer.onclick = null;
    put(this.layer, points.map((point, i) => this.handle(point, i, names[i], on)));
  }

  handle(point, i, name, on) {
    const size = this.width / this.root.clientWidth; // picture pixels in a pixel of the page
    const node = s("g.handle", { tabindex: 0, role: "slider", "data-key": `handle-${i}`, "aria-label": `Point ${i + 1}: ${name}`, "data-name": name },
      s("circle.reach", { r: (on.small ? 16 : 24) * size }), s("circle.ring", { r: (on.small ? 7 : 11) * size, "stroke-width": 3 * size }), !on.small && s("path", { d: `M${-16 * size} 0H${16 * size}M0 ${-16 * size}V${16 * size}`, "stroke-width": 1.2 * size }),
      !on.small && s("text", { x: 15 * size, y: -13 * size, "font-size": 18 * size }, String(i + 1)));
    const place = () => {
      node.setAttribute("transform", `translate(${point[0]} ${point[1]})`);
      node.setAttribute("aria-valuetext", `${Math.round(point[0])}, ${Math.round(point[1])}`);
    };
    const move = (x, y) => {
      point[0] = Math.max(0, Math.min(this.width - 1, x));
      point[1] = Math.max(0, Math.min(this.height - 1, y));
      place();
      on.moving(i, point);
    };
    let from = null;
    node.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      node.focus({ preventScroll: true });
      node.setPointerCapture(event.pointerId);
      const [x, y] = this.at(event);
      from = [point[0] - x, point[1] - y];
      this.glass(point, event);
    });
    node.addEventListener("pointermove", (event) => {
      if (!from) return;
      const [x, y] = this.at(event);
      move(from[0] + x, from[1] + y);
      this.glass(point, event);
    });
    const end = () => {
      if (!from) return;
      from = null;
      this.loupe.hidden = true;
      on.moved();
    };
    node.addEventListener("pointerup", end);
    node.addEventListener("pointercancel", end);
    node.addEventListener("keydown", (event) => {
      const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
      if (!way) return;
      event.preventDefault();
      const step = event.shiftKey ? 10 : 1;
      move(point[0] + way[0] * step, point[1] + way[1] * step);
      clearTimeout(this.still);
      this.still = setTimeout(on.moved, 400);
    });
    place();
    return node;
  }

  /** Let a person tap places. */
  taps(tapped) {
    put(this.layer);
    this.layer.onclick = (event) => tapped(this.at(event));
  }

  dots(colours) {
    const size = this.width / this.root.clientWidth;
    put(this.layer, Object.entries(colours).flatMap(([side, places]) => places.map(([x, y]) => s(`circle.taught.side-${side}`, { cx: x, cy: y, r: 7 * size, "stroke-width": 3 * size }))));
  }

  /** Where a pointer is, in pixels of the picture. */
  at(event) {
    const box = this.image.getBoundingClientRect();
    return [((event.clientX - box.left) / box.width) * this.width, ((event.clientY - box.top) / box.height) * this.height];
  }

  /** The loupe stands where the finger does not hide it. */
  glass([x, y], event) {
    const { loupe } = this;
    const box = this.root.getBoundingClientRect();
    const left = event.clientX - box.left < box.width / 2;
    loupe.hidden = false;
    loupe.classList.toggle("right", left);
    const pen = loupe.getContext("2d");
    const side = LOUPE / ZOOM;
    pen.fillStyle = "#000";
    pen.fillRect(0, 0, LOUPE, LOUPE);
    pen.imageSmoothingEnabled = false;
    pen.drawImage(this.image, x - side / 2, y - side / 2, side, side, 0, 0, LOUPE, LOUPE);
    pen.strokeStyle = "#ffe27a";
    pen.beginPath();
    pen.moveTo(LOUPE / 2, 0);
    pen.lineTo(LOUPE / 2, LOUPE);
    pen.moveTo(0, LOUPE / 2);
    pen.lineTo(LOUPE, LOUPE / 2);
    pen.stroke();
  }
}

function frame() {
  const title = h("span.title");
  const stage = h("div.stage");
  const tools = h("div.setuptools");
  const checks = h("ul.health", { "aria-label": "Whether the picture will do" });
  const bar = h("header.bar", {}, h("a.plain", { href: "/boards", "aria-label": "All boards" }, icon("back")), title, h("span.grow"), h("button.plain", { "data-act": "theme", "aria-label": "Light or dark" }, icon("sun")));
  return { bar, title, stage, tools, checks, main: h("main.setup", { id: "main" }, stage, h("div.setupside", {}, tools, checks)) };
}
