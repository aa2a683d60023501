/** Scores, tiers, counts and the histogram of the whole plane for one lens: the page's own computation, without the engine. */

import type { Plane } from "./model";
import { decay, lifted, lodMicro, MICRO, naturalTier, type Lens } from "./score";

export const BINS = 80;

/** Per row: `micro` the LOD in millionths, `tier` with floors. Counts are of the visible rows. */
export interface Measured {
  micro: Uint32Array;
  tier: Uint8Array;
  counts: [number, number, number, number];
  histogram: Uint32Array;
  visible: number;
}

/**
 * The lens that counts. Without a query there is no S, and height is decay alone, so that the landscape still has a shape;
 * unless the profile does not let alpha be 0: then S is 0 and the lens stays.
 */
export const effective = (lens: Lens, query: boolean, free: boolean): Lens => (query || !free ? lens : { ...lens, alpha: 0 });

/** `now` in days since the plane's base; `visible` has 1 for each row that takes part. */
export function measure(plane: Plane, s: Float32Array | null, lens: Lens, now: number, visible: Uint8Array): Measured {
  const { n, last, slow, floor } = plane;
  const micro = new Uint32Array(n), tier = new Uint8Array(n), histogram = new Uint32Array(BINS);
  const counts: [number, number, number, number] = [0, 0, 0, 0];
  let seen = 0;
  for (let i = 0; i < n; i++) {
    const relevance = s ? s[i] : 0;
    const m = lodMicro(relevance === relevance ? relevance : 0, lens.alpha === 1 ? 0 : decay(now - last[i], slow[i], lens.lambda), lens.alpha);
    micro[i] = m;
    const t = lifted(naturalTier(m, lens), floor[i]);
    tier[i] = t;
    if (!visible[i]) continue;
    seen++;
    counts[t]++;
    histogram[Math.min(BINS - 1, Math.floor((m / MICRO) * BINS))]++;
  }
  return { micro, tier, counts, histogram, visible: seen };
}

/** Tokens of the visible texts at each tier, from the texts' own counts; the horizon costs nothing. */
export function tokensByTier(tier: Uint8Array, visible: Uint8Array, costs: ArrayLike<number>[]): [number, number, number, number] {
  const sums: [number, number, number, number] = [0, 0, 0, 0];
  for (let i = 0; i < tier.length; i++) if (visible[i] && tier[i] > 0) sums[tier[i]] += costs[tier[i]][i];
  return sums;
}

/** Rows that are seen, as the table and the keys walk through them. */
export function seenRows(visible: Uint8Array, count: number): Uint32Array {
  const rows = new Uint32Array(count);
  let at = 0;
  for (let i = 0; i < visible.length && at < count; i++) if (visible[i]) rows[at++] = i;
  return rows;
}
