// The score as panels, one for each side: large on a match, in one row beside a story.

import { h, numeral } from "./dom.js";

/**
 * Draw them.
 * @param {{sides: string[], result: object}} match
 * @param {{ahead?: object|null, look?: string}} [how] `ahead`: the result that a correction would bring
 */
export function scorePanels({ sides, result }, { ahead = null, look = "" } = {}) {
  const after = ahead ?? result;
  return sides.map((side, i) => {
    const moved = after.scores[i] !== result.scores[i];
    const state = moved ? `now ${result.scores[i]}` : result.winner === i ? "wins" : result.winner === "draw" ? "draw" : result.turn === i ? "on turn" : "";
    return h(`div.panel.side-${i}${look}${result.turn === i ? ".turn" : ""}${result.winner === i ? ".won" : ""}${moved ? ".moved" : ""}`, { "data-side": i },
      h("div.name", {}, h("span", {}, side), h("em", {}, state)), h("div.points", {}, numeral(after.scores[i])));
  });
}
