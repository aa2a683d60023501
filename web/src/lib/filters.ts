/** Which rows are looked at: what the columns can tell is decided here at once, tags and expiry by the engine. */

import { US_PER_DAY, type Plane } from "./model";

/** Empty lists and strings mean no restriction. `since` and `until` are days in UTC, YYYY-MM-DD, both included. */
export interface Filters {
  space: string;
  agents: string[];
  kinds: string[];
  status: string[];
  tags: string[];
  since: string;
  until: string;
  retrieved: "" | "yes" | "no";
}

export const NO_FILTERS: Filters = { space: "", agents: [], kinds: [], status: [], tags: [], since: "", until: "", retrieved: "" };

/** Statuses that a search looks at unless others are named. */
export const SEEN_STATUSES = ["active", "stale", "conflict"];

export const isFiltered = (f: Filters): boolean =>
  Boolean(f.space || f.agents.length || f.kinds.length || f.status.length || f.tags.length || f.since || f.until || f.retrieved);

const allowed = (names: string[], wanted: string[]): Uint8Array =>
  Uint8Array.from(names, (name) => (wanted.length === 0 || wanted.includes(name) ? 1 : 0));

/** Microseconds of a date at midnight UTC, some days later, or null. */
export function dateUs(text: string, later = 0): number | null {
  const ms = text ? Date.parse(`${text}T00:00:00Z`) : NaN;
  return Number.isNaN(ms) ? null : ms * 1000 + later * US_PER_DAY;
}

/** One byte a row: 1 passes. `left` are the engine's flags (any bit of `bits` leaves out); NaN in `s` leaves out too. */
export function passing(plane: Plane, filters: Filters, s: Float32Array | null, left: Uint8Array | null, bits: number): Uint8Array {
  const { n, header } = plane;
  const { spaces, agents, kinds, statuses } = header.dictionaries;
  const below = filters.space ? spaces.filter((name) => name === filters.space || name.startsWith(filters.space + "/")) : [];
  const bySpace = allowed(spaces, filters.space ? below.concat(" ") : []);
  const byAgent = allowed(agents, filters.agents), byKind = allowed(kinds, filters.kinds);
  const byStatus = allowed(statuses, filters.status.length ? filters.status : SEEN_STATUSES);
  const day = (us: number | null, other: number): number => (us === null ? other : (us - header.base_us) / US_PER_DAY);
  const since = day(dateUs(filters.since), -Infinity), until = day(dateUs(filters.until, 1), Infinity);
  const out = new Uint8Array(n);
  for (let i = 0; i < n; i++) {
    const created = plane.created[i];
    if (created < since || created >= until) continue;
    if (!(bySpace[plane.space[i]] && byAgent[plane.agent[i]] && byKind[plane.kind[i]] && byStatus[plane.status[i]])) continue;
    if (filters.retrieved && (plane.count[i] > 0) !== (filters.retrieved === "yes")) continue;
    if (s && Number.isNaN(s[i])) continue;
    if (left && left[i] & bits) continue;
    out[i] = 1;
  }
  return out;
}

/** Of the rows that pass, those that were there at the moment looked from. */
export function visibleAt(passed: Uint8Array, created: Float32Array, now: number): Uint8Array {
  const out = new Uint8Array(passed.length);
  for (let i = 0; i < out.length; i++) out[i] = passed[i] && created[i] <= now ? 1 : 0;
  return out;
}

/**
 * The filters as parameters of the API: days as moments, because the engine would read them in a zone of its own. The space is
 * asked for as a filter of the page, not of the plane.
 */
export function filterParameters(filters: Filters): [string, string][] {
  const out: [string, string][] = [];
  for (const key of ["agents", "kinds", "status", "tags"] as const) for (const value of filters[key]) out.push([key, value]);
  for (const [name, us] of [["since", dateUs(filters.since)], ["until", dateUs(filters.until, 1)]] as const) {
    if (us !== null) out.push([name, new Date(us / 1000).toISOString()]);
  }
  if (filters.retrieved) out.push(["retrieved", String(filters.retrieved === "yes")]);
  return out;
}
