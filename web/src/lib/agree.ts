/** Whether the page and the engine see the same tiers. The engine's are the truth; differences are listed, never hidden. */

import { BUDGETED, CANDIDATE, EXCLUDED, FILTERED, SHOWN_ANYWAY } from "./model";
import { MICRO, type Lens } from "./score";

export interface Disagreement {
  row: number;
  page: number;
  engine: number;
  micro: number;
}

/** `edge` counts rows that differ within the precision of the dates at a threshold: neither side is wrong there. */
export interface Agreement {
  compared: number;
  edge: number;
  wrong: Disagreement[];
  budgeted: number;
}

const LISTED = 1000;

/** How far page and engine may lie apart: 1e-6, and what single precision of the dates can move a score by. */
export function precision(lens: Lens, lastDay: number): number {
  return 1e-6 + (1 - lens.alpha) * lens.lambda * Math.abs(Math.fround(lastDay)) * 2 ** -23;
}

/** Compares every row the engine looked at. */
export function compare(
  page: Uint8Array, micro: Uint32Array, natural: Uint8Array, flags: Uint8Array, lens: Lens, tolerance: number,
): Agreement {
  const out: Agreement = { compared: 0, edge: 0, wrong: [], budgeted: 0 };
  for (let i = 0; i < page.length; i++) {
    if (flags[i] & (FILTERED | EXCLUDED)) continue;
    out.compared++;
    if (flags[i] & (BUDGETED | SHOWN_ANYWAY)) out.budgeted++;
    if (page[i] === natural[i]) continue;
    const score = micro[i] / MICRO;
    const gap = Math.min(Math.abs(score - lens.theta1), Math.abs(score - lens.theta2), Math.abs(score - lens.theta3));
    if (gap <= tolerance * 1.0000001) out.edge++;
    else if (out.wrong.length < LISTED) out.wrong.push({ row: i, page: page[i], engine: natural[i], micro: micro[i] });
  }
  return out;
}

/** How a point is marked. 1: the budget decided its tier; 2: page and engine disagree; 4: not among the k candidates. */
export function marks(tier: Uint8Array, natural: Uint8Array, flags: Uint8Array, wrong: Disagreement[]): Uint8Array {
  const out = new Uint8Array(tier.length);
  for (let i = 0; i < out.length; i++) {
    if (flags[i] & (FILTERED | EXCLUDED)) continue;
    if (flags[i] & (BUDGETED | SHOWN_ANYWAY)) out[i] = 1;
    else if (!(flags[i] & CANDIDATE) && natural[i] > tier[i]) out[i] = 4;
  }
  for (const { row } of wrong) out[row] |= 2;
  return out;
}
