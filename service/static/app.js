// Which page is shown, light or dark, and the short messages at the foot.

import { showDevices, showPair } from "./devices.js";
import { h, put } from "./dom.js";
import { showList } from "./list.js";
import { showMatch } from "./match.js";
import { showStory } from "./story.js";
import { showTv } from "./tv.js";

const page = document.getElementById("page");
const toast = document.getElementById("toast");
let leave = () => {};
let fade = 0;

/** Show a short message, perhaps with something to do about it. */
function say(text, act = null, bad = false) {
  clearTimeout(fade);
  const button = act && h("button", { onclick: () => (put(toast), act.run()) }, act.label);
  put(toast, h(`div.toast${bad ? ".bad" : ""}`, {}, h("span", {}, text), button));
  fade = setTimeout(() => put(toast), act ? 9000 : 5000);
}

const fail = (problem) => {
  if (!(problem instanceof Error)) throw problem;
  say(problem.message, null, true);
};

function show() {
  leave();
  const [, id = null, kind = ""] = /^(?:\/match\/([\w-]+))?(?:\/(\w+))?$/.exec(location.pathname) ?? [];
  const tools = { go, fail, say };
  if (kind === "tv" || kind === "overlay") leave = showTv(page, id, kind);
  else if (kind === "pair" || kind === "devices") leave = (kind === "pair" ? showPair : showDevices)(page, tools);
  else if (id) leave = (kind === "story" ? showStory : showMatch)(page, id, tools);
  else leave = showList(page, tools);
}

function go(path) {
  history.pushState(null, "", path);
  show();
  scrollTo(0, 0);
}

addEventListener("popstate", show);
addEventListener("click", (event) => {
  const link = event.target.closest?.("a[href^='/']");
  const plain = !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || event.button);
  if (link && plain && !link.hasAttribute("download")) {
    event.preventDefault();
    go(link.getAttribute("href"));
  }
  if (event.target.closest?.("[data-act=theme]")) turnTheme();
});

function turnTheme() {
  const dark = document.documentElement.dataset.theme ? document.documentElement.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.dataset.theme = localStorage.theme = dark ? "light" : "dark";
}

if (localStorage.theme) document.documentElement.dataset.theme = localStorage.theme;
show();
