// What the page can do, in one dialog.

import { h } from "./dom.js";

const KEYS = [
  ["e", "correct the newest dart"], ["← →", "the one before, the one after"], ["t20, s5, db, m", "type what it was, then Enter"],
  ["space", "it is right as it stands"], ["n", "next one to check"], ["u", "undo the newest correction"], ["Esc", "close"],
];

/** Show it. */
export function showHelp() {
  const dialog = h("dialog.card", { "aria-label": "Help", onclose: () => dialog.remove() },
    h("h2", {}, "Put a score right"),
    h("p", {}, "Tap a dart on the board or in the history, then tap what it was. The score that follows stands on each button before you tap it. Both readings stay in the log, and every correction can be undone."),
    h("h2", {}, "Keys"), h("dl.keys", {}, KEYS.flatMap(([key, text]) => [h("dt", {}, key), h("dd", {}, text)])),
    h("form", { method: "dialog" }, h("button.main", {}, "Close")));
  document.body.append(dialog);
  dialog.showModal();
}
