// What is asked before a match or a board: which game, who plays, by which rules.

import { h, mark, put } from "./dom.js";
import { gameOf } from "./games.js";
import { rulesForm } from "./rules.js";

const MOST = 8; // players of a game that any number may play

/** The three games, one of them chosen; the form's value is `game`. */
export function gameChoice(changed = () => {}) {
  const games = ["cricket", "finn", "astrolabe"].map((game, i) => h("label.game", {}, h("input", { type: "radio", name: "game", value: game, checked: i === 0, onchange: () => changed(game) }), h("span", {}, gameOf(game).name)));
  return h("fieldset.games", {}, h("legend.unseen", {}, "Game"), games);
}

/** Names, those of the last match first; `sides` gives them and keeps them for the next. */
function sideNames(game) {
  const last = JSON.parse(localStorage.getItem("sides") ?? '["",""]');
  const many = Boolean(gameOf(game).many);
  const root = h("div.names", { "data-key": "names" });
  const field = (value, i) => h("input", { name: `side${i}`, value, placeholder: `Player ${i + 1}`, maxlength: 40, autocomplete: "off", "aria-label": `Name of player ${i + 1}` });
  let names = (many ? last : [last[0], last[1]]).map((name, i) => field(name ?? "", i));
  const paint = () => {
    mark(root, "many", names.length > 2);
    put(root, names, many && names.length < MOST && h("button.more", { type: "button", "data-key": "more", onclick: () => change(1) }, "+ Player"),
      many && names.length > 1 && h("button.more", { type: "button", "data-key": "fewer", onclick: () => change(-1) }, "− Player"));
  };
  const change = (by) => {
    names = by > 0 ? [...names, field("", names.length)] : names.slice(0, -1);
    paint();
    names.at(-1).focus();
  };
  paint();
  const sides = () => {
    const typed = names.map((input) => input.value.trim());
    localStorage.setItem("sides", JSON.stringify(typed));
    return typed.map((name, i) => name || `Player ${i + 1}`);
  };
  return { root, sides };
}

/** Who plays and by which rules, of one game; `choose` turns it to another. */
export function matchForm(game, given = {}) {
  const root = h("div.asked");
  const form = { root, game };
  form.choose = (other, fixed = {}) => {
    form.game = other;
    const names = sideNames(other);
    const rules = rulesForm(other, fixed);
    form.sides = names.sides;
    form.config = rules.config;
    put(root, names.root, rules.root);
  };
  form.choose(game, given);
  return form;
}
