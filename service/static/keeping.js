// A match kept as a regression test: the folder that `tallycam check` replays.

import { api } from "./api.js";
import { h } from "./dom.js";

/** A button that keeps it; there is none where no recording of the match was watched. */
export function keepButton(match, tools) {
  const button = h("button", { "data-key": "regression", hidden: true, onclick: () => keep() }, "Keep as a regression test");
  let recording = null;
  api.recordings(match).then(({ recordings }) => {
    recording = recordings.findLast((one) => !one.live) ?? null;
    button.hidden = !recording;
  }, () => {});
  async function keep() {
    button.disabled = true;
    try {
      const { folder, actions } = await api.keepRegression(recording.id);
      tools.say(`Kept with ${actions} actions. Replay it with: tallycam check ${folder}`);
    } catch (problem) {
      tools.fail(problem);
    } finally {
      button.disabled = false;
    }
  }
  return button;
}
