// What the page can do, in one dialog.

import { h } from "./dom.js";

const KEYS = {
  match: [
    ["e", "correct the newest one"], ["← →", "the one before, the one after"], ["t20, s5, db, m", "type what it was, then Enter"],
    ["space", "it is right as it stands"], ["n", "next one to check"], ["u", "undo the newest correction"], ["Esc", "close"],
  ],
  review: [
    ["space", "it is right as it stands"], ["1 … 8", "it was that"], ["d", "it was nothing"], ["m", "one is missing after it"], ["e", "something else: type it, or the pieces on the board"],
    ["← →", "one picture of the clip back, on"], ["p", "play the clip"], ["n, b", "the next, the one before"], ["u", "undo"], ["Esc", "back"],
  ],
};

/** Show it. */
export function showHelp() {
  const dialog = h("dialog.card", { "aria-label": "Help", onclose: () => dialog.remove() },
    h("h2", {}, "Put a score right"),
    h("p", {}, "Tap a dart on the board or in the history, then tap what it was. The score that follows stands on each button before you tap it. Both readings stay in the log, and every correction can be undone."),
    h("h2", {}, "Keys"), h("dl.keys", {}, KEYS[location.pathname === "/review" ? "review" : "match"].flatMap(([key, text]) => [h("dt", {}, key), h("dd", {}, text)])),
    h("form", { method: "dialog" }, h("button.main", {}, "Close")));
  document.body.append(dialog);
  dialog.showModal();
}
