// Elements from code. Text only ever goes in as text: a name like "<img onerror>" is shown, never run.

const SVG = "http://www.w3.org/2000/svg";

/**
 * Make an HTML element.
 * @param {string} tag a tag, with classes as in "button.quiet.small"
 * @param {Object<string, any>} [props] attributes; "on…" are listeners, null and false leave an attribute out
 * @param {...(Node|string|number|null|false|Array)} children
 * @returns {HTMLElement}
 */
export function h(tag, props = {}, ...children) {
  return fill(document.createElement(tag.split(".")[0]), tag, props, children);
}

/** The same for SVG. */
export function s(tag, props = {}, ...children) {
  return fill(document.createElementNS(SVG, tag.split(".")[0]), tag, props, children);
}

function fill(node, tag, props, children) {
  const classes = tag.split(".").slice(1);
  if (classes.length) node.setAttribute("class", classes.join(" "));
  for (const [key, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (key === "value") node.value = value;
    else node.setAttribute(key, value === true ? "" : String(value));
  }
  node.append(...children.flat(Infinity).filter((c) => c !== null && c !== undefined && c !== false));
  return node;
}

/** A picture that was kept. One that went since, for pictures take room, is said to be gone in its place. */
export function photo(source, alt) {
  const image = h("img", { src: source, alt });
  image.addEventListener("error", async () => {
    const gone = await fetch(source, { cache: "no-store" }).then((reply) => reply.status === 404, () => false);
    const said = gone ? "no longer kept" : "not to be had now";
    image.replaceWith(h("span.gone", { role: "img", "aria-label": `${alt}: ${said}` }, said));
  });
  return image;
}

/** Replace what is in a node; the focused control keeps the focus when one of the same `data-key` is there again. */
export function put(node, ...children) {
  const key = node.contains(document.activeElement) ? document.activeElement.dataset.key : null;
  node.replaceChildren(...children.flat(Infinity).filter(Boolean));
  if (key) node.querySelector(`[data-key="${CSS.escape(key)}"]`)?.focus({ preventScroll: true });
  return node;
}

/** Switch a class on every call site the same way. */
export function mark(node, name, on) {
  node.classList.toggle(name, Boolean(on));
}

const ICONS = {
  back: "M15 5l-7 7 7 7",
  next: "M9 5l7 7-7 7",
  play: "M7 4.5v15l12-7.5z",
  pause: "M8 5v14M16 5v14",
  phone: "M8 3h8v18H8zM11 18h2",
  camera: "M4 8h3l2-3h6l2 3h3v11H4zM12 10a3.5 3.5 0 100 7 3.5 3.5 0 000-7z",
  chart: "M4 4v16h16M8 15l4-5 3 3 5-7",
  voice: "M4 10v4h4l5 4V6L8 10zM16.5 9a4 4 0 010 6M19 6.5a8 8 0 010 11",
  undo: "M8 5L4 9l4 4M4 9h9a6 6 0 010 12h-3",
  pen: "M4 20l1-4L16 5l3 3L8 19zM14 7l3 3",
  check: "M5 12.5l4.5 4.5L19 7",
  eye: "M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12zM12 9.2a2.8 2.8 0 100 5.6 2.8 2.8 0 000-5.6z",
  cross: "M6 6l12 12M18 6L6 18",
  sun: "M12 8a4 4 0 100 8 4 4 0 000-8zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.5 1.5M17.5 17.5L19 19M5 19l1.5-1.5M17.5 6.5L19 5",
  plus: "M12 5v14M5 12h14",
  down: "M12 4v12M7 11l5 5 5-5M5 20h14",
  help: "M9 9a3 3 0 116 .5c0 2-3 2.3-3 4.5M12 17.5v.5",
};

/** A line icon; it says nothing to a screen reader, the control around it does. */
export function icon(name) {
  return s("svg.icon", { viewBox: "0 0 24 24", "aria-hidden": "true" }, s("path", { d: ICONS[name] }));
}

// Our own numerals: heavy, round, all of one width, the same on every device; readable across a room.
const DIGITS = {
  0: "M2 6a4 4 0 018 0v8a4 4 0 01-8 0z",
  1: "M3 5.5L6.8 2V18",
  2: "M2 6a4 4 0 018 0c0 2.6-1.6 4.2-3.4 6.2L2 18h8",
  3: "M2.2 4.6A4 4 0 0110 6c0 2.3-1.7 3.7-4.2 3.7C8.3 9.7 10 11.2 10 13.8a4 4 0 01-7.9 1",
  4: "M8 18V2L1.6 13.2H10.8",
  5: "M9.4 2H3L2.4 9.4C4 7.8 10 7.6 10 13a4.2 4.2 0 01-8 1.8",
  6: "M8.8 2.2C5 3 2 6 2 10.5V14a4 4 0 008 0v-.6a4 4 0 00-8 0",
  7: "M2 2h8L5 18",
  8: "M6 9.7a3.5 3.850 0 100-7.7 3.5 3.850 0 000 7.7a4 4.150 0 100 8.3 4 4.150 0 000-8.3z",
  9: "M3.2 17.8C7 17 10 14 10 9.5V6a4 4 0 00-8 0v.6a4 4 0 008 0",
  "-": "M2.5 10h7",
};

/** A number as a picture that carries its own text. */
export function numeral(value) {
  const text = String(value);
  const glyphs = [...text].map((c, i) => s("path", { d: DIGITS[c], transform: `translate(${i * 14.5 + 1.5} 1.5)` }));
  return s("svg.numeral", { viewBox: `0 0 ${text.length * 14.5 + 0.5} 23`, role: "img", "aria-label": text }, glyphs);
}
