// The networks that read pictures, and candidates beside them: where they differ, and who was right.

import { api } from "./api.js";
import { doubts } from "./doubts.js";
import { h, icon, put } from "./dom.js";
import { gameOf } from "./games.js";
import { inWords } from "./readings.js";

const SIDES = { now: "In use", candidate: "Candidate" };
const RIGHT = { now: "In use was right", candidate: "Candidate was", both: "Both were", neither: "Neither was" };
const EVERY_MS = 10000;

/** Show them until the returned function is called. */
export function showShadow(page, tools) {
  document.title = "Networks and candidates · tallycam";
  const parts = { networks: h("section.card"), figures: h("section"), list: h("ul.differences") };
  let undecided = false;
  let shown = "";
  put(page, h("header.bar", {}, h("a.plain", { href: "/labels", "aria-label": "What corrections teach" }, icon("back")), h("span.title", {}, "Networks and candidates"), h("span.grow"), h("button.plain", { "data-act": "theme", "aria-label": "Light or dark" }, icon("sun"))),
    h("main.learning", { id: "main" }, h("div", {}, parts.networks), h("section", {}, h("h1", {}, "Where a candidate differs"), parts.figures, parts.list)));
  const load = async () => {
    try {
      const told = await Promise.all([api.models(), api.shadow()]);
      if (JSON.stringify(told) === shown) return;
      shown = JSON.stringify(told);
      paint(...told);
    } catch (problem) {
      tools.fail(problem);
    }
  };
  const paint = ({ models }, compared) => {
    put(parts.networks, networks(models));
    put(parts.figures, figures(compared, undecided, (on) => ((undecided = on), paint({ models }, compared))));
    const found = compared.differences.filter((one) => !undecided || !one.right);
    put(parts.list, found.map((one) => difference(one, compared.candidates)));
  };
  load();
  const again = setInterval(load, EVERY_MS);
  return () => clearInterval(again);
}

function networks(models) {
  const row = (one) => h("tr", {}, h("th", { scope: "row" }, one.name, h("small.quiet", {}, one.shipped ? "as shipped" : "promoted here")), h("td", {}, h("code", { title: one.sha256 }, one.sha256.slice(0, 8))),
    h("td", {}, one.candidate ? h("code", { title: one.candidate }, one.candidate.slice(0, 8)) : h("span.quiet", {}, "none")));
  return [h("h2", {}, "What reads the pictures"), h("table.figures.nets", {}, h("thead", {}, h("tr", {}, ["Network", "In use", "Beside it"].map((word) => h("th", { scope: "col" }, word)))), h("tbody", {}, models.map(row))),
    h("p.quiet", {}, "A candidate never scores. It reads again what your boards saw; once a person has said what was true, this page says who was right.")];
}

function figures({ candidates, since, compared, differed, right, differences }, undecided, turn) {
  const none = !Object.keys(candidates).length && h("div.card", {}, h("p", {}, "No candidate runs beside the networks in use. To compare one, on this machine:"), h("pre", { tabindex: 0 }, "tallycam models try NAME FOLDER\ntallycam models shadow NAME FOLDER"), h("p.quiet", {}, "The first says what it is worth on drawn pictures, the second has it read along."));
  if (none && !differences.length) return none;
  const open = differences.filter((one) => !one.right).length;
  const counted = Object.entries(RIGHT).map(([key, word]) => h("div", {}, h("dt", {}, word), h("dd", {}, String(right[key] ?? 0))));
  return [none || h("dl.counts", {}, h("div", {}, h("dt", {}, "Compared"), h("dd", {}, String(compared))), h("div", {}, h("dt", {}, "Read otherwise"), h("dd", {}, String(differed))), counted),
    !none && since && h("p.quiet", {}, `Since ${new Date(since).toLocaleString([], { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" })}.`),
    open > 0 && h("label.check", {}, h("input", { type: "checkbox", "data-key": "open", checked: undecided, onchange: (event) => turn(event.target.checked) }), h("span", {}, `Only what nobody has decided yet (${open})`))];
}

function difference(one, candidates) {
  const past = JSON.stringify(one.networks) !== JSON.stringify(candidates);
  const side = (key) => {
    const { read, confidence, review } = one[key];
    const good = one.right === key || one.right === "both";
    return h(`div.reading${one.right ? (good ? ".good" : ".bad") : ""}`, {}, h("small", {}, one.right && icon(good ? "check" : "cross"), SIDES[key], one.right && h("span.unseen", {}, good ? " was right" : " was wrong")), h("b", {}, inWords(one.game, read, "refused to read it")),
      h("small", {}, [confidence === null ? "" : `${Math.round(confidence * 100)} % sure`, review.length ? `would ask: ${doubts(review.map((code) => ({ code })))}` : read === null ? "" : "would not ask"].filter(Boolean).join(", ")));
  };
  return h("li.card.difference", { "data-key": one.sighting }, h("p.quiet", {}, `${gameOf(one.game).name}, ${new Date(one.at).toLocaleString([], { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" })}${past ? ", a candidate from before" : ""}`), h("div.both", {}, side("now"), side("candidate")),
    h("a.button", { href: `/match/${one.match}` }, one.right ? "The match" : "Say what it was"));
}
