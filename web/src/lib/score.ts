/**
 * The LOD score, its tier and its height, as the engine computes them (lodmem/lod/decay.py, lod/tiers.py).
 *
 * The same formulas stand in glsl.ts for the graphics card. Golden vectors written by Python tie this file to the engine,
 * a transform feedback test ties the shader to this file.
 */

export const HORIZON = 0, HEADLINE = 1, SUMMARY = 2, FULL = 3;
export type Tier = 0 | 1 | 2 | 3;
export const TIERS = ["horizon", "headline", "summary", "full"] as const;
export type TierName = (typeof TIERS)[number];

/** Scores are whole millionths wherever they are compared: the engine rounds to 1e-6 before tiers and order. */
export const MICRO = 1_000_000;

/** What the camera looks with. `lambda` is per day; theta1 >= theta2 >= theta3. */
export interface Lens {
  alpha: number;
  lambda: number;
  theta1: number;
  theta2: number;
  theta3: number;
}

/** 1 + ln(1 + r): how much slower a memory fades that was retrieved r times. */
export const slowness = (retrievals: number): number => 1 + Math.log1p(retrievals);

/** D = exp(-lambda * t / slowness), 0..1. `days` below 0 count as 0. */
export const decay = (days: number, slow: number, lambda: number): number => Math.exp((-lambda * Math.max(0, days)) / slow);

/** Round half to even, as numpy does. */
export function rint(x: number): number {
  const low = Math.floor(x), rest = x - low;
  if (rest < 0.5) return low;
  if (rest > 0.5) return low + 1;
  return low % 2 === 0 ? low : low + 1;
}

/** LOD = alpha * S + (1 - alpha) * D in millionths. */
export const lodMicro = (s: number, d: number, alpha: number): number => rint((alpha * s + (1 - alpha) * d) * MICRO);

/** The tier a score in millionths earns by itself. */
export function naturalTier(micro: number, lens: Lens): Tier {
  const score = micro / MICRO;
  return score >= lens.theta1 ? FULL : score >= lens.theta2 ? SUMMARY : score >= lens.theta3 ? HEADLINE : HORIZON;
}

/** max(tier, floor). */
export const lifted = (tier: Tier, floor: number): Tier => (tier >= floor ? tier : (floor as Tier));

/** Heights of the sheets: below BASE[1] is the horizon, above BASE[3] is full. The horizon's band is thin: it is only counted. */
export const BASE = [0, 0.6, 1.6, 2.6, 3.6] as const;

/**
 * Height of a score, 0..3.6. Piecewise linear between the thresholds, so the sheets stand still: crossing one is the change
 * of tier, and moving a threshold slides the points through it. A floor lifts onto its sheet.
 */
export function height(score: number, lens: Lens, floor = 0): number {
  const { theta1, theta2, theta3 } = lens;
  if (floor >= FULL) score = Math.max(score, theta1);
  else if (floor === SUMMARY) score = Math.max(score, theta2);
  else if (floor === HEADLINE) score = Math.max(score, theta3);
  if (score >= theta1) return BASE[3] + Math.min(1, (score - theta1) / Math.max(1 - theta1, 1e-6));
  if (score >= theta2) return BASE[2] + (score - theta2) / Math.max(theta1 - theta2, 1e-6);
  if (score >= theta3) return BASE[1] + (score - theta3) / Math.max(theta2 - theta3, 1e-6);
  return BASE[1] * Math.max(0, score) / Math.max(theta3, 1e-6);
}
