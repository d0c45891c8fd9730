// A game that has no view of its own yet: its scores, entries and history are shown all the same.

import { h } from "../dom.js";

const NAMES = { finn: "Finn Billiards", astrolabe: "Astrolabe" };
const WORDS = { round: "Round", game: "Game", games: "Games won", hand: "In hand", grouped: "Grouped", gutter: "In the gutter", out: "Out", defense: "In defense" };

/** The view of one of them. */
export function plain(game) {
  return {
    name: NAMES[game] ?? game,
    piece: "shot",
    doubtful: (step) => Boolean(step.seen?.review?.length && !step.decision && !step.correction),
    build() {
      const facts = h("dl.facts");
      return {
        board: null,
        extra: facts,
        update(view) {
          const rows = Object.entries(view.result.state).filter(([key, value]) => WORDS[key] && key !== "defense" && value !== null);
          const pins = Object.entries(view.result.state.defense ?? {});
          if (pins.length) rows.push(["defense", pins.map(([pin, [x, y]]) => `${pin} at ${x}, ${y}`)]);
          facts.hidden = !rows.length;
          facts.replaceChildren(...rows.flatMap(([key, value]) => [h("dt", {}, WORDS[key]), h("dd", {}, [value].flat().join(key === "defense" ? "; " : " : "))]));
        },
      };
    },
  };
}
