// A question before something that cannot be taken back.

import { h } from "./dom.js";

/**
 * Ask, and wait for the answer. What keeps everything as it is has the focus: Enter and Escape harm nothing.
 * @param {string} question what is about to be done
 * @param {string} told what goes with it, and what stays
 * @param {string} word of the button that does it
 * @returns {Promise<boolean>}
 */
export function sure(question, told, word) {
  return new Promise((answer) => {
    let yes = false;
    const close = (said) => {
      yes = said;
      dialog.close();
    };
    const keep = h("button", { type: "button", "data-key": "keep", autofocus: true, onclick: () => close(false) }, "Cancel");
    const dialog = h("dialog.card", { "aria-label": question, onclose: () => (dialog.remove(), answer(yes)) }, h("h2", {}, question), h("p", {}, told),
      h("div.acts", {}, keep, h("button.grave", { type: "button", "data-key": "sure", onclick: () => close(true) }, word)));
    document.body.append(dialog);
    dialog.showModal();
  });
}
