// Views without controls: a TV across the room, and an overlay over somebody's stream. They mend themselves.

import { api, follow } from "./api.js";
import { h, mark, numeral, put } from "./dom.js";
import { faceOf } from "./games.js";
import { why } from "./words.js";

/**
 * Show a match, or whichever changed last, until the returned function is called.
 * @param {string|null} id
 * @param {"tv"|"overlay"} kind
 */
export function showTv(page, id, kind) {
  const root = h(`main.${kind}`, { id: "main" });
  put(page, root);
  document.body.classList.add(`on-${kind}`);
  document.title = `${kind === "tv" ? "TV" : "Overlay"} · tallycam`;
  let shown = null;
  let body = null;
  let game = null;
  let asked = 0;

  const load = async () => {
    const turn = (asked += 1);
    try {
      const match = await newest(id);
      const face = match && (await faceOf(match.game));
      if (turn !== asked) return;
      if (match && match.id !== shown?.id) body = kind === "tv" ? face.build({ correction: { step: null } }) : null;
      game = face;
      shown = match;
      paint();
    } catch (problem) {
      if (problem.status === 404) put(root, h("p.waiting", {}, "No such match"));
      else setTimeout(load, 2000); // the stream connects again by itself; this look has to be taken again too
    }
  };
  const paint = () => {
    if (!shown) return put(root, kind === "tv" && h("p.waiting", {}, "Waiting for a match"));
    if (kind === "overlay") return put(root, strip(shown, game));
    put(root, h("div.names", {}, panels(shown)), h("div.tvbody", {}, body.board, h("div.tvside", {}, body.extra, lastSteps(shown, game))));
    body.update(shown, { selected: null, choosing: false, open: () => {} });
    for (const piece of root.querySelectorAll("[role=button]")) piece.setAttribute("role", "img");
    for (const piece of root.querySelectorAll("[tabindex]")) piece.removeAttribute("tabindex");
  };
  const end = follow(id ? `/matches/${encodeURIComponent(id)}/changes` : "/changes", { snapshot: load, change: load, line: (up) => mark(document.body, "cut", !up) });
  return () => {
    asked = Infinity;
    end();
    document.body.classList.remove(`on-${kind}`, "cut");
  };
}

/** The match itself, or the one that is played now: live before the others, then the latest change. */
async function newest(id) {
  if (id) return api.match(id);
  const { matches } = await api.matches();
  const live = (match) => Boolean(match.live && !match.live.done);
  const [first] = matches.toSorted((a, b) => live(b) - live(a) || b.change - a.change);
  return first ? api.match(first.id) : null;
}

function panels({ sides, result }) {
  return sides.map((side, i) => h(`div.tvpanel.side-${i}${result.turn === i ? ".turn" : ""}${result.winner === i ? ".won" : ""}`, { "data-side": i }, h("span.name", {}, side), numeral(result.scores[i])));
}

/** What the newest turn brought, large enough for a room. */
function lastSteps(match, game) {
  const counted = match.history.filter((step) => step.counted);
  const turn = counted.findLast((step) => step.action.kind !== "end_turn")?.turn;
  const steps = counted.filter((step) => step.turn === turn && step.action.kind !== "end_turn");
  return h("ol.tvsteps", { "aria-label": "The newest turn" }, steps.slice(-4).map((step) => h(`li.side-${step.side ?? "x"}`, {}, h("b", {}, game.label?.(step.action) ?? step.notation), h("span", {}, why(step, match.sides).text))));
}

function strip(match, game) {
  const { sides, result } = match;
  const last = match.history.findLast((step) => step.counted && step.action.kind !== "end_turn");
  const word = last && (game.label?.(last.action) ?? last.notation);
  return h("div.strip", { role: "status" }, sides.map((side, i) => h(`div.stripside.side-${i}${result.turn === i ? ".turn" : ""}${result.winner === i ? ".won" : ""}`, { "data-side": i },
    h("span.name", {}, side), h("b.points", {}, String(result.scores[i])), last?.side === i && h("span.last", {}, word))));
}
