// What is asked before a match or a board: which game, who plays.

import { h } from "./dom.js";
import { gameOf } from "./games.js";

/** The three games, one of them chosen; the form's value is `game`. */
export function gameChoice() {
  const games = ["cricket", "finn", "astrolabe"].map((game, i) => h("label.game", {}, h("input", { type: "radio", name: "game", value: game, checked: i === 0 }), h("span", {}, gameOf(game).name)));
  return h("fieldset.games", {}, h("legend.unseen", {}, "Game"), games);
}

/** Two names, those of the last match first; `sides` gives them and keeps them for the next. */
export function sideNames() {
  const last = JSON.parse(localStorage.getItem("sides") ?? '["",""]');
  const names = [0, 1].map((i) => h("input", { name: `side${i}`, value: last[i] ?? "", placeholder: `Player ${i + 1}`, maxlength: 40, autocomplete: "off", "aria-label": `Name of player ${i + 1}` }));
  const sides = () => {
    localStorage.setItem("sides", JSON.stringify(names.map((input) => input.value.trim())));
    return names.map((input, i) => input.value.trim() || `Player ${i + 1}`);
  };
  return { root: h("div.names", {}, names), sides };
}
