import { Matrix4, PerspectiveCamera, Vector3 } from "three";
import { describe, expect, it } from "vitest";
import { HALF, pick, project, RISE, type Projection } from "../src/lib/pick";
import { placeLabels } from "../src/lib/labels";
import { chance } from "./made";

function seen(): { camera: PerspectiveCamera; p: Projection } {
  const camera = new PerspectiveCamera(38, 1.5, 0.1, 400);
  camera.position.set(7, 6, 10);
  camera.lookAt(0, 1, 0);
  camera.updateMatrixWorld();
  return { camera, p: { matrix: new Matrix4().multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse).elements, width: 900, height: 600 } };
}

describe("projection", () => {
  it("is that of three.js", () => {
    const { camera, p } = seen(), v = new Vector3(0.3 * HALF, 2 * RISE, -0.4 * HALF).project(camera), at = project(p, 0.3, 2, -0.4)!;
    expect(at.x).toBeCloseTo((v.x * 0.5 + 0.5) * 900, 3);
    expect(at.y).toBeCloseTo((0.5 - v.y * 0.5) * 600, 3);
  });
  it("has no place for what is behind the camera", () => expect(project(seen().p, 9, 20, 9)).toBeNull());
});

describe("picking", () => {
  const next = chance(5), n = 4000, { p } = seen();
  const x = Float32Array.from({ length: n }, () => next() * 2 - 1), y = Float32Array.from({ length: n }, () => next() * 2 - 1), h = Float32Array.from({ length: n }, () => next() * 3.6);
  const all = new Uint8Array(n).fill(1);
  it("finds the point under the cursor, or one that hides it", () => {
    let wrong = 0;
    for (let row = 0; row < 300; row++) {
      const at = project(p, x[row], h[row], y[row])!;
      const got = pick(p, x, y, (r) => h[r], all, at.x, at.y), there = project(p, x[got], h[got], y[got])!;
      if (got !== row && (Math.hypot(there.x - at.x, there.y - at.y) > 1.5 || there.w > at.w)) wrong++;
    }
    expect(wrong).toBe(0);
  });
  it("misses none, wherever the camera stands", () => {
    const camera = new PerspectiveCamera(60, 1.5, 0.1, 400);
    for (const [cx, cy, cz] of [[0.5, 0.4, 0.3], [0, 30, 0.01], [12, 1, 0], [-3, 2, 4]]) {
      camera.position.set(cx, cy, cz);
      camera.lookAt(0, 1, 0);
      camera.updateMatrixWorld();
      const q = { ...p, matrix: new Matrix4().multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse).elements };
      for (let i = 0; i < 60; i++) {
        const atX = next() * 900, atY = next() * 600, away = (row: number): number => {
          const at = project(q, x[row], h[row], y[row]);
          return at ? Math.hypot(at.x - atX, at.y - atY) : Infinity;
        };
        const nearest = Math.min(...x.map((_, row) => away(row))), got = pick(q, x, y, (r) => h[r], all, atX, atY);
        if (nearest > 9) expect(got).toBe(-1);
        else expect(away(got)).toBeLessThan(nearest + 1.1);
      }
    }
  });
  it("never picks what is not visible, and nothing where nothing is", () => {
    const at = project(p, x[0], h[0], y[0])!, without = all.slice();
    without[0] = 0;
    expect(pick(p, x, y, (r) => h[r], without, at.x, at.y)).not.toBe(0);
    expect(pick(p, x, y, (r) => h[r], all, -500, -500)).toBe(-1);
    expect(pick(p, [0], [0], () => 1, new Uint8Array(1), 450, 300)).toBe(-1);
  });
});

describe("labels", () => {
  it("never overlap, prefer the heavy ones and stay inside", () => {
    const next = chance(9);
    const many = Array.from({ length: 900 }, (_, i) => ({ key: `k${i}`, text: "x", x: next() * 1000, y: next() * 700, width: 40 + next() * 120, height: 19, weight: Math.floor(next() * 50) }));
    const placed = placeLabels(many, 1000, 700);
    let overlaps = 0, outside = 0;
    placed.forEach((a, i) => {
      if (a.x - a.width / 2 < 0 || a.x + a.width / 2 > 1000 || a.y - a.height / 2 < 0 || a.y + a.height / 2 > 700) outside++;
      for (const b of placed.slice(i + 1)) if (Math.abs(a.x - b.x) < (a.width + b.width) / 2 && Math.abs(a.y - b.y) < (a.height + b.height) / 2) overlaps++;
    });
    expect([overlaps, outside]).toEqual([0, 0]);
    expect(placed.length).toBeGreaterThan(60);
    expect(placed[0].weight).toBe(49);
    expect(placeLabels(many.map((l, i) => ({ ...l, x: (i % 30) * 300 + 150, y: Math.floor(i / 30) * 40 + 20, width: 40 })), 1e5, 1e5).length).toBe(200);
  });
});
