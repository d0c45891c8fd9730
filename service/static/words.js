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
  NO_ROUND: "no Round runs", ROUND_RUNNING: "a Round runs already", ROUND_RUNNING_ON: "the Round's time is not up yet", TIME_UP: "the Round's time was up", NO_SUCH_BALL: "no such ball lay there",
  SLOT_TAKEN: "that slot was taken", UNKNOWN_SLOT: "there is no such slot", BAD_MOVE: "a ball cannot go that way", NO_CHOICE: "there was nothing to choose", CHOICE_PENDING: "Bank or Final Sequence has to be chosen first",
  FINAL_SEQUENCE: "a Final Sequence is played", CONVERSION_OFF: "ball conversion is not played", OUTSIDE_DEFENSE_ZONE: "a pin stands outside the defense zone",
  UNKNOWN_PIN: "there is no such pin", DEFENSE_NOT_OPEN: "that shot gave no right to a defense", PLACEMENTS_INCOMPLETE: "a defense puts all pins that counted, and no others", TOO_CLOSE: "two pins were put too close to each other",
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
