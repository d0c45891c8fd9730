// What a camera, a network or a person said that a shot was, in words; whatever the game.

const STATES = { fallen: "lies", leaning: "leans", off_board: "off the board", line: "on the line", upright: "stands", unknown: "not known" };
const PLACES = { hand: "hand", gutter: "gutter", grouped: "grouped", out: "out" };

const place = (where) => (Array.isArray(where) ? where.join(".") : PLACES[where] ?? where);
const WORDS = {
  cricket: (value) => (Array.isArray(value) ? value : [value.segment]).join(", ") || "no dart",
  finn: (value) => Object.entries(value.pins ?? value).map(([pin, state]) => `${pin} ${STATES[state] ?? state}`).join(", ") || "no pin",
  astrolabe: (value) => (value.moves ?? value).map(({ from, to }) => `${from === "hand" ? "" : `${place(from)} `}→ ${place(to)}`).join(", ") || "no ball",
};

/** An action, or what counts of one, in words; `none` where there is none. */
export const inWords = (game, value, none = "nothing") => (value === null ? none : WORDS[game](value));

/** A label to filter by, as people say it. */
export const labelWord = (label) => (label === "none" ? "nothing" : STATES[label] ?? label);
