// The boards: which there are, what each sees, what it watches; another one, and a match on one.

import { api } from "./api.js";
import { gameChoice } from "./asking.js";
import { begin } from "./begin.js";
import { cameraChoice } from "./cameras.js";
import { h, icon, put } from "./dom.js";
import { gameOf } from "./games.js";
import { sure } from "./sure.js";

const PHASES = {
  off: "not watching", starting: "starting", looking: "not watching", watching: "watching", restarting: "starting again after a fault",
  ended: "the recording has ended", stopped: "not watching", failed: "broke off",
};
const SEES = { hand: "a hand at the board", hidden: "the board is hidden", stalled: "the camera is stuck", frozen: "the camera is stuck" };
const EVERY_MS = 2000;

/** Show them until the returned function is called. */
export function showBoards(page, tools) {
  document.title = "Boards · tallycam";
  const list = h("ul.boards");
  const another = newBoard(tools);
  const learning = h("p.views", { hidden: true }, h("a", { href: "/labels" }, "What corrections teach"), h("a", { href: "/shadow" }, "Networks and candidates"));
  another.root.hidden = true;
  // Who may not add a board is not asked to, and no camera is opened for them.
  const may = api.me().then((me) => {
    another.root.hidden = me.gate && me.role !== "admin";
    learning.hidden = me.gate && !["umpire", "admin"].includes(me.role);
  }, () => {});
  put(page, h("header.bar", {}, h("a.plain", { href: "/", "aria-label": "All matches" }, icon("back")), h("span.title", {}, "Boards"), h("span.grow"), h("button.plain", { "data-act": "theme", "aria-label": "Light or dark" }, icon("sun"))),
    h("main.list", { id: "main" }, h("section", {}, h("h1", {}, "Boards"), list, learning), another.root));
  const cards = new Map();
  const load = async () => {
    try {
      const { boards } = await api.boards();
      for (const id of cards.keys()) if (!boards.some((board) => board.id === id)) cards.delete(id);
      for (const board of boards) {
        if (!cards.has(board.id)) cards.set(board.id, new Card(tools, load));
        cards.get(board.id).show(board);
      }
      const roots = [...cards.values()].map((card) => card.root);
      if (roots.length !== list.children.length || !roots.length) put(list, roots.length ? roots : h("li.quiet", {}, "No board yet. Name one here and say where its pictures come from."));
    } catch (problem) {
      tools.fail(problem);
    }
  };
  Promise.all([load(), may]).then(() => cards.size || another.root.hidden || another.look()); // without a board there is nothing else to do here
  const again = setInterval(load, EVERY_MS);
  return () => {
    clearInterval(again);
    another.close();
  };
}

/** One board. Its picture stays while the rest is painted anew. */
class Card {
  constructor(tools, load) {
    Object.assign(this, { tools, load, at: 0 });
    this.picture = h("img.small", { alt: "", width: 320, height: 180 });
    this.picture.addEventListener("error", () => (this.picture.hidden = true));
    this.picture.addEventListener("load", () => (this.picture.hidden = false));
    this.body = h("div.boardbody");
    this.root = h("li.board.card", {}, this.picture, this.body);
  }

  show(board) {
    this.board = board;
    const live = board.state.phase === "watching";
    if (!this.at || live) this.picture.src = `${api.picture(board.id)}?at=${(this.at += 1)}`;
    this.picture.alt = `What ${board.name} sees`;
    const state = live && SEES[board.state.seen] ? SEES[board.state.seen] : PHASES[board.state.phase] ?? board.state.phase;
    const acts = board.watching && live
      ? [h("a.button.main", { href: `/match/${board.watching.match}` }, "The match"), h("button", { "data-key": `stop-${board.id}`, onclick: () => this.stop() }, "Stop watching")]
      : [h("button.main", { "data-key": `begin-${board.id}`, disabled: board.setup_version === null, onclick: () => begin(board, this.tools) }, "New match"),
        h("button", { "data-key": `gone-${board.id}`, onclick: () => this.remove() }, "Remove")];
    put(this.body, h("h2", {}, board.name), h("p.quiet", { title: board.source }, `${gameOf(board.game).name}, ${short(board.source)}`),
      h(`p.state${live ? ".live" : board.state.phase === "failed" ? ".bad" : ""}`, { role: "status" }, state, board.state.message && `: ${board.state.message}`),
      h("div.acts", {}, acts[0], h("a.button", { href: `/board/${board.id}/setup`, "aria-label": board.setup_version === null ? "Set up" : "Set up again" }, "Set up"), board.setup_version !== null && board.game !== "cricket" && h("a.button", { href: `/board/${board.id}/teach`, "aria-label": `Teach ${board.name} your own set` }, "Teach"), acts[1]));
  }

  async stop() {
    const { board } = this;
    if (await sure(`Stop watching on ${board.name}?`, "The match stays and goes on by hand. The camera does not come back to it.", "Stop watching")) await this.act(() => api.unwatch(board.id));
  }

  async remove() {
    const { board } = this;
    if (await sure(`Remove ${board.name}?`, "It has to be set up anew if you want it back. Its matches stay.", "Remove")) await this.act(() => api.removeBoard(board.id));
  }

  async act(work) {
    try {
      await work();
    } catch (problem) {
      this.tools.fail(problem);
    }
    this.load();
  }
}

/** Of a file its name alone: that tells boards apart, the folders before it do not. */
const short = (source) => (/^(\/dev\/|[^/])/.test(source) ? source : source.split("/").filter(Boolean).pop() ?? source);

function newBoard({ go, fail }) {
  const name = h("input", { name: "name", maxlength: 80, placeholder: "Board in the den", autocomplete: "off" });
  const from = cameraChoice({ fail }, () => (name.placeholder = from.name() || "Board in the den"));
  const make = async (event) => {
    event.preventDefault();
    if (!from.source()) return fail(new Error("Choose a camera, or type an address or the name of a recording."));
    try {
      const game = new FormData(event.target).get("game");
      const board = await api.createBoard({ name: name.value.trim() || from.name() || gameOf(game).name, game, source: from.source() });
      go(`/board/${board.id}/setup`);
    } catch (problem) {
      fail(problem);
    }
  };
  const root = h("form.card.new", { onsubmit: make }, h("h2", {}, "Another board"), gameChoice(), h("label.field", {}, h("span", {}, "Name"), name),
    from.root, h("button.main", { type: "submit" }, "Set it up"));
  return { root, look: from.look, close: from.close };
}
