// A board's plane in a picture: from centimetres on the board to pixels and back, a lens that bends included.

const STEPS = 8; // of Newton's way back through the lens

/** Solve a linear system by Gauss; `rows` are [a…, b]. */
function solve(rows) {
  const n = rows.length;
  for (let i = 0; i < n; i += 1) {
    let best = i;
    for (let j = i + 1; j < n; j += 1) if (Math.abs(rows[j][i]) > Math.abs(rows[best][i])) best = j;
    [rows[i], rows[best]] = [rows[best], rows[i]];
    if (Math.abs(rows[i][i]) < 1e-12) return null;
    for (let j = 0; j < n; j += 1) {
      if (j === i) continue;
      const factor = rows[j][i] / rows[i][i];
      for (let k = i; k <= n; k += 1) rows[j][k] -= factor * rows[i][k];
    }
  }
  return rows.map((row, i) => row[n] / row[i]);
}

/** The homography from points to points, by least squares where there are more than four. */
function homography(from, to) {
  const rows = from.flatMap(([x, y], i) => {
    const [u, v] = to[i];
    return [[x, y, 1, 0, 0, 0, -u * x, -u * y, u], [0, 0, 0, x, y, 1, -v * x, -v * y, v]];
  });
  const normal = Array.from({ length: 8 }, (_, i) => Array.from({ length: 9 }, (__, j) => rows.reduce((sum, row) => sum + row[i] * row[j], 0)));
  const found = solve(normal);
  return found && [...found, 1];
}

const through = (m, [x, y]) => {
  const w = m[6] * x + m[7] * y + m[8];
  return [(m[0] * x + m[1] * y + m[2]) / w, (m[3] * x + m[4] * y + m[5]) / w];
};

function bend(lens, [x, y]) {
  const [cx, cy] = [(x - lens.cx_px) / lens.f_px, (y - lens.cy_px) / lens.f_px];
  const r2 = cx * cx + cy * cy;
  const out = 1 + lens.k1 * r2 + lens.k2 * r2 * r2;
  return [cx * out * lens.f_px + lens.cx_px, cy * out * lens.f_px + lens.cy_px];
}

function unbend(lens, [x, y]) {
  const [cx, cy] = [(x - lens.cx_px) / lens.f_px, (y - lens.cy_px) / lens.f_px];
  const seen = Math.hypot(cx, cy);
  let r = seen;
  for (let i = 0; i < STEPS; i += 1) {
    const r2 = r * r;
    r -= (r * (1 + lens.k1 * r2 + lens.k2 * r2 * r2) - seen) / Math.max(0.05, 1 + 3 * lens.k1 * r2 + 5 * lens.k2 * r2 * r2);
  }
  const part = seen ? r / seen : 1;
  return [cx * part * lens.f_px + lens.cx_px, cy * part * lens.f_px + lens.cy_px];
}

/**
 * The plane of a SETUP whose points lie on its board in cm, or null.
 * @returns {{px: (cm: number[]) => number[], cm: (px: number[]) => number[]} | null}
 */
export function planeOf({ board_px: seen, board_cm: known, lens }) {
  if (!seen?.length || seen.length !== known?.length) return null;
  const ideal = lens ? seen.map((point) => unbend(lens, point)) : seen;
  const [there, back] = [homography(known, ideal), homography(ideal, known)];
  if (!there || !back) return null;
  return {
    px: (cm) => (lens ? bend(lens, through(there, cm)) : through(there, cm)),
    cm: (px) => through(back, lens ? unbend(lens, px) : px),
  };
}
