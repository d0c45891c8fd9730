// What lies on a table, drawn over its picture to be dragged into place: combs, lines, gutters, zones. All in centimetres.

import { h, s } from "./dom.js";

const PINS = [[95, 30], [95, 24.5], [95, 19], [90, 32.75], [90, 27.25], [90, 21.75], [90, 16.25], [85, 30], [85, 24.5], [85, 19], [80, 27.25], [80, 21.75]];
const FINN = [117, 49];
const ZONE = [[55, 0], [80, 0], [80, 49], [55, 49]];
const COMBS = [55, 80, 105].map((y) => ({ y, x0: 21, pitch: 4.5, slots: 5 }));

const round = (value) => Math.round(value * 10) / 10;
const between = (low, value, high) => Math.max(low, Math.min(high, value));

/**
 * A handle: `at` says where it is in cm, `to` takes it there and gives the setup that follows.
 * @typedef {{name: string, at: () => number[], to: (cm: number[]) => object, across?: boolean}} Handle
 */

/** The handles of a setup's template. @returns {Handle[]} */
export function templateHandles(setup) {
  return setup.game === "finn" ? finnHandles(setup) : astrolabeHandles(setup);
}

function finnHandles(setup) {
  const zones = setup.zones_cm ?? {};
  const zone = zones.defense ?? ZONE;
  const line = zones.first_line_x ?? 25;
  const corner = (i) => ({
    name: `corner ${i + 1} of the defense zone`, at: () => zone[i],
    to: ([x, y]) => ({ ...setup, zones_cm: { ...zones, defense: zone.map((point, j) => (j === i ? [round(between(0, x, FINN[0])), round(between(0, y, FINN[1]))] : point)) } }),
  });
  return [
    { name: "first line", at: () => [line, FINN[1] / 2], to: ([x]) => ({ ...setup, zones_cm: { ...zones, first_line_x: round(between(1, x, FINN[0] - 1)) } }) },
    ...zone.map((_, i) => corner(i)),
  ];
}

function astrolabeHandles(setup) {
  const [wide, long] = setup.table_cm ?? [60, 120];
  const rows = setup.positions?.length ? setup.positions : COMBS;
  const gutters = setup.gutters_cm ?? [];
  const edge = gutters.length ? round(Math.max(...gutters[0].map(([x]) => x))) : 3.6;
  const row = (i, change) => ({ ...setup, positions: rows.map((one, j) => (j === i ? { ...one, ...change } : one)) });
  const comb = (one, i) => {
    const last = one.x0 + one.pitch * (one.slots - 1);
    return [
      { name: `first slot of position ${i + 1}`, at: () => [one.x0, one.y],
        to: ([x, y]) => {
          const x0 = round(between(0, x, last - (one.slots - 1)));
          return row(i, { x0, y: round(between(0, y, long)), pitch: one.slots > 1 ? Math.round(((last - x0) / (one.slots - 1)) * 100) / 100 : one.pitch });
        } },
      { name: `last slot of position ${i + 1}`, at: () => [last, one.y],
        to: ([x, y]) => row(i, { y: round(between(0, y, long)), pitch: one.slots > 1 ? Math.round((between(one.x0 + one.slots - 1, x, wide) - one.x0) / (one.slots - 1) * 100) / 100 : one.pitch }) },
    ];
  };
  return [
    { name: "Play Line", at: () => [wide / 2, setup.play_line_y ?? 20], to: ([, y]) => ({ ...setup, play_line_y: round(between(1, y, long - 1)) }) },
    { name: "gutters", at: () => [edge, long * 0.3],
      to: ([x]) => {
        const cm = round(between(1, x, wide / 4));
        return { ...setup, gutters_cm: [[0, cm], [wide - cm, wide]].map(([a, b]) => [[a, 0], [b, 0], [b, long], [a, long]]) };
      } },
    ...rows.flatMap(comb),
  ];
}

