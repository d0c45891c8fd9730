// Variants and house rules of a match before it begins: each with its default in sight, folded until somebody wants one.

import { h, mark } from "./dom.js";
import { gameOf } from "./games.js";
import { rulesSaid, same } from "./words.js";

/**
 * The rules of a game as a form. Those that were chosen last are chosen again: a house has its rules.
 * @param {string} game
 * @param {object} [given] settings that the board decides, as how many slots it has: they are said, not asked
 * @returns {{root: Node, config: () => object}} `config` holds what differs from the defaults
 */
export function rulesForm(game, given = {}) {
  const every = gameOf(game).settings ?? [];
  const settings = every.filter((one) => !(one.key in given));
  if (!settings.length) return { root: h("p.quiet.norules", {}, `${gameOf(game).name} has one set of rules.`), config: () => ({}) };
  const kept = JSON.parse(localStorage[`rules-${game}`] ?? "{}");
  const fields = settings.map((one) => field(one, kept[one.key] ?? one.usual));
  const head = h("summary", {}, "");
  const chosen = () => Object.fromEntries(fields.filter((one) => !same(one.value(), one.setting.usual)).map((one) => [one.setting.key, one.value()]));
  const tell = () => {
    const said = rulesSaid(game, chosen());
    head.textContent = said.length ? `Rules: ${said.join(", ")}` : "Rules: as written";
    mark(root, "other", said.length);
  };
  const groups = [...new Set(settings.map((one) => one.group))].map((group) =>
    h("fieldset.rulegroup", {}, h("legend", {}, group), fields.filter((one) => one.setting.group === group).map((one) => one.root)));
  const fixed = every.filter((one) => one.key in given).map((one) => h("p.quiet", {}, `${one.said(given[one.key])}, as the board is set up`));
  const root = h("details.rules", { oninput: tell }, head, groups, fixed);
  tell();
  return {
    root,
    config() {
      const config = chosen();
      localStorage[`rules-${game}`] = JSON.stringify(config);
      return config;
    },
  };
}

/** One setting: a switch, a number, three numbers by position, or one of a few. */
function field(setting, value) {
  const { key, name, why, usual } = setting;
  const note = h("small.quiet", {}, `${why ? `${why}. ` : ""}Usually ${setting.shown?.(usual) ?? shown(usual)}.`);
  if (typeof usual === "boolean") {
    const input = h("input", { type: "checkbox", name: key, checked: value });
    return { setting, value: () => input.checked, root: h("label.rule.check", {}, input, h("span", {}, name, note)) };
  }
  if (setting.options) {
    const input = h("select", { name: key }, setting.options.map(([one, words]) => h("option", { value: JSON.stringify(one), selected: same(one, value) }, words)));
    return { setting, value: () => JSON.parse(input.value), root: h("label.rule", {}, h("span", {}, name, note), input) };
  }
  if (setting.places) {
    const input = h("input", { name: key, value: value.map((place) => place.join(".")).join(", "), placeholder: "3.1, 3.5", autocomplete: "off", pattern: "\\s*([1-3]\\.\\d+\\s*,?\\s*)*" });
    return { setting, value: () => input.value.split(/[\s,]+/).filter(Boolean).map((place) => place.split(".").map(Number)), root: h("label.rule", {}, h("span", {}, name, note), input) };
  }
  const factor = setting.factor ?? 1;
  const number = (one, label) => h("input", { type: "number", inputmode: "numeric", name: key, min: setting.least ?? 1, step: setting.step ?? 1, required: true, value: one / factor, "aria-label": label });
  if (Array.isArray(usual)) {
    const inputs = value.map((one, i) => number(one, `${name}, position ${i + 1}`));
    return { setting, value: () => inputs.map((input) => Number(input.value)), root: h("div.rule.trio", { role: "group", "aria-label": name }, h("span", {}, name, note), h("div", {}, inputs)) };
  }
  const input = number(value, name);
  return { setting, value: () => Math.round(Number(input.value) * factor * 1000) / 1000, root: h("label.rule", {}, h("span", {}, name, note), input) };
}

function shown(value) {
  if (typeof value === "boolean") return value ? "on" : "off";
  return Array.isArray(value) ? value.join(", ") || "none" : String(value);
}
