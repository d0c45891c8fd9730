// Which page is shown, light or dark, and the short messages at the foot.

import { h, put } from "./dom.js";

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

const tools = { go, fail, say };

// Each view is loaded when it is first shown: a phone at the board needs none of the others.
const VIEWS = [
  [/^\/match\/([\w-]+)$/, () => import("./match.js"), (view, [id]) => view.showMatch(page, id, tools)],
  [/^\/match\/([\w-]+)\/story$/, () => import("./story.js"), (view, [id]) => view.showStory(page, id, tools)],
  [/^(?:\/match\/([\w-]+))?\/(tv|overlay)$/, () => import("./tv.js"), (view, [id, kind]) => view.showTv(page, id ?? null, kind)],
  [/^\/review$/, () => import("./review.js"), (view) => view.showReview(page, tools)],
  [/^\/boards$/, () => import("./boards.js"), (view) => view.showBoards(page, tools)],
  [/^\/board\/([\w-]+)\/setup$/, () => import("./setup.js"), (view, [id]) => view.showSetup(page, id, tools)],
  [/^\/board\/([\w-]+)\/teach$/, () => import("./teach.js"), (view, [id]) => view.showTeach(page, id, tools)],
  [/^\/labels$/, () => import("./labels.js"), (view) => view.showLabels(page, tools)],
  [/^\/shadow$/, () => import("./shadow.js"), (view) => view.showShadow(page, tools)],
  [/^\/pair$/, () => import("./devices.js"), (view) => view.showPair(page, tools)],
  [/^\/devices$/, () => import("./devices.js"), (view) => view.showDevices(page, tools)],
  [/^/, () => import("./list.js"), (view) => view.showList(page, tools)],
];

async function show() {
  leave();
  leave = () => {};
  const { pathname } = location;
  const [form, load, open] = VIEWS.find(([known]) => known.test(pathname));
  try {
    const view = await load();
    if (pathname === location.pathname) leave = open(view, form.exec(pathname).slice(1));
  } catch {
    say("This view could not be loaded; the service may be away.", { label: "Again", run: show }, true);
  }
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
