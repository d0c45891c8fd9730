// The service as the page sees it: requests, problems, and a stream that never gives up.

const BASE = "/api/v1";
const PAIR = "/pair"; // where a device goes that is not known here

/** A problem that the service named (RFC 9457); `status` 0 when it could not be reached. */
export class Problem extends Error {
  constructor(status, body) {
    super(body.detail || body.title || "the service does not answer");
    this.status = status;
    this.body = body;
  }
}

async function ask(method, path, body) {
  let reply;
  try {
    reply = await fetch(BASE + path, {
      method,
      cache: "no-store",
      headers: body === undefined ? {} : { "Content-Type": body instanceof Blob ? body.type : "application/json" },
      body: body === undefined || body instanceof Blob ? body : JSON.stringify(body),
    });
  } catch {
    throw new Problem(0, { detail: "the service does not answer; it will be tried again" });
  }
  const data = reply.status === 204 ? null : await reply.json().catch(() => ({}));
  if (reply.status === 401 && location.pathname !== PAIR) location.assign(PAIR);
  if (!reply.ok) throw new Problem(reply.status, data);
  return data;
}

const at = (id) => `/matches/${encodeURIComponent(id)}`;
const board = (id) => `/boards/${encodeURIComponent(id)}`;

export const api = {
  matches: () => ask("GET", "/matches"),
  match: (id) => ask("GET", at(id)),
  steps: (id) => ask("GET", `${at(id)}/steps`),
  create: (game, sides, config = {}, more = {}) => ask("POST", "/matches", { game, sides, config, ...more }),
  append: (id, expected_seq, entry) => ask("POST", `${at(id)}/entries`, { expected_seq, entry }),
  preview: (id, entries, together = false) => ask("POST", `${at(id)}/preview`, { entries, together }),
  alternatives: (id, entry) => ask("GET", `${at(id)}/entries/${entry}/alternatives`),
  undo: (id, expected_seq, by, target) => ask("POST", `${at(id)}/undo`, { expected_seq, by, target }),
  decide: (id, entry, decision, by) => ask("POST", `${at(id)}/reviews`, { entry, decision, by }),
  me: () => ask("GET", "/access/me"),
  pair: (code, name) => ask("POST", "/access/pair", { code, name }),
  keys: () => ask("GET", "/access/keys"),
  revoke: (id) => ask("DELETE", `/access/keys/${encodeURIComponent(id)}`),
  openCode: (role) => ask("POST", "/access/codes", { role }),
  boards: () => ask("GET", "/boards"),
  board: (id) => ask("GET", board(id)),
  createBoard: (made) => ask("POST", "/boards", made),
  removeBoard: (id) => ask("DELETE", board(id)),
  calibrate: (id, asked) => ask("POST", `${board(id)}/calibrations`, asked),
  setup: (id, version) => ask("GET", `${board(id)}/setups/${version}`),
  checks: (id, picture, setup) => ask("POST", `${board(id)}/checks`, { picture, setup }),
  saveSetup: (id, setup) => ask("POST", `${board(id)}/setups`, { setup }),
  watch: (id, match) => ask("POST", `${board(id)}/watching`, { match }),
  unwatch: (id) => ask("DELETE", `${board(id)}/watching`),
  picture: (id) => `${BASE}${board(id)}/picture`,
  media: (name) => `${BASE}/media/${name}`,
  cameras: () => ask("GET", "/cameras"),
  cameraPicture: (source) => `${BASE}/cameras/picture?source=${encodeURIComponent(source)}`,
  cameraWhy: (source) => ask("GET", `/cameras/picture?source=${encodeURIComponent(source)}`),
  labels: (wanted) => ask("GET", `/labels?${new URLSearchParams(Object.entries(wanted).filter(([, value]) => value !== "" && value !== undefined))}`),
  models: () => ask("GET", "/models"),
  shadow: () => ask("GET", "/shadow"),
  teachingSteps: (game) => ask("GET", `/teaching/${game}`),
  teach: (id, lessons) => ask("POST", `${board(id)}/teaching`, { lessons }),
  addPicture: (picture) => ask("POST", "/pictures", picture),
  reviews: (match = null) => ask("GET", `/reviews${match ? `?match=${encodeURIComponent(match)}` : ""}`),
  review: (id) => ask("GET", `/reviews/${id}`),
  frames: (id) => ask("GET", `/reviews/${id}/frames`),
  frame: (id, number) => `${BASE}/reviews/${id}/frames/${number}`,
  recordings: (match) => ask("GET", `/recordings?match=${encodeURIComponent(match)}`),
  keepRegression: (id) => ask("POST", `/recordings/${id}/regression`),
  decideReview: (id, decision, by, actions) => ask("POST", `/reviews/${id}/decision`, { decision, by, actions }),
  scoresheet: (id) => `${BASE}${at(id)}/scoresheet`,
  exported: (id, format) => `${BASE}${at(id)}/export?format=${format}`,
};

const SILENCE_MS = 12000; // the service says something every 5 s; past two of those the line is dead
const FIRST_RETRY_MS = 400;
const LAST_RETRY_MS = 2000;

/**
 * Follow changes for as long as the page is open. A lost line, a restart of the service, a day of sleep: it connects
 * again by itself and begins with a snapshot, so what is shown is the truth.
 * @param {string} path of the stream under /api/v1
 * @param {{snapshot: Function, change: Function, status?: Function, line: (up: boolean) => void}} on
 * @returns {() => void} ends it
 */
export function follow(path, on) {
  let source = null;
  let heard = 0;
  let wait = FIRST_RETRY_MS;
  let retry = 0;
  let version = null;
  let ended = false;

  const open = () => {
    clearTimeout(retry);
    source?.close();
    if (ended) return;
    heard = Date.now();
    source = new EventSource(BASE + path);
    const take = (kind, use) =>
      source.addEventListener(kind, (event) => {
        heard = Date.now();
        use?.(JSON.parse(event.data).data); // each is a CloudEvent
      });
    take("snapshot", (data) => {
      if (version && data.version !== version) location.reload(); // the service was updated: so is the page
      version = data.version;
      wait = FIRST_RETRY_MS;
      on.line(true);
      on.snapshot(data);
    });
    take("change", on.change);
    take("status", on.status);
    take("beat");
    source.onerror = again;
  };
  const again = () => {
    source?.close();
    source = null;
    on.line(false);
    api.me().then((me) => me.role === "nobody" && location.assign(PAIR), () => {}); // a stream does not tell why it ends
    clearTimeout(retry);
    retry = setTimeout(open, wait);
    wait = Math.min(wait * 1.6, LAST_RETRY_MS);
  };
  const wake = () => {
    if (document.visibilityState !== "visible") return;
    wait = FIRST_RETRY_MS;
    if (!source || Date.now() - heard > 6000) open();
  };
  const back = () => {
    wait = FIRST_RETRY_MS; // the line may have lived on, but what was asked for meanwhile was lost
    open();
  };
  const watch = setInterval(() => source && Date.now() - heard > SILENCE_MS && again(), 1000);
  document.addEventListener("visibilitychange", wake);
  addEventListener("online", back);
  addEventListener("pageshow", wake);
  open();
  return () => {
    ended = true;
    source?.close();
    clearInterval(watch);
    clearTimeout(retry);
    document.removeEventListener("visibilitychange", wake);
    removeEventListener("online", back);
    removeEventListener("pageshow", wake);
  };
}
