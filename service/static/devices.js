// Pairing this device, and the devices that are paired.

import { api } from "./api.js";
import { h, icon, put, s } from "./dom.js";
import { sure } from "./sure.js";

const ROLES = {
  display: ["Display", "sees matches"], scorer: ["Scorer", "begins matches and keys in"],
  umpire: ["Umpire", "corrects and decides"], admin: ["Admin", "sets up, and says who may"],
};

const bar = (title) => h("header.bar", {}, h("a.plain", { href: "/", "aria-label": "All matches" }, icon("back")), h("span.title", {}, title));

/** Ask for the code that makes this device known. */
export function showPair(page, { go, fail }) {
  document.title = "Pair this device · tallycam";
  const code = h("input", { name: "code", required: true, maxlength: 40, autocomplete: "one-time-code", autocapitalize: "characters", spellcheck: "false", value: decodeURIComponent(location.hash.slice(1)) });
  const name = h("input", { name: "name", required: true, maxlength: 60, value: localStorage.device ?? "", placeholder: "Ann's phone", autocomplete: "off" });
  history.replaceState(null, "", location.pathname); // the code is good once, but need not stay in the history
  const pair = async (event) => {
    event.preventDefault();
    try {
      await api.pair(code.value.trim(), name.value.trim());
      localStorage.device = name.value.trim();
      go("/");
    } catch (problem) {
      fail(problem);
    }
  };
  put(page, bar("tallycam"), h("main.list.narrow", { id: "main" }, h("form.card.new", { onsubmit: pair }, h("h1", {}, "Pair this device"),
    h("p", {}, "The machine that runs tallycam shows a code; so does the list of devices of whoever is admin."),
    h("label.field", {}, h("span", {}, "Code"), code), h("label.field", {}, h("span", {}, "Name of this device"), name),
    h("button.main", { type: "submit" }, "Pair"))));
  (code.value ? name : code).focus();
  return () => {};
}

/** Show who may, and let an admin ask more in or somebody out. */
export function showDevices(page, tools) {
  document.title = "Devices · tallycam";
  const list = h("ul.devices");
  const invited = h("div.invited", { role: "status" });
  const invite = async (role) => {
    try {
      put(invited, invitation(await api.openCode(role)));
    } catch (problem) {
      tools.fail(problem);
    }
  };
  const load = async () => {
    try {
      const { keys } = await api.keys();
      put(list, keys.length ? keys.map((key) => row(key, () => revoke(key))) : h("li.quiet", {}, "No device is paired."));
    } catch (problem) {
      tools.fail(problem);
    }
  };
  const revoke = async (key) => {
    if (!(await sure(`Put ${key.name} out?`, "It is asked for a code before it may do anything again.", "Put out"))) return;
    try {
      await api.revoke(key.id);
      tools.say(`${key.name} is out.`);
      await load();
    } catch (problem) {
      tools.fail(problem);
    }
  };
  const roles = Object.entries(ROLES).map(([role, [word, what]]) => h("button.role", { "data-role": role, onclick: () => invite(role) }, h("b", {}, word), h("small", {}, what)));
  put(page, bar("Devices"), h("main.list.narrow", { id: "main" }, h("section.card", {}, h("h1", {}, "Pair another device"), h("p.quiet", {}, "It may do what you choose, and what those before it may."), h("div.roles", {}, roles), invited),
    h("section", {}, h("h2", {}, "Paired"), list)));
  let again = 0;
  let left = false;
  const begin = (me) => {
    if (left) return;
    if (!me.gate) return put(page, bar("Devices"), h("main.list.narrow", { id: "main" }, alone()));
    load();
    again = setInterval(load, 3000); // a device that was just paired shows up by itself
  };
  api.me().then(begin, tools.fail);
  return () => {
    left = true;
    clearInterval(again);
  };
}

/** What there is to say while no other machine is answered at all. */
function alone() {
  return h("section.card.new", {}, h("h1", {}, "This machine alone"), h("p", {}, "The service answers to the machine it runs on and to no other. To let phones and screens in, begin it with"),
    h("p", {}, h("code", {}, "tallycam serve --lan")), h("p.quiet", {}, "It then asks everybody, and this page invites them."));
}

function row(key, revoke) {
  const used = key.used_at ? `last used ${new Date(key.used_at).toLocaleDateString()}` : "not used yet";
  return h("li.device", {}, h("span", {}, h("b", {}, key.name), h("small.quiet", {}, `${ROLES[key.role][0]}, ${used}`)), h("button", { "data-key": `out-${key.id}`, "aria-label": `Take the key of ${key.name} back`, onclick: revoke }, "Take back"));
}

function invitation({ code, at, qr, role }) {
  const squares = qr.flatMap((line, y) => [...line].map((sign, x) => sign === "#" && `M${x} ${y}h1v1h-1z`)).filter(Boolean).join("");
  const side = qr.length;
  return h("div.invitation", {}, s("svg.qr", { viewBox: `-3 -3 ${side + 6} ${side + 6}`, role: "img", "aria-label": "QR code of the link" }, s("rect", { x: -3, y: -3, width: side + 6, height: side + 6, fill: "#fff" }), s("path", { d: squares, fill: "#000" })),
    h("div", {}, h("p", {}, `As ${ROLES[role][0].toLowerCase()}, within ten minutes: scan it, or open `, h("b", {}, at), " and type"), h("p.code", {}, `${code.slice(0, 4)}-${code.slice(4)}`)));
}
