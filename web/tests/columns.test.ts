import { describe, expect, it } from "vitest";
import { decode } from "../src/lib/columns";
import { readPlane, rowOf } from "../src/lib/model";
import { lodp, plane } from "./made";

describe("LODP", () => {
  it("reads columns where they lie, without a copy", () => {
    const buffer = lodp({ n: 3 }, { id: new Uint32Array([5, 7, 9]), x: new Float32Array([0.5, -1, 1]), floor: new Uint8Array([0, 3, 2]), big: new Float64Array([1, 2 ** 40, 3]) });
    const { header, columns } = decode(buffer);
    expect(header.n).toBe(3);
    expect(columns.x).toEqual(new Float32Array([0.5, -1, 1]));
    expect(columns.big[1]).toBe(2 ** 40);
    expect(columns.id.buffer).toBe(buffer);
  });
  it("says what is wrong with what it cannot read", () => {
    const good = lodp({ n: 2 }, { id: new Uint32Array([1, 2]) });
    expect(() => decode(new ArrayBuffer(4))).toThrow(/LODP/);
    expect(() => decode(new TextEncoder().encode("<!doctype html>").buffer)).toThrow(/LODP/);
    expect(() => decode(good.slice(0, 30))).toThrow(/cut off/);
    expect(() => decode(good.slice(0, good.byteLength - 4))).toThrow(/cut off in column id/);
    expect(() => decode(lodp({ n: 2, format: 2 }, { id: new Uint32Array([1, 2]) }))).toThrow(/format 1.*sent 2/);
  });
  it("reads an empty plane", () => {
    expect(readPlane(lodp({ n: 0 }, { id: new Uint32Array(0), count: new Uint16Array(0), x: new Float32Array(0), y: new Float32Array(0) })).n).toBe(0);
  });
});

describe("memories without a place", () => {
  it("stand on the rim, each for itself, and the others where they were", () => {
    const nan = Number.NaN, made = plane(4, { x: [0.5, nan, nan, -1], y: [0.25, nan, nan, 1] });
    expect([...made.waits]).toEqual([0, 1, 1, 0]);
    expect(made.waiting).toBe(2);
    expect([made.x[0], made.y[0], made.x[3], made.y[3]]).toEqual([0.5, 0.25, -1, 1]);
    for (const row of [1, 2]) expect(Math.max(Math.abs(made.x[row]), Math.abs(made.y[row]))).toBeCloseTo(1.08, 6);
    expect([made.x[1], made.y[1]]).not.toEqual([made.x[2], made.y[2]]);
  });
});

describe("rows", () => {
  it("finds ids by bisection", () => {
    const ids = new Uint32Array([2, 3, 10, 11, 500]);
    expect([2, 11, 500, 1, 4, 501].map((id) => rowOf(ids, id))).toEqual([0, 3, 4, -1, -1, -1]);
    expect(rowOf(new Uint32Array(0), 1)).toBe(-1);
  });
  it("knows how slowly each fades", () => {
    expect(plane(2, { count: [0, 50] }).slow[0]).toBe(1);
    expect(plane(2, { count: [0, 50] }).slow[1]).toBeCloseTo(1 + Math.log(51), 6);
  });
});
