// The dartboard in millimetres: drawing, where a point lies, a second face with wide rings for fingers, and a loupe.

import { s } from "./dom.js";

export const ORDER = [20, 1, 18, 4, 13, 6, 10, 15, 2, 17, 3, 19, 7, 16, 8, 11, 14, 9, 12, 5];

// Radii of: double bull, bull, inside and outside of the treble, inside and outside of the double, edge of the board.
const TRUE = [6.35, 15.9, 99, 107, 162, 170, 225.5];
const WIDE = [17, 36, 78, 107, 140, 172, 225.5]; // the same rings, none narrower than a fingertip on a phone
const NUMBERS = 194;
const GLASS = 62; // radius of the loupe; the corners of the picture are free for it
const ZOOM = 3;
const GRIP = 30; // around a dart's tip: there a press takes hold of it
let boards = 0;

const polar = (radius, turn) => [radius * Math.sin(turn), -radius * Math.cos(turn)];
const f = (x) => x.toFixed(2);

/** The segment under a point in millimetres (x right, y up), on the face with the given radii. */
export function segmentAt(x, y, radii = TRUE) {
  const radius = Math.hypot(x, y);
  if (radius <= radii[0]) return "DB";
  if (radius <= radii[1]) return "SB";
  if (radius > radii[5]) return "MISS";
  const turn = (Math.atan2(x, y) / (2 * Math.PI) + 1 + 1 / 40) % 1;
  const number = ORDER[Math.floor(turn * 20)];
  const ring = radius > radii[4] ? "D" : radius > radii[2] && radius <= radii[3] ? "T" : "S";
  return ring + number;
}

/** A point in the middle of a segment, for a dart of which only the segment is known. */
export function middleOf(segment) {
  if (segment === "DB") return [0, 0];
  if (segment === "SB") return [0, 11];
  if (segment === "MISS") return [0, -210];
  const radius = { S: 134, D: 166, T: 103 }[segment[0]];
  const turn = (ORDER.indexOf(Number(segment.slice(1))) / 20) * 2 * Math.PI;
  const [x, y] = polar(radius, turn);
  return [x, -y];
}

/** How a segment is said: "treble 20". */
export function spoken(segment) {
  if (segment === "MISS") return "miss";
  if (segment === "SB") return "bull";
  if (segment === "DB") return "double bull";
  return `${{ S: "single", D: "double", T: "treble" }[segment[0]]} ${segment.slice(1)}`;
}

function wedge(inner, outer, index) {
  const from = ((index - 0.5) / 20) * 2 * Math.PI;
  const to = ((index + 0.5) / 20) * 2 * Math.PI;
  const [ax, ay] = polar(outer, from);
  const [bx, by] = polar(outer, to);
  const [cx, cy] = polar(inner, to);
  const [dx, dy] = polar(inner, from);
  return `M${f(ax)} ${f(ay)}A${f(outer)} ${f(outer)} 0 0 1 ${f(bx)} ${f(by)}L${f(cx)} ${f(cy)}A${f(inner)} ${f(inner)} 0 0 0 ${f(dx)} ${f(dy)}Z`;
}

const RINGS = [
  ["S", 1, 2, "bed"],
  ["T", 2, 3, "ring"],
  ["S", 3, 4, "bed"],
  ["D", 4, 5, "ring"],
];

/** A drawn board. `root` is the SVG; the rest changes what it shows. */
export class Board {
  constructor() {
    this.radii = [...TRUE];
    this.pieces = [];
    this.sectors = new Map();
    this.darts = s("g.darts");
    this.root = s("svg.board", { viewBox: "-226 -226 452 452", role: "group", "aria-label": "Dartboard" });
    this.face = s("g", { id: `board-${(boards += 1)}`, "aria-hidden": "true" }, s("circle.edge", { r: 225.5 }), this.#sectors(), this.#bulls());
    this.grip = s("g.grip", { hidden: true });
    this.#loupe();
    this.root.append(this.face, this.darts, this.grip, this.glass);
    this.#shape();
  }

  /** What is under the finger, larger, in a corner that the finger does not hide. */
  #loupe() {
    this.zoomed = s("use", { href: `#${this.face.id}` });
    this.named = s("text.named", { y: GLASS - 12 });
    const round = `${this.face.id}-glass`;
    this.glass = s("g.glass", { hidden: true, "aria-hidden": "true" }, s("clipPath", { id: round }, s("circle", { r: GLASS })), s("circle.lens", { r: GLASS }),
      s("g", { "clip-path": `url(#${round})` }, this.zoomed, s("path.cross", { d: `M${-GLASS} 0H-6M6 0H${GLASS}M0 ${-GLASS}V-6M0 6V${GLASS}` })), s("circle.rim", { r: GLASS }), this.named);
  }

