// What the rules said, in words; by which rules; and who says otherwise.

import { gameOf } from "./games.js";

/** An explanation without its notation, and its clause apart. */
export function why(step, sides) {
  const said = (step.explanation || refusal(step.refused)).replace(/^[^:]{1,12}: /, "");
  const clauses = [...said.matchAll(/\(([A-Z]{2}-\d[^)]*)\)/g)].map((found) => found[1]);
  const text = said.replace(/\s*\([A-Z]{2}-\d[^)]*\)/g, "").replace(/\bside (\d+)\b/g, (same, side) => sides[side] ?? same);
  return { text, clause: [...new Set(clauses.flatMap((one) => one.split(", ")))].join(", ") };
}

const REFUSALS = {
  TURN_FULL: "a fourth dart in one turn", TURN_NOT_FULL: "the turn ended before its third dart", NOTHING_TO_UNDO: "there was no dart to take back",
  WRONG_SIDE: "the other side is on turn", MATCH_OVER: "the match was over", TIME_RUNS_BACK: "its time is before the one before", UNKNOWN_SEGMENT: "there is no such segment",
};

/** A refusal of the rules in words. */
export const refusal = (code) => (code ? REFUSALS[code] ?? code.toLowerCase().replaceAll("_", " ") : "not counted: the score stops before it");

/** Who corrects: a player at home acts as umpire under a name that is kept. */
export const umpire = () => `umpire:${localStorage.umpire?.trim() || "Home"}`;

/** Whether two settings are one. */
export const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

/** What a setting is called where it is not as usual: "Ride the Rails", "to 50". */
export function rulesSaid(game, config = {}) {
  return (gameOf(game).settings ?? []).filter((one) => one.key in config && !same(config[one.key], one.usual)).map((one) => one.said?.(config[one.key]) ?? one.name);
}
