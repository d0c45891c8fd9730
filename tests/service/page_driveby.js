// What a page of another origin may try with a service that it guesses at: gives what came of each.
async ([base, match]) => {
  const wanted = `${base}/api/v1/matches`;
  const done = {};
  const tried = async (name, work) => { try { done[name] = await work(); } catch { done[name] = "refused"; } };
  await tried("read", async () => (await fetch(wanted, { credentials: "include" })).status);
  await tried("read blind", async () => (await (await fetch(wanted, { mode: "no-cors", credentials: "include" })).text()).length);
  const body = JSON.stringify({ game: "cricket", sides: ["Evil", "Eve"] });
  await tried("write", async () => (await fetch(wanted, { method: "POST", body, headers: { "Content-Type": "application/json" }, credentials: "include" })).status);
  await tried("write blind", async () => (await fetch(wanted, { method: "POST", body, mode: "no-cors", headers: { "Content-Type": "text/plain" }, credentials: "include" })).type);
  await tried("image", () => new Promise((good, bad) => Object.assign(new Image(), { onload: () => good("shown"), onerror: bad, src: `${base}/static/icon.svg` })));
  await tried("script", () => new Promise((good, bad) => document.head.append(Object.assign(document.createElement("script"), { onload: () => good("run"), onerror: bad, src: `${base}/api/v1/matches` }))));
  await tried("socket", () => new Promise((good, bad) => { const socket = new WebSocket(`${base.replace("http", "ws")}/api/v1/changes`); socket.onmessage = (m) => good(m.data.length); socket.onerror = bad; }));
  await tried("stream", () => new Promise((good, bad) => { const source = new EventSource(`${base}/api/v1/changes`, { withCredentials: true }); source.onopen = () => good("open"); source.onerror = bad; }));
  const form = document.createElement("form");
  Object.assign(form, { method: "POST", action: `${base}/api/v1/matches/${match}/undo`, target: "sink", enctype: "text/plain" });
  form.append(Object.assign(document.createElement("input"), { name: '{"expected_seq": 4, "by": "player", "x": "', value: '"}' }));
  document.body.append(Object.assign(document.createElement("iframe"), { name: "sink" }), form);
  form.submit();
  await new Promise((good) => setTimeout(good, 800));
  return done;
}
