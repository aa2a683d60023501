/** How far a camera has to stand so that some places are in the picture: plain vectors, so that it can be tried alone. */

export type Place = readonly [x: number, y: number, z: number];

/** Shares of the picture that stay free: of its whole height above and below, of its whole width on either side. */
export interface Margins {
  top: number;
  bottom: number;
  side: number;
}

const dot = (a: Place, b: Place): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const unit = (a: Place): Place => {
  const length = Math.hypot(...a);
  return [a[0] / length, a[1] / length, a[2] / length];
};

/**
 * Distance and height of the point looked at, (0, height, 0), for a camera that stands in direction `from` of it with `fov`
 * degrees of vertical view: as near as all `places` allow, and they are in the middle of what is free.
 */
export function fit(places: readonly Place[], from: Place, fov: number, aspect: number, margins: Margins): { distance: number; height: number } {
  const back = unit(from), right = unit([back[2], 0, -back[0]]);
  const up: Place = [back[1] * right[2] - back[2] * right[1], back[2] * right[0] - back[0] * right[2], back[0] * right[1] - back[1] * right[0]];
  const tall = Math.tan((fov * Math.PI) / 360), wide = tall * aspect * (1 - 2 * margins.side);
  const high = 1 - 2 * margins.top, low = 1 - 2 * margins.bottom;
  let distance = 0, height = 0;
  // What is in the middle depends on the distance and that on the middle: a few rounds settle both.
  for (let round = 0; round < 12; round++) {
    distance = 0;
    const seen = places.map(([x, y, z]): Place => [x, y - height, z]);
    for (const p of seen) {
      const y = dot(p, up);
      distance = Math.max(distance, dot(p, back) + Math.max(Math.abs(dot(p, right)) / wide, y / (tall * (y > 0 ? high : -low))));
    }
    const shown = seen.map((p) => dot(p, up) / ((distance - dot(p, back)) * tall));
    height += ((Math.max(...shown) - high + Math.min(...shown) + low) / 2 / up[1]) * distance * tall;
  }
  return { distance, height };
}
