// What a page must hold to: names, sizes for fingers, contrast (WCAG 2.2 AA), texts of pictures. Gives what does not.
() => {
  const shown = (e) => e.getClientRects().length && getComputedStyle(e).visibility !== "hidden";
  const labels = (e) => [...(e.labels ?? [])].map((label) => label.textContent).join("");
  const name = (e) => (e.getAttribute("aria-label") ?? "") + labels(e) + e.textContent.trim() + (e.title ?? "");
  const pen = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (text) => {
    pen.clearRect(0, 0, 1, 1);
    pen.fillStyle = text;
    pen.fillRect(0, 0, 1, 1);
    return [...pen.getImageData(0, 0, 1, 1).data];
  };
  const linear = (v) => (v <= 10 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4);
  const light = ([r, g, b]) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
  const ground = (e) => {
    for (let node = e; node; node = node.parentElement) {
      const colour = rgba(getComputedStyle(node).backgroundColor);
      if (colour[3] > 250) return colour;
    }
    return [255, 255, 255, 255];
  };
  const found = [];
  const say = (what, e) => found.push(`${what}: ${e.outerHTML.slice(0, 90)}`);
  const all = (query) => [...document.querySelectorAll(query)].filter(shown);
  for (const e of all("button, a[href], input, [role=button]")) if (!name(e)) say("no name", e);
  for (const e of all("button:not(.ends), input:not([type=radio])")) {
    const box = (e.type === "checkbox" ? e.closest("label") : e).getBoundingClientRect(); // its label is what is tapped
    if (box.height < 43 || box.width < 43) say(`${box.width} x ${box.height}`, e);
  }
  for (const e of all("#page *, #toast *")) {
    const own = [...e.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (!own || e.closest("svg, .unseen")) continue;
    const style = getComputedStyle(e);
    const [high, low] = [light(rgba(style.color)), light(ground(e))].sort((a, b) => b - a);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
    const ratio = (high + 0.05) / (low + 0.05);
    if (ratio < (large ? 3 : 4.5)) say(`contrast ${ratio.toFixed(2)}`, e);
  }
  for (const e of all("svg[role=img], img")) if (!e.getAttribute("aria-label") && !e.alt) say("no text", e);
  const ids = [...document.querySelectorAll("[id]")].map((e) => e.id);
  if (new Set(ids).size !== ids.length) found.push("an id twice");
  if (document.querySelectorAll("main").length !== 1) found.push("not one main");
  if (!document.documentElement.lang) found.push("no language");
  return found;
}
