// A match kept as a regression test: the folder that `tallycam check` replays.

import { api } from "./api.js";
import { h } from "./dom.js";

/** A button that keeps it, and why it cannot be kept; there is none where no camera or recording of the match was watched. */
export function keepButton(match, tools) {
  const button = h("button", { "data-key": "regression", onclick: () => keep() }, "Keep as a regression test");
  const why = h("p.quiet", { role: "status" });
  const root = h("div.keep", { hidden: true }, button, why);
  let recording = null;
  api.recordings(match).then(({ recordings }) => {
    [recording] = recordings;
    root.hidden = !recording;
  }, () => {});
  async function keep() {
    button.disabled = true;
    why.textContent = "";
    try {
      const { folder, actions } = await api.keepRegression(recording.id);
      tools.say(`Kept with ${actions} actions. Replay it with: tallycam check ${folder}`);
    } catch (problem) {
      if (problem.status !== 409) return tools.fail(problem);
      why.textContent = `${problem.message.charAt(0).toUpperCase()}${problem.message.slice(1)}.`;
    } finally {
      button.disabled = false;
    }
  }
  return root;
}
