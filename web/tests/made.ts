/** Planes made for tests, in the server's format. */

import type { Column } from "../src/lib/columns";
import { readPlane, type Plane } from "../src/lib/model";

const DTYPES = new Map<string, string>([["Float32Array", "f4"], ["Float64Array", "f8"], ["Uint8Array", "u1"], ["Uint16Array", "u2"], ["Uint32Array", "u4"]]);

export function lodp(header: Record<string, unknown>, columns: Record<string, Column>): ArrayBuffer {
  const head = (length: number): [string, number] => {
    let at = 8 + length;
    const specs = Object.entries(columns).map(([name, values]) => {
      const spec = { name, dtype: DTYPES.get(values.constructor.name), offset: at };
      at = Math.ceil((at + values.byteLength) / 8) * 8;
      return spec;
    });
    return [JSON.stringify({ format: 1, revision: 1, rows: "r", now_us: 0, ms: 0, ...header, columns: specs }), at];
  };
  const length = Math.ceil((head(1e6)[0].length + 16) / 8) * 8, [text, size] = head(length);
  const out = new Uint8Array(size);
  out.set(new TextEncoder().encode("LODP"));
  new DataView(out.buffer).setUint32(4, length, true);
  out.set(new TextEncoder().encode(text.padEnd(length)), 8);
  let at = 8 + length;
  for (const values of Object.values(columns)) {
    out.set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength), at);
    at = Math.ceil((at + values.byteLength) / 8) * 8;
  }
  return out.buffer;
}

type Given = Partial<Record<"last" | "created" | "count" | "floor" | "status" | "kind" | "space" | "agent" | "x" | "y", number[]>>;

/** A plane of n memories at day 0, with what is given. */
export function plane(n: number, given: Given = {}): Plane {
  const f4 = (name: keyof Given): Float32Array => Float32Array.from(given[name] ?? new Array<number>(n).fill(0));
  const u1 = (name: keyof Given): Uint8Array => Uint8Array.from(given[name] ?? new Array<number>(n).fill(0));
  return readPlane(lodp({
    n, base_us: 0,
    dictionaries: {
      spaces: ["acme", "acme/research", "acmexyz"], agents: ["ann", "bob"], kinds: ["episodic", "semantic", "procedural", "working"],
      statuses: ["active", "stale", "superseded", "conflict", "quarantined", "archived"], tiers: ["horizon", "headline", "summary", "full"],
    },
  }, {
    id: Uint32Array.from({ length: n }, (_, i) => i + 1), x: f4("x"), y: f4("y"), last: f4("last"), created: f4("created"),
    count: Uint16Array.from(given.count ?? new Array<number>(n).fill(0)), floor: u1("floor"), status: u1("status"), kind: u1("kind"),
    short: new Uint8Array(n), cluster: new Uint8Array(n), space: u1("space"), agent: u1("agent"),
  }));
}

/** A small generator with a seed: the same numbers every time. */
export function chance(seed: number): () => number {
  let state = seed >>> 0;
  return () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
}
