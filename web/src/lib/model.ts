/** What the page knows of a store: the plane's columns with names and types, and the answers of the API. */

import { decode, type Header } from "./columns";
import { slowness, type TierName } from "./score";

export const US_PER_DAY = 86_400_000_000;

export interface Profile {
  name: string;
  alpha: number;
  lambda_: number;
  theta1: number;
  theta2: number;
  theta3: number;
  k: number;
  budget: number | null;
  promote_at: number;
  relevance: string;
  floors: Record<string, string>;
  locked: string[];
  bounds: Record<string, [number, number]>;
}

export interface Place {
  label: string;
  x: number;
  y: number;
  size: number;
}

export interface PlaneHeader extends Header {
  base_us: number;
  as_of_us: number | null;
  history: { from: string; complete: boolean } | null;
  dictionaries: { spaces: string[]; agents: string[]; kinds: string[]; statuses: string[]; tiers: string[] };
  clusters: (Place & { group: number | null })[];
  groups: Place[];
  map: { version: string; method: string; making: [number, number] | null };
  embedder: { key: string; c0: number; c1: number };
  profile: Profile;
  agent: string;
  words_only: string;
  read_only: boolean;
}

type Whole = Uint8Array | Uint16Array | Uint32Array;

/** The plane. Row i of every column is the same memory; rows rise by id. `slow` is 1 + ln(1 + count). */
export interface Plane {
  header: PlaneHeader;
  n: number;
  id: Uint32Array | Float64Array;
  x: Float32Array;
  y: Float32Array;
  last: Float32Array;
  created: Float32Array;
  count: Whole;
  slow: Float32Array;
  floor: Uint8Array;
  status: Uint8Array;
  kind: Uint8Array;
  short: Uint8Array;
  cluster: Whole;
  space: Whole;
  agent: Whole;
  /** 1: it waits for its place on the map and stands at the rim until then. */
  waits: Uint8Array;
  waiting: number;
}

const RIM = 1.08, GOLDEN = 0.6180339887498949;

/** Puts what has no place yet on the rim of the map, each where its id says, and tells which these are. */
function toTheRim(id: ArrayLike<number>, x: Float32Array, y: Float32Array): { waits: Uint8Array; waiting: number } {
  const waits = new Uint8Array(x.length);
  let waiting = 0;
  for (let i = 0; i < x.length; i++) {
    if (x[i] === x[i]) continue;
    waits[i] = 1;
    waiting++;
    const turn = ((id[i] * GOLDEN) % 1) * 4, side = Math.floor(turn), along = (2 * (turn - side) - 1) * RIM;
    x[i] = side === 0 ? along : side === 1 ? RIM : side === 2 ? -along : -RIM;
    y[i] = side === 0 ? -RIM : side === 1 ? along : side === 2 ? RIM : -along;
  }
  return { waits, waiting };
}

export function readPlane(buffer: ArrayBuffer): Plane {
  const { header, columns } = decode<PlaneHeader>(buffer);
  const count = columns.count as Whole;
  const slow = new Float32Array(header.n);
  for (let i = 0; i < header.n; i++) slow[i] = slowness(count[i]);
  const given = columns as unknown as Omit<Plane, "header" | "n" | "slow" | "waits" | "waiting">;
  return { ...given, header, n: header.n, slow, ...toTheRim(given.id, given.x, given.y) };
}

/** The row of a memory, -1 when it is not there. Ids rise, so it is a binary search. */
export function rowOf(ids: Uint32Array | Float64Array, id: number): number {
  let low = 0, high = ids.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    if (ids[middle] === id) return middle;
    if (ids[middle] < id) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}

export interface QueryPlace {
  text: string;
  x: number;
  y: number;
}

export interface RelevanceHeader extends Header {
  query: QueryPlace | null;
  considered: number;
  excluded: number;
  words_only: string;
}

export interface TiersHeader extends RelevanceHeader {
  at_us: number;
  profile: Profile;
  counts: Record<TierName, number>;
  natural_counts: Record<TierName, number>;
  costs: Record<TierName, number>;
  account: { requested: number | null; used: number; bias: number | null; stepped_down: number; dropped: number };
}

/** Bits of the engine's `flags`. */
export const CANDIDATE = 1, FILTERED = 2, EXCLUDED = 4, FLOORED = 8, BUDGETED = 16, SHOWN_ANYWAY = 32;

export interface HistoryEntry {
  seq: number;
  at: string;
  agent: string;
  verb: string;
  detail: Record<string, unknown>;
}

export interface Related {
  id: number;
  headline: string;
  offset?: number;
  cosine?: number;
}

/** Two memories that contradict each other. `standing`: the side that stands where the other is superseded. */
export interface Conflict {
  id: number;
  older: number;
  newer: number;
  older_headline: string;
  newer_headline: string;
  reason: string;
  detail: string;
  state: "open" | "superseded" | "both_stand";
  standing: number | null;
  found_at: string;
  decided_at: string | null;
  decided_by: string;
  note: string;
}

export type Verdict = "newer" | "older" | "both" | "open";

export interface MemoryDetail {
  id: number;
  space: string;
  agent: string;
  kind: string;
  status: string;
  full: string;
  summary: string;
  headline: string;
  written_by: string;
  tokens: { full: number; summary: number; headline: number };
  created_at: string;
  ingested_at: string;
  last_retrieved_at: string | null;
  retrieval_count: number;
  importance: number;
  evidence_count: number;
  floor: string;
  priority: string;
  tags: string[];
  source: { uri: string; session: string; sequence: number } | null;
  superseded_by: number | null;
  supersedes: number[];
  valid_from?: string | null;
  valid_to?: string | null;
  content_hash: string;
  meta: Record<string, unknown>;
  neighbours: Related[];
  similar?: Related[];
  conflicts: Conflict[];
  history: HistoryEntry[];
}

export interface Info {
  version: string;
  agent: string;
  space: string;
  zone: string;
  read_only: boolean;
  needs_token: boolean;
  embedder: string | { key: string };
  memories: number;
  store: string;
  indexing: unknown;
}
