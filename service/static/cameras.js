// Where a board's pictures come from: a camera picked by what it sees, or an address or a recording that is typed.

import { api } from "./api.js";
import { h, icon, mark, put } from "./dom.js";

const PICTURE_MS = 1000;
const LIST_MS = 5000; // what is plugged in now shows up by itself
const OPEN_MS = 120000; // then the cameras are closed, however long the page is left open
const WHY = { // what people can do about it, for what befalls cameras most
  NO_CAMERA: "It cannot be opened: is it plugged in, and does no other program use it?",
  "NO_CAMERA://": "It does not answer: is it switched on, and in this network?",
  CAMERA_LOST: "It gives no picture: it was unplugged, or too many cameras share one USB port.",
  CAMERA_STALLED: "It gives no picture right now.",
  NO_SUCH_CAMERA: "It was unplugged.",
};

/**
 * A choice of cameras. They are opened when somebody asks to see them, and closed when nobody looks any more.
 * @param {{fail: Function}} tools
 * @param {() => void} changed called when something was chosen
 * @returns {{root: HTMLElement, source: () => string, name: () => string, look: () => void, close: () => void}}
 */
export function cameraChoice({ fail }, changed) {
  const tiles = new Map();
  const list = h("div.cameras", { role: "radiogroup", "aria-label": "Cameras" });
  const typed = h("input", { name: "source", maxlength: 1000, placeholder: "an address, as rtsp://…, or a file", autocomplete: "off", spellcheck: "false", oninput: () => choose(null) });
  const told = h("p.quiet", { role: "status" });
  const button = h("button", { type: "button", "data-key": "cameras", onclick: () => look() }, icon("camera"), "Show the cameras");
  const other = h("label.field", {}, h("span", {}, "Or an address, or a recording"), typed);
  const root = h("div.from", {}, h("h3", {}, "Where its pictures come from"), h("div.acts", {}, button), told, list, other);
  const seen = { chosen: null, until: 0, timer: 0, ended: false };

  const choose = (source) => {
    seen.chosen = source;
    if (source !== null) typed.value = "";
    for (const [key, tile] of tiles) tile.choose(key === source);
    changed();
  };
  const load = async () => {
    clearTimeout(seen.timer);
    if (seen.ended || Date.now() > seen.until) return;
    try {
      const { cameras } = await api.cameras();
      if (seen.ended) return;
      for (const [key, tile] of tiles) if (!cameras.some((one) => one.source === key)) tile.end(), tiles.delete(key);
      for (const one of cameras) if (!tiles.has(one.source)) tiles.set(one.source, new Tile(one, () => choose(one.source), watched));
      if (list.children.length !== tiles.size || [...tiles.values()].some((tile, i) => tile.root !== list.children[i])) put(list, [...tiles.values()].map((tile) => tile.root));
      told.textContent = tiles.size ? "Tap the one that sees the board." : "No camera is plugged into this machine. One that is plugged in now shows up here.";
    } catch (problem) {
      fail(problem);
    }
    seen.timer = setTimeout(load, LIST_MS);
  };
  const look = () => {
    button.parentNode.hidden = true;
    seen.until = Date.now() + OPEN_MS;
    for (const tile of tiles.values()) tile.look();
    load();
  };
  // One is asked for its next picture while somebody may be looking: once one is chosen, that one alone.
  const watched = (source) => {
    if (seen.ended || document.hidden || (seen.chosen !== null && seen.chosen !== source)) return false;
    if (Date.now() < seen.until) return true;
    button.parentNode.hidden = false;
    return false;
  };
  return {
    root,
    source: () => seen.chosen ?? typed.value.trim(),
    name: () => tiles.get(seen.chosen)?.name ?? "",
    look,
    close: () => {
      seen.ended = true;
      clearTimeout(seen.timer);
      for (const tile of tiles.values()) tile.end();
    },
  };
}

/** One camera: its newest picture, its name, and why there is no picture. */
class Tile {
  constructor(camera, chosen, watched) {
    Object.assign(this, { camera, watched, name: named(camera), timer: 0, count: 0 });
    this.input = h("input", { type: "radio", name: "camera", value: camera.source, "aria-label": this.name, onchange: chosen });
    this.picture = h("img", { alt: `What ${this.name} sees`, width: 320, height: 180, hidden: true });
    this.why = h("span.none", { role: "status" }, "Opening …");
    this.picture.addEventListener("load", () => this.shown());
    this.picture.addEventListener("error", () => this.failed());
    const more = camera.boards.length ? `of ${camera.boards.join(", ")}` : camera.by_port ? `leave it in its port: ${port(camera.source)}` : "";
    this.root = h("label.camera", {}, this.input, h("span.sight", {}, this.picture, this.why), h("b", {}, this.name), more && h("small.quiet", {}, more));
    this.look();
  }

  look() {
    clearTimeout(this.timer);
    if (this.watched(this.camera.source)) this.picture.src = `${api.cameraPicture(this.camera.source)}&at=${(this.count += 1)}`;
    else this.timer = setTimeout(() => this.look(), PICTURE_MS);
  }

  shown() {
    this.picture.hidden = false;
    this.why.hidden = true;
    this.again();
  }

  /** The picture does not come: ask again, as something that has a reason. */
  async failed() {
    try {
      await api.cameraWhy(this.camera.source);
    } catch (problem) {
      this.why.textContent = WHY[problem.body?.code + (this.camera.source.includes("://") ? "://" : "")] ?? WHY[problem.body?.code] ?? problem.message;
      this.why.hidden = false;
      this.picture.hidden = true;
    }
    this.again();
  }

  again() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.look(), PICTURE_MS);
  }

  choose(on) {
    this.input.checked = on;
    mark(this.root, "on", on);
    if (on) this.look();
  }

  end() {
    clearTimeout(this.timer);
    this.watched = () => false;
    this.picture.removeAttribute("src");
    this.again = () => {};
    this.look = () => {};
  }
}

/** A camera's name without what only programs want: "C920 (046d:082d)", "Integrated Camera: Integrated C". */
function named({ name, source }) {
  const [first] = name.replace(/\s*\([0-9a-f]{4}:[0-9a-f]{4}\)/i, "").split(": ");
  return first.trim() || source.split("/").pop();
}

/** The port in a name by port: "pci-0000:00:14.0-usb-0:2:1.0-video-index0" is USB 2. */
const port = (source) => /usb-0:([\d.]+):/.exec(source)?.[1].replace(/^/, "USB ") ?? source.split("/").pop();
