// The club's page: all boards on one wall, matches across boards, players. It only ever reads, and mends itself.

import { h, put } from "./dom.js";

const BASE = "/api/v1";
const EVERY_MS = 1000;
const GAMES = { cricket: "FinCricket", finn: "Finn Billiards", astrolabe: "Astrolabe" };

async function ask(path) {
  const reply = await fetch(BASE + path, { cache: "no-store" });
  const body = await reply.json().catch(() => ({}));
  if (!reply.ok) throw new Error(body.detail || "the club does not answer");
  return body;
}

const page = document.getElementById("page");
const note = h("p.clubnote", { role: "status", hidden: true });
const main = h("main", { id: "main" });
const links = [["/", "Boards"], ["/matches", "Matches"], ["/players", "Players"]];
put(page,
  h("header.bar", {}, h("span.brand", {}, "tallycam"), h("span.grow"),
    links.map(([path, name]) => h("a.plain", { href: path, "aria-current": path === location.pathname && "page" }, name)),
    h("a.plain", { href: `${BASE}/results.csv` }, "Results")),
  note, main);

/** Say what is away; nothing when all is there. */
function warn(...problems) {
  const said = problems.filter(Boolean);
  note.hidden = !said.length;
  note.textContent = said.join(" · ");
}

const at = (match) => `/match/${encodeURIComponent(match.board)}/${encodeURIComponent(match.id)}`;
const span = (s) => (s < 90 ? `${Math.round(s)} s` : s < 5400 ? `${Math.round(s / 60)} min` : `${Math.round(s / 3600)} h`);

function side(match, i) {
  const { result } = match;
  const state = result?.winner === i ? ".won" : result && !result.over && result.turn === i ? ".turn" : "";
  return h(`div.wallside.side-${i}${state}`, { "data-side": i }, h("span.name", {}, match.sides[i]), h("b", {}, result ? String(result.scores[i]) : "–"));
}

function board(one) {
  const { match } = one;
  const kind = (one.problem ? ".failing" : "") + (one.behind > 0 ? ".behind" : "") + (one.quiet ? ".quiet" : "");
  const when = one.heard_s === null ? "not heard yet" : one.quiet ? `silent for ${span(one.heard_s)}` : match?.result?.over ? "over" : "live";
  return h(`${match ? "a" : "div"}.wallboard${kind}`, { href: match && at(match), "data-key": one.board },
    h("div.wallhead", {}, h("b", {}, one.board), h("small", {}, match ? `${GAMES[match.game] ?? match.game ?? ""} · ${when}` : when)),
    match?.sides.map((_, i) => side(match, i)),
    match && !match.result && match.told_seq >= 0 && h("p.wallnote", {}, "its scoresheet cannot be read"),
    match?.result?.conflict && h("p.wallnote", {}, "the rules refuse an entry; a person has to look"),
    one.behind > 0 && h("p.wallnote", {}, `${one.behind} changes behind`),
    one.problem && h("p.wallnote", {}, one.problem));
}

async function showWall() {
  main.className = "wall";
  const load = async () => {
    try {
      const wall = await ask("/wall");
      warn(wall.broker, wall.database);
      put(main, wall.boards.length ? wall.boards.map(board) : h("p.quiet", {}, "No board has handed anything over yet."));
    } catch (problem) {
      warn(problem.message);
    }
    setTimeout(load, EVERY_MS);
  };
  await load();
}

const cell = (value) => h(typeof value === "number" ? "td.n" : "td", {}, value === null ? "" : typeof value === "number" ? String(value) : value);
const table = (heads, rows) => h("table.clubtable", {}, h("thead", {}, h("tr", {}, heads.map(([name, n]) => h(n ? "th.n" : "th", { scope: "col" }, name)))), h("tbody", {}, rows.map((row) => h("tr", {}, row.map(cell)))));
const outcome = (match) => (match.result ? match.result.scores.join(" : ") : "–");

async function showMatches() {
  const { matches } = await ask(`/matches${location.search}`);
  put(main, h("h1", {}, "Matches"), table([["Board"], ["Game"], ["Sides"], ["Score"], ["Newest entry"]],
    matches.map((match) => [match.board, GAMES[match.game] ?? match.game, h("a", { href: at(match) }, match.sides.join(" – ") || match.id), outcome(match), new Date(match.at).toLocaleString()])));
}

async function showPlayers() {
  const { players } = await ask("/players");
  put(main, h("h1", {}, "Players"), table([["Player"], ["Game"], ["Matches", 1], ["Won", 1], ["Points", 1], ["A turn", 1], ["Best turn", 1]],
    players.map((one) => [h("a", { href: `/matches?player=${encodeURIComponent(one.name)}` }, one.name), GAMES[one.game] ?? one.game, one.matches, one.won, one.points, one.points_per_turn, one.best_turn])));
}

async function showMatch() {
  const match = await ask(`/matches${location.pathname.slice("/match".length)}`);
  if (match.problem) return put(main, h("h1", {}, match.id), h("p.wallnote", {}, match.problem));
  put(main, h("h1", {}, match.sides.join(" – ")), h("p.quiet", {}, `${GAMES[match.game] ?? match.game}, ${match.board}, ${new Date(match.created_at).toLocaleString()}`),
    match.sides.map((_, i) => side(match, i)),
    table([["Side"], ["Turns", 1], ["Points", 1], ["A turn", 1], ["Best turn", 1], ["Counts"]],
      match.statistics.sides.map((one) => [one.name, one.turns, one.points, one.points_per_turn, one.best_turn, Object.entries(one.counts).map(([key, n]) => `${n} ${key.replaceAll("_", " ")}`).join(", ")])),
    h("p", {}, h("a", { href: `${BASE}/matches${location.pathname.slice("/match".length)}/scoresheet` }, "Scoresheet")));
}

async function show() {
  if (location.pathname === "/") return showWall();
  main.className = "clubpage";
  const view = location.pathname.startsWith("/match/") ? showMatch : location.pathname === "/players" ? showPlayers : showMatches;
  try {
    await view();
    warn();
  } catch (problem) {
    warn(problem.message);
    setTimeout(show, 3000);
  }
}

show();