  /** Show the loupe over a point of the drawing, or hide it. */
  look(at, segment, pressed = true) {
    this.glass.toggleAttribute("hidden", !at || !pressed);
    if (!at || !pressed) return;
    const left = at[0] < 0 ? 1 : -1;
    this.glass.setAttribute("transform", `translate(${left * (224 - GLASS)} ${GLASS - 224})`);
    this.zoomed.setAttribute("transform", `scale(${ZOOM}) translate(${f(-at[0])} ${f(-at[1])})`);
    this.named.textContent = segment;
  }

  #sectors() {
    const all = s("g", { "aria-hidden": "true" });
    ORDER.forEach((number, index) => {
      const group = s(`g.sector.${index % 2 ? "pale" : "deep"}`);
      for (const [ring, from, to, look] of RINGS) {
        const path = s(`path.${look}`);
        this.pieces.push([path, from, to, index, ring + number]);
        group.append(path);
      }
      const [x, y] = polar(NUMBERS + 4, (index / 20) * 2 * Math.PI);
      group.append(s("circle.halo", { cx: f(x), cy: f(y), r: 19 }));
      group.append(s("text.number", { x: f(x), y: f(y), dy: "0.36em" }, String(number)));
      this.sectors.set(number, group);
      all.append(group);
    });
    return all;
  }

  #bulls() {
    this.bull = s("circle.bull");
    this.centre = s("circle.centre");
    return s("g", { "aria-hidden": "true" }, this.bull, this.centre);
  }

  #shape() {
    for (const [path, from, to, index] of this.pieces) path.setAttribute("d", wedge(this.radii[from], this.radii[to], index));
    this.bull.setAttribute("r", f(this.radii[1]));
    this.centre.setAttribute("r", f(this.radii[0]));
  }

  /** Go over to the face with wide rings, or back. */
  widen(wide) {
    const start = [...this.radii];
    const goal = wide ? WIDE : TRUE;
    const begun = performance.now();
    const lasting = matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : 200;
    const step = (now) => {
      const part = lasting ? Math.min(1, Math.max(0, (now - begun) / lasting)) : 1;
      const eased = 1 - (1 - part) ** 3;
      this.radii = start.map((radius, i) => radius + (goal[i] - radius) * eased);
      this.#shape();
      this.onmove?.();
      this.onwiden?.();
      if (part < 1) this.frame = requestAnimationFrame(step);
    };
    cancelAnimationFrame(this.frame);
    step(begun);
    this.root.classList.toggle("wide", wide);
  }

  /** Where a point of the real board is drawn on the face that is showing: SVG units, y down. */
  drawn([x, y]) {
    const radius = Math.hypot(x, y) || 1e-9;
    const ring = Math.max(0, TRUE.findIndex((r) => radius <= r));
    const inside = radius > TRUE[6] ? 6 : ring;
    const [a, b] = [inside ? TRUE[inside - 1] : 0, TRUE[inside]];
    const [c, d] = [inside ? this.radii[inside - 1] : 0, this.radii[inside]];
    const out = Math.min(218, c + ((radius - a) / (b - a)) * (d - c)) / radius;
    return [x * out, -y * out];
  }

  /** Where a pointer is on the drawing: SVG units, y down. */
  at(event) {
    const box = this.root.getBoundingClientRect();
    return [((event.clientX - box.left) / box.width) * 452 - 226, ((event.clientY - box.top) / box.height) * 452 - 226];
  }

  /** The segment at a point of the drawing. */
  under([x, y]) {
    return segmentAt(x, -y, this.radii);
  }

  /** Light one segment up, or none. */
  light(segment) {
    for (const [path, , , , name] of this.pieces) path.classList.toggle("lit", name === segment);
    this.bull.classList.toggle("lit", segment === "SB");
    this.centre.classList.toggle("lit", segment === "DB");
  }

  /** Give each sector its class: "dead", "closed", "open-0", "open-1" … */
  states(of) {
    this.sectors.forEach((group, number) => {
      const pale = ORDER.indexOf(number) % 2 ? "pale" : "deep";
      group.setAttribute("class", `sector ${pale} ${of(number).join(" ")}`);
    });
  }

  /**
   * Let a person choose a segment: press, slide until the right one lights up, let go. A dart that is corrected has a
   * grip at its tip: dragging that keeps the finger off the tip, arrow keys move it by a millimetre.
   * @param {{over: (segment: string|null) => void, chosen: (segment: string) => void}} on
   * @param {number[]|null} [place] of the dart, mm
   * @returns {() => void} ends it
   */
  choose(on, place = null) {
    let down = null;
    let held = null; // from the finger to the tip, while the grip is dragged
    let at = place && this.drawn(place);
    this.#hold(at);
    const show = (point, pressed) => {
      const segment = this.under(point);
      this.light(segment);
      this.look(point, segment, pressed);
      on.over(segment);
      return segment;
    };
    const where = (event) => {
      const [x, y] = this.at(event);
      return held ? [x + held[0], y + held[1]] : [x, y];
    };
    const move = (event) => {
      if (event.pointerType === "touch" && down === null) return;
      if (down && held && !down.moved && Math.hypot(event.clientX - down.x, event.clientY - down.y) < 5) return;
      if (down) down.moved = true;
      const point = where(event);
      if (held) this.#hold(point);
      show(point, down !== null);
    };
    const press = (event) => {
      const [x, y] = this.at(event);
      down = { id: event.pointerId, x: event.clientX, y: event.clientY, moved: false };
      held = at && Math.hypot(x - at[0], y - at[1]) < GRIP ? [at[0] - x, at[1] - y] : null;
      this.root.setPointerCapture(down.id);
      event.preventDefault();
      show(where(event), true);
    };
    const done = () => {
      down = held = null;
      this.look(null);
      on.over(null);
    };
    const release = (event) => {
      if (down?.id !== event.pointerId) return;
      if (!down.moved) held = null; // a tap beside the tip means the place that was tapped
      const point = where(event);
      if (at) this.#hold((at = point));
      const segment = this.under(point);
      done();
      on.chosen(segment);
    };
    const key = (event) => {
      const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
      if (!way || !at || !this.grip.contains(event.target)) return;
      event.preventDefault();
      event.stopPropagation();
      const step = event.shiftKey ? 10 : 1;
      this.#hold((at = [at[0] + way[0] * step, at[1] + way[1] * step]));
      const segment = show(at, true);
      clearTimeout(this.still);
      this.still = setTimeout(() => (this.look(null), on.chosen(segment)), 600);
    };
    const pairs = { pointerdown: press, pointermove: move, pointerup: release, pointercancel: done, pointerleave: () => down || done(), keydown: key };
    for (const [name, act] of Object.entries(pairs)) this.root.addEventListener(name, act);
    this.root.classList.add("choosing");
    this.onwiden = () => place && !down && this.#hold((at = this.drawn(place)));
    return () => {
      for (const [name, act] of Object.entries(pairs)) this.root.removeEventListener(name, act);
      clearTimeout(this.still);
      this.root.classList.remove("choosing");
      this.onwiden = null;
      this.#hold(null);
      this.look(null);
      this.light(null);
    };
  }

  /** Put the grip at a point of the drawing, or away. */
  #hold(at) {
    this.grip.toggleAttribute("hidden", !at);
    if (!at) return;
    if (!this.grip.firstChild) {
      this.grip.append(s("circle.reach", { r: GRIP }), s("circle.ring", { r: 15 }), s("path.cross", { d: "M-22 0H-5M5 0H22M0 -22V-5M0 5V22" }));
      for (const [name, value] of Object.entries({ tabindex: 0, role: "button", "data-key": "grip", "aria-label": "Tip of the dart: drag it, or move it with the arrow keys" })) this.grip.setAttribute(name, value);
    }
    this.grip.setAttribute("transform", `translate(${f(at[0])} ${f(at[1])})`);
  }
}

