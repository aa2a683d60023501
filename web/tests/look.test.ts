import { describe, expect, it } from "vitest";
import { compare, marks, precision } from "../src/lib/agree";
import { NO_FILTERS, filterParameters, passing, visibleAt } from "../src/lib/filters";
import { BINS, effective, measure, seenRows, tokensByTier } from "../src/lib/measure";
import { BUDGETED, CANDIDATE, EXCLUDED, FILTERED, SHOWN_ANYWAY } from "../src/lib/model";
import { orderBy } from "../src/lib/radix";
import { chance, plane } from "./made";

const lens = { alpha: 0.9, lambda: 0.03, theta1: 0.6, theta2: 0.3, theta3: 0.05 };
const all = (n: number): Uint8Array => new Uint8Array(n).fill(1);

describe("measure", () => {
  it("counts tiers of what is visible, floors included", () => {
    const p = plane(5, { last: [0, 0, -1000, -1000, -1000], floor: [0, 0, 0, 3, 0] });
    const m = measure(p, new Float32Array([1, 0.3, 0.1, 0, 0]), lens, 0, Uint8Array.from([1, 1, 1, 1, 0]));
    expect([...m.tier]).toEqual([3, 2, 1, 3, 0]);
    expect(m.counts).toEqual([0, 1, 1, 2]);
    expect(m.visible).toBe(4);
    expect(m.histogram.reduce((a, b) => a + b)).toBe(4);
    expect(m.histogram[BINS - 1]).toBe(1);
    expect([...seenRows(Uint8Array.from([1, 1, 1, 1, 0]), m.visible)]).toEqual([0, 1, 2, 3]);
  });
  it("is decay alone without a query, whatever alpha says", () => {
    const m = measure(plane(2, { last: [0, -1000] }), null, effective(lens, false, true), 0, all(2));
    expect([...m.tier]).toEqual([3, 0]);
    expect(effective(lens, true, true)).toBe(lens);
    expect(effective(lens, false, false)).toBe(lens);
  });
  it("takes a row that a filter left out (NaN) as unrelated, never as NaN", () => {
    expect([...measure(plane(1, { last: [-1000] }), new Float32Array([NaN]), lens, 0, all(1)).micro]).toEqual([0]);
  });
  it("adds up tokens by tier", () => {
    expect(tokensByTier(Uint8Array.from([3, 2, 1, 0, 3]), Uint8Array.from([1, 1, 1, 1, 0]), [[], [1, 1, 1, 1, 1], [5, 5, 5, 5, 5], [50, 50, 50, 50, 50]])).toEqual([0, 1, 5, 50]);
  });
});

describe("agreement", () => {
  const flags = Uint8Array.from([CANDIDATE, CANDIDATE, FILTERED, EXCLUDED, CANDIDATE | BUDGETED, 0]);
  const micro = Uint32Array.from([700_000, 600_000, 0, 0, 700_000, 700_000]);
  it("lists what differs, leaves out what a filter did, and forgives the last millionth at a threshold", () => {
    const a = compare(Uint8Array.from([3, 3, 3, 3, 3, 3]), micro, Uint8Array.from([2, 2, 0, 0, 3, 3]), flags, lens, 1e-6);
    expect(a.compared).toBe(4);
    expect(a.edge).toBe(1);
    expect(a.wrong.map((w) => w.row)).toEqual([0]);
    expect(a.budgeted).toBe(1);
    expect([...marks(Uint8Array.from([3, 3, 0, 0, 1, 0]), Uint8Array.from([2, 2, 0, 0, 3, 3]), flags, a.wrong)]).toEqual([2, 0, 0, 0, 1, 4]);
    expect([...marks(Uint8Array.from([1]), Uint8Array.from([0]), Uint8Array.from([CANDIDATE | SHOWN_ANYWAY]), [])]).toEqual([1]);
  });
  it("does not forgive more than single precision can move", () => {
    expect(precision(lens, 0)).toBe(1e-6);
    expect(precision({ ...lens, alpha: 0 }, 1000)).toBeLessThan(1e-5);
  });
});

describe("filters", () => {
  const p = plane(6, { space: [0, 1, 2, 0, 0, 0], agent: [0, 0, 0, 1, 0, 0], status: [0, 0, 0, 0, 2, 3], created: [0, 1, 2, 3, 4, 5], count: [0, 1, 0, 0, 0, 0] });
  const rows = (f: object): number[] => [...passing(p, { ...NO_FILTERS, ...f }, null, null, 0)].flatMap((v, i) => (v ? [i] : []));
  it("looks at active, stale and conflict unless told otherwise", () => expect(rows({})).toEqual([0, 1, 2, 3, 5]));
  it("takes a space with those below it, and no name that only begins alike", () => expect(rows({ space: "acme" })).toEqual([0, 1, 3, 5]));
  it("knows agents, statuses, dates and use", () => {
    expect(rows({ agents: ["bob"] })).toEqual([3]);
    expect(rows({ status: ["superseded"] })).toEqual([4]);
    expect(rows({ since: "1970-01-02", until: "1970-01-03" })).toEqual([1, 2]);
    expect(rows({ retrieved: "yes" })).toEqual([1]);
    expect(rows({ space: "nowhere" })).toEqual([]);
  });
  it("leaves out what the engine did, and what was not there yet", () => {
    const left = passing(p, NO_FILTERS, new Float32Array([0, NaN, 0, 0, 0, 0]), Uint8Array.from([FILTERED, 0, CANDIDATE, 0, 0, 0]), FILTERED | EXCLUDED);
    expect([...left]).toEqual([0, 0, 1, 1, 0, 1]);
    expect([...visibleAt(left, p.created, 3)]).toEqual([0, 0, 1, 1, 0, 0]);
  });
  it("asks the engine with the same words", () => {
    expect(filterParameters({ ...NO_FILTERS, agents: ["a", "b"], tags: ["t"], retrieved: "no", since: "2026-01-01", until: "2026-02-28" })).toEqual([
      ["agents", "a"], ["agents", "b"], ["tags", "t"], ["since", "2026-01-01T00:00:00.000Z"], ["until", "2026-03-01T00:00:00.000Z"], ["retrieved", "false"],
    ]);
  });
});

describe("order", () => {
  it("is that of sort(), ties in row order, both ways", () => {
    const next = chance(3), keys = Uint32Array.from({ length: 5000 }, (_, i) => (i % 3 ? Math.floor(next() * 50) : Math.floor(next() * 2 ** 32)));
    const rows = Uint32Array.from({ length: 5000 }, (_, i) => i);
    expect(orderBy(keys, null, false)).toEqual(rows.slice().sort((a, b) => keys[a] - keys[b] || a - b));
    expect(orderBy(keys, null, true)).toEqual(rows.slice().sort((a, b) => keys[b] - keys[a] || a - b));
    const some = rows.filter((r) => r % 7 === 0);
    expect(orderBy(keys, some, true)).toEqual(some.slice().sort((a, b) => keys[b] - keys[a] || a - b));
    expect(orderBy(new Uint32Array(0), null, true)).toEqual(new Uint32Array(0));
  });
});
