/** The table's order: whole-number keys, so that sorting a million rows takes milliseconds. */

import { orderBy } from "../lib/radix";
import { decay, MICRO } from "../lib/score";
import type { Session } from "./session.svelte";

export type SortKey = "id" | "tier" | "score" | "s" | "d" | "age" | "count" | "tokens";

const MINUTES = 1440;

/** Visible rows in order; ties by id, and tiers by score. */
export function sortedRows(session: Session, key: SortKey, descending: boolean): Uint32Array {
  const { plane, measured, seen } = session;
  if (!plane || !measured) return new Uint32Array(0);
  if (key === "score") return orderBy(measured.micro, seen, descending);
  if (key === "id") return descending ? seen.slice().reverse() : seen;
  const keys = new Uint32Array(plane.n), s = session.relevance, tokens = session.more?.tokens_full;
  for (const row of seen) keys[row] = value(row);
  return orderBy(keys, seen, descending);

  function value(row: number): number {
    switch (key) {
      case "tier": return session.tierOf(row) * (MICRO + 1) + measured!.micro[row];
      case "s": return s ? Math.round(s[row] * MICRO) : 0;
      case "d": return Math.round(decay(session.now - plane!.last[row], plane!.slow[row], session.settled.lambda) * MICRO);
      case "age": return Math.min(0xffffffff, Math.round(Math.max(0, session.now - plane!.last[row]) * MINUTES));
      case "count": return plane!.count[row];
      default: return tokens ? tokens[row] : 0;
    }
  }
}