const BUBBLE = 12.5;

/**
 * Draw darts: a point exactly where each tip is, and a numbered bubble beside it that is large enough for a finger.
 * @param {Board} board
 * @param {Array<{key: string, label: string, xy: number[], look: string, name: string, open: Function|null}>} darts
 */
export function drawDarts(board, darts) {
  const known = new Set([...board.darts.querySelectorAll("[data-key]")].map((node) => node.dataset.key));
  const draw = () => {
    const tips = darts.map((dart, i) => (dart.off ? [-206 + 31 * i, 206] : board.drawn(dart.xy)));
    const places = spread(tips, darts);
    const groups = darts.map((dart, i) => dartNode(dart, tips[i], places[i], !known.has(dart.key)));
    const focus = board.darts.contains(document.activeElement) ? document.activeElement.dataset.key : null;
    const points = tips.map(([x, y], i) => !darts[i].off && s(`circle.tip${darts[i].look.includes("doubt") ? ".asked" : ""}`, { cx: f(x), cy: f(y), r: 3.6 }));
    board.darts.replaceChildren(...groups, s("g.tips", { "aria-hidden": "true" }, points)); // no bubble hides a tip
    if (focus) board.darts.querySelector(`[data-key="${CSS.escape(focus)}"]`)?.focus({ preventScroll: true });
    darts.forEach((dart) => known.add(dart.key));
  };
  board.onmove = draw;
  draw();
}

