// A correction before it is saved: what it would come to, and whether the score would stop later.

import { h, icon } from "./dom.js";
import { refusal } from "./words.js";

/** The conflict that a correction would bring, if the match has not got it already. */
export function stumbles(match, preview) {
  const { conflict } = preview.result;
  return conflict && conflict.id !== match.result.conflict?.id ? conflict : null;
}

/**
 * Draw it.
 * @param {{match: object, game: object, draft: {name: string, preview: object}, instead: string}} what
 * @param {{propose: Function, drop: Function, save: Function, take?: Function}} act `take`: what keeps the match going instead
 */
export function drafted({ match, game, draft, instead }, act) {
  const { result } = draft.preview;
  const now = match.result;
  const changes = match.sides.map((side, i) => h(`div.change.side-${i}`, {}, h("span", {}, side), now.scores[i] === result.scores[i] ? h("b", {}, String(now.scores[i])) : h("b", {}, h("s", {}, String(now.scores[i])), " → ", String(result.scores[i]))));
  const rings = (game.rings?.(draft.name) ?? []).map((one) => h(`button.ring${one === draft.name ? ".on" : ""}`, { "data-key": `ring-${one}`, onclick: () => act.propose(one), "aria-pressed": String(one === draft.name) }, one));
  const stumble = stumbles(match, draft.preview);
  return h("div.draft", {},
    h("div.drafthead", {}, h("b.big", {}, draft.name), h("span.quiet", {}, instead), h("span.grow"), rings),
    h("div.changes", {}, changes),
    now.winner !== result.winner && h("p.note.bad", {}, icon("cross"), h("span", {}, winner(result.winner, match.sides))),
    stumble && h("p.note.bad", { role: "alert" }, icon("cross"), h("span", {}, `The score would stop at entry ${stumble.id}: ${refusal(stumble.reason)}. That entry then needs a look too.`)),
    act.take && stumble && (draft.preview.instead ?? []).map((one, i) => h("button.note", { "data-key": `instead-${i}`, onclick: () => act.take(one) }, icon("check"), h("span", {}, one.text))),
    h("div.acts", {}, h("button", { "data-key": "drop", onclick: act.drop }, "Back"), h("button.main", { "data-key": "save", onclick: act.save }, stumble ? "Save all the same" : `Save ${draft.name}`)));
}

function winner(who, sides) {
  if (who === "draw") return "The match would be a draw.";
  return who === null ? "The match would not be over." : `${sides[who]} would win.`;
}
