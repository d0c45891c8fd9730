// A match on a board: asked for in a dialog, begun, watched.

import { api } from "./api.js";
import { matchForm } from "./asking.js";
import { h } from "./dom.js";

/** Ask who plays, make the match, have the board watch it. */
export function begin(board, { go, fail }) {
  const asked = matchForm(board.game, board.decides);
  const wait = h("input", { type: "checkbox", name: "wait" });
  const start = async (event) => {
    event.preventDefault();
    try {
      const match = await api.create(board.game, asked.sides(), asked.config(), { on_doubt: wait.checked ? "wait" : "mark", board: board.id });
      await api.watch(board.id, match.id);
      dialog.close();
      go(`/match/${match.id}`);
    } catch (problem) {
      fail(problem);
    }
  };
  const dialog = h("dialog.card", { "aria-label": "New match", onclose: () => dialog.remove() }, h("form.new", { onsubmit: start }, h("h2", {}, `New match on ${board.name}`), asked.root,
    h("label.check", {}, wait, h("span", {}, "What the camera is unsure of waits for a person")),
    h("div.acts", {}, h("button", { type: "button", onclick: () => dialog.close() }, "Cancel"), h("button.main", { type: "submit" }, "Start"))));
  document.body.append(dialog);
  dialog.showModal();
}