function dartNode(dart, [tx, ty], [bx, by], fresh) {
  const act = dart.open && ((event) => (event.type === "click" || event.key === "Enter" || event.key === " ") && (event.preventDefault(), dart.open()));
  const node = s(
    `g.dart${dart.look ? "." + dart.look.split(" ").join(".") : ""}`,
    { "data-key": dart.key, role: act ? "button" : "img", tabindex: act ? 0 : null, "aria-label": dart.name, onclick: act, onkeydown: act },
    !dart.off && s("line.shaft", { x1: f(tx), y1: f(ty), x2: f(bx), y2: f(by) }),
    s("circle.reach", { cx: f(bx), cy: f(by), r: 24 }),
    s("circle.bubble", { cx: f(bx), cy: f(by), r: BUBBLE }),
    s("text", { x: f(bx), y: f(by), dy: "0.36em" }, dart.label),
  );
  if (fresh) node.classList.add("fresh");
  return node;
}

/** What missed the board lies in the corner. The other bubbles start outward of their tips and push each other apart. */
function spread(tips, darts) {
  const places = tips.map(([x, y], i) => {
    if (darts[i].off) return [x, y];
    const radius = Math.hypot(x, y) || 1;
    const out = radius > 118 ? -1 : 1; // near the rim inward, so that no number is covered
    const away = radius < 30 ? [0.5, -0.85] : [(out * x) / radius, (out * y) / radius];
    return [x + away[0] * 21, y + away[1] * 21];
  });
  for (let round = 0; round < 30; round += 1) {
    for (let a = 0; a < places.length; a += 1) {
      for (let b = 0; b < a; b += 1) push(places[a], places[b]);
      for (let b = 0; b < tips.length; b += 1) if (a !== b) yieldTo(places[a], tips[b]);
    }
  }
  return places.map(([x, y], i) => {
    if (darts[i].off) return tips[i];
    const radius = Math.hypot(x, y);
    const most = 162;
    return radius > most ? [(x / radius) * most, (y / radius) * most] : [x, y];
  });
}

/** A bubble makes room for another dart's tip. */
function yieldTo(place, tip) {
  const room = BUBBLE + 7;
  const [dx, dy] = [place[0] - tip[0], place[1] - tip[1]];
  const gap = Math.hypot(dx, dy) || 0.01;
  if (gap >= room) return;
  place[0] += (dx / gap) * (room - gap);
  place[1] += (dy / gap) * (room - gap);
}

function push(p, q) {
  const room = 2 * BUBBLE + 4;
  let [dx, dy] = [p[0] - q[0], p[1] - q[1]];
  let gap = Math.hypot(dx, dy);
  if (gap < 0.01) [dx, dy, gap] = [1, 0, 1];
  const lack = (room - gap) / 2;
  if (lack <= 0) return;
  p[0] += (dx / gap) * lack;
  p[1] += (dy / gap) * lack;
  q[0] -= (dx / gap) * lack;
  q[1] -= (dy / gap) * lack;
}
