// How long the page takes for each move of a finger, listeners and layout: call it, drag, then ask for `spent()` in ms.
() => {
  const all = [];
  let begun = 0;
  addEventListener("pointermove", () => (begun = performance.now()), { capture: true });
  addEventListener("pointermove", () => {
    document.body.getBoundingClientRect();
    all.push(performance.now() - begun);
  });
  window.spent = () => {
    all.sort((a, b) => a - b);
    return { moves: all.length, quarter: all[all.length >> 2] ?? 0, median: all[all.length >> 1] ?? 0, worst: all.at(-1) ?? 0 };
  };
}
