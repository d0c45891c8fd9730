// A match on a board: asked for in a dialog, begun, watched.

import { api } from "./api.js";
import { matchForm } from "./asking.js";
import { h } from "./dom.js";

/** Ask who plays, make the match, have the board watch it. */
export async function begin(board, { go, fail }) {
  const asked = matchForm(board.game, await byBoard(board));
  const wait = h("input", { type: "checkbox", name: "wait" });
  const start = async (event) => {
    event.preventDefault();
    try {
      const match = await api.create(board.game, asked.sides(), asked.config(), wait.checked ? "wait" : "mark");
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

/** Settings of a match that follow from how its board was set up: where the defense zone is, how many slots there are. */
async function byBoard(board) {
  if (board.setup_version === null || board.game === "cricket") return {};
  try {
    const { setup } = await api.setup(board.id, board.setup_version);
    if (board.game === "finn") {
      const zone = setup.zones_cm?.defense;
      return zone && JSON.stringify(zone) !== "[[55,0],[80,0],[80,49],[55,49]]" ? { defense_zone_cm: zone } : {};
    }
    const slots = (setup.positions ?? []).map((row) => row.slots);
    return slots.length === 3 && slots.join() !== "5,5,5" ? { slots } : {};
  } catch {
    return {}; // only who set the board up may look at that
  }
}