/** The template as paths over the picture: where everything lies if the setup is right. */
export function drawTemplate(setup, plane) {
  const path = (points, look, closed = false) => s(`path.${look}`, { d: `M${points.map((point) => plane.px(point).map((v) => v.toFixed(1)).join(" ")).join("L")}${closed ? "Z" : ""}` });
  const ring = ([x, y], radius, look) => path(Array.from({ length: 17 }, (_, i) => [x + radius * Math.cos((i * Math.PI) / 8), y + radius * Math.sin((i * Math.PI) / 8)]), look);
  const edge = ([wide, long]) => path(along([[0, 0], [wide, 0], [wide, long], [0, long], [0, 0]]), "edge");
  if (setup.game === "finn") {
    const zones = setup.zones_cm ?? {};
    const line = zones.first_line_x ?? 25;
    const pin = (setup.pins?.diameter_cm ?? 3) / 2;
    return [edge(FINN), path(along([...(zones.defense ?? ZONE), (zones.defense ?? ZONE)[0]]), "zoned"), path([[line, 0], [line, FINN[1]]], "line"), PINS.map((place) => ring(place, pin, "spot"))];
  }
  const table = setup.table_cm ?? [60, 120];
  const line = setup.play_line_y ?? 20;
  const ball = (setup.ball_cm ?? 2.5) / 2;
  const rows = setup.positions ?? [];
  return [edge(table), path([[0, line], [table[0], line]], "line"), (setup.gutters_cm ?? []).map((area) => path(along([...area, area[0]]), "zoned")),
    rows.map((row) => Array.from({ length: row.slots }, (_, i) => ring([row.x0 + i * row.pitch, row.y], ball, "spot")))];
}

/** More points between corners, so that a bent lens bends the lines too. */
function along(corners) {
  return corners.slice(1).flatMap(([bx, by], i) => {
    const [ax, ay] = corners[i];
    return Array.from({ length: 9 }, (_, k) => [ax + ((bx - ax) * k) / 8, ay + ((by - ay) * k) / 8]);
  });
}

/** Numbers beside the picture: slots of each comb, and what has been dragged, in cm. `changed` takes the new setup. */
export function templateFields(setup, changed) {
  if (setup.game === "finn") {
    const { first_line_x: line = 25 } = setup.zones_cm ?? {};
    return h("dl.measures", {}, h("dt", {}, "First line"), h("dd", {}, `${line} cm from the near end`), h("dt", {}, "Defense zone"), h("dd", {}, (setup.zones_cm?.defense ?? ZONE).flatMap(([x, y]) => [h("span.nowrap", {}, `${x} × ${y}`), " · "]).slice(0, -1), " cm"));
  }
  const rows = setup.positions?.length ? setup.positions : COMBS;
  const slots = (i, by) => {
    const row = rows[i];
    const count = between(1, row.slots + by, 20);
    const span = row.pitch * (row.slots - 1);
    const pitch = count > 1 && row.slots > 1 ? Math.round((span / (count - 1)) * 100) / 100 : row.pitch;
    changed({ ...setup, positions: rows.map((one, j) => (j === i ? { ...row, slots: count, pitch } : one)) });
  };
  return h("dl.measures", {}, rows.flatMap((row, i) => [
    h("dt", {}, `Position ${i + 1}`),
    h("dd.count", {}, h("button", { "data-key": `less-${i}`, "aria-label": `One slot less in position ${i + 1}`, onclick: () => slots(i, -1) }, "−"), h("span.nowrap", {}, `${row.slots} slots`),
      h("button", { "data-key": `more-${i}`, "aria-label": `One slot more in position ${i + 1}`, onclick: () => slots(i, 1) }, "+"), h("span.quiet", {}, `${row.pitch} cm apart`))]),
  h("dt", {}, "Play Line"), h("dd", {}, `${setup.play_line_y ?? 20} cm from the near wall`));
}

/** A setup whose table has not been said yet, with the usual one. */
export const withTemplate = (setup) => (setup.game === "astrolabe" && !setup.positions?.length ? { ...setup, positions: COMBS } : setup);
