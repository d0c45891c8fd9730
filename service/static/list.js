// All matches, and starting another.

import { api, follow } from "./api.js";
import { gameChoice, matchForm } from "./asking.js";
import { h, icon, mark, put } from "./dom.js";
import { gameOf } from "./games.js";

/** Show the list until the returned function is called. */
export function showList(page, { go, fail }) {
  const list = h("div.matches");
  const devices = h("a.plain", { href: "/devices", hidden: true }, icon("phone"), "Devices");
  const boards = h("a.plain", { href: "/boards" }, icon("camera"), "Boards");
  const checks = h("a.note", { href: "/review", hidden: true });
  const form = newMatch(go, fail);
  mark(form, "coming", true); // what is above it has still to come: nobody's tap may land on what moves away
  api.me().then((me) => (devices.hidden = !(me.gate && me.role === "admin")), () => {});
  put(page, h("header.bar", {}, h("span.brand", {}, "tallycam"), h("span.grow"), h("button.plain.tonew", { "aria-label": "New match", onclick: () => document.getElementById("new").scrollIntoView() }, icon("plus"), h("span", {}, "New", h("i", {}, " match"))), boards, devices, h("button.plain", { "data-act": "theme", "aria-label": "Light or dark" }, icon("sun"))),
    h("main.list", { id: "main" }, h("section", {}, h("h1", {}, "Matches"), checks, list), form));
  document.title = "tallycam";
  const load = async () => {
    try {
      const { reviews } = await api.reviews();
      checks.hidden = !reviews.length;
      put(checks, icon("eye"), h("b", {}, `${reviews.length} to check`));
      const { matches } = await api.matches();
      put(list, matches.length ? matches.map(row) : h("p.quiet", {}, "No match yet. Start one here, or let a recording play one: tallycam demo."));
    } catch (problem) {
      fail(problem);
    }
    mark(form, "coming", false);
  };
  return follow("/changes", { snapshot: load, change: load, line: (up) => document.body.classList.toggle("cut", !up) });
}

function row(match) {
  const { result } = match;
  const side = (i) =>
    h(`span.who.side-${i}${result.winner === i ? ".won" : ""}`, {}, h("span.name", {}, match.sides[i]), h("b", {}, String(result.scores[i])));
  return h("a.match", { href: `/match/${match.id}`, "data-key": match.id },
    h("span.what", {}, gameOf(match.game).name, h("time", { datetime: match.created_at }, when(match.created_at))),
    h("span.sides", {}, match.sides.map((_, i) => side(i))),
    h(`span.state${result.conflict ? ".bad" : match.live && !match.live.done ? ".live" : ""}`, {}, state(match)));
}

function state({ result, live, seq }) {
  if (result.conflict) return "needs a look";
  if (result.over) return "finished";
  if (live && !live.done) return "live";
  return seq ? "in play" : "not begun";
}

function when(text) {
  const at = new Date(text);
  const today = at.toDateString() === new Date().toDateString();
  return at.toLocaleString([], today ? { hour: "2-digit", minute: "2-digit" } : { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
}

function newMatch(go, fail) {
  const asked = matchForm("cricket");
  const start = async (event) => {
    event.preventDefault();
    try {
      const match = await api.create(asked.game, asked.sides(), asked.config());
      go(`/match/${match.id}`);
    } catch (problem) {
      fail(problem);
    }
  };
  return h("form.card.new", { id: "new", onsubmit: start }, h("h2", {}, "New match"), gameChoice((game) => asked.choose(game)),
    asked.root, h("button.main", { type: "submit" }, "Start"));
}
