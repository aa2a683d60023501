/** Which point is under the cursor: a pure function over the columns, since the card's moved vertices are unknown to it. */

import { BASE } from "./score";

/** World size of the map (half its edge) and of one unit of height. */
export const HALF = 5, RISE = 1;

const TOP = BASE[4] * RISE;

/** A 4x4 view-projection matrix by columns, as three.js and WebGL keep it, and the canvas in CSS pixels. */
export interface Projection {
  matrix: ArrayLike<number>;
  width: number;
  height: number;
}

/** Where a place of the map (-1..1) at a height appears, in CSS pixels; null behind the camera. `w` grows with distance. */
export function project(p: Projection, x: number, height: number, y: number): { x: number; y: number; w: number } | null {
  const m = p.matrix, wx = x * HALF, wy = height * RISE, wz = y * HALF;
  const w = m[3] * wx + m[7] * wy + m[11] * wz + m[15];
  if (w <= 1e-6) return null;
  const cx = (m[0] * wx + m[4] * wy + m[8] * wz + m[12]) / w, cy = (m[1] * wx + m[5] * wy + m[9] * wz + m[13]) / w;
  return { x: (cx * 0.5 + 0.5) * p.width, y: (0.5 - cy * 0.5) * p.height, w };
}

/**
 * The row whose point is nearest to the cursor within `radius` pixels, -1 for none. Of points less than a pixel apart the
 * nearer to the camera wins: what is seen is what is picked. A row's height is asked for only where its upright on the map
 * passes the cursor, which few of a million do.
 */
export function pick(
  p: Projection, x: ArrayLike<number>, y: ArrayLike<number>, heightOf: (row: number) => number, visible: Uint8Array,
  atX: number, atY: number, radius = 9,
): number {
  const m = p.matrix, halfW = p.width / 2, halfH = p.height / 2;
  let best = -1, bestDistance = radius * radius, bestW = Infinity;
  for (let i = 0; i < visible.length; i++) {
    if (!visible[i]) continue;
    const wx = x[i] * HALF, wz = y[i] * HALF, wFoot = m[3] * wx + m[11] * wz + m[15], wTop = wFoot + m[7] * TOP;
    if (wFoot > 1e-6 && wTop > 1e-6) {
      const foot = m[0] * wx + m[8] * wz + m[12], left = (foot / wFoot) * halfW + halfW - atX, right = ((foot + m[4] * TOP) / wTop) * halfW + halfW - atX;
      if ((left > radius && right > radius) || (left < -radius && right < -radius)) continue;
    }
    const wy = heightOf(i) * RISE, w = wFoot + m[7] * wy;
    if (w <= 1e-6) continue;
    const dx = (m[0] * wx + m[4] * wy + m[8] * wz + m[12]) / w * halfW + halfW - atX;
    if (dx > radius || dx < -radius) continue;
    const dy = halfH - (m[1] * wx + m[5] * wy + m[9] * wz + m[13]) / w * halfH - atY;
    const distance = dx * dx + dy * dy;
    if (distance > radius * radius) continue;
    if (distance < bestDistance - 1 || (distance <= bestDistance + 1 && w < bestW)) {
      best = i;
      bestDistance = Math.min(distance, bestDistance);
      bestW = w;
    }
  }
  return best;
}
