import { Matrix4, PerspectiveCamera } from "three";
import { describe, expect, it } from "vitest";
import { fit, type Place } from "../src/lib/fit";
import { HALF, project, RISE } from "../src/lib/pick";

const EDGE = 5.6, FROM: Place = [8.2, 5.4, 11.6], MARGINS = { top: 0.15, bottom: 0.1, side: 0.02 };
const places: Place[] = [0, 2.6].flatMap((y) => [[-EDGE, y, -EDGE], [-EDGE, y, EDGE], [EDGE, y, -EDGE], [EDGE, y, EDGE]] as Place[]);

/** Where the places appear, as shares of a picture of this shape. */
function shares(aspect: number): { x: number[]; y: number[] } {
  const { distance, height } = fit(places, FROM, 38, aspect, MARGINS), far = distance / Math.hypot(...FROM);
  const camera = new PerspectiveCamera(38, aspect, 0.1, 400);
  camera.position.set(FROM[0] * far, height + FROM[1] * far, FROM[2] * far);
  camera.lookAt(0, height, 0);
  camera.updateMatrixWorld();
  const matrix = new Matrix4().multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse).elements;
  const at = places.map(([x, y, z]) => project({ matrix, width: 1, height: 1 }, x / HALF, y / RISE, z / HALF)!);
  return { x: at.map((p) => p.x), y: at.map((p) => p.y) };
}

describe("the distance of a camera", () => {
  it.each([0.5, 0.8, 1, 1.5, 2.4])("lets all be seen in a picture %f times as wide as high", (aspect) => {
    const { x, y } = shares(aspect);
    expect(Math.min(...x)).toBeGreaterThan(MARGINS.side - 1e-3);
    expect(Math.max(...x)).toBeLessThan(1 - MARGINS.side + 1e-3);
    expect(Math.min(...y)).toBeGreaterThan(MARGINS.top - 0.01);
    expect(Math.max(...y)).toBeLessThan(1 - MARGINS.bottom + 0.01);
    // As much is free above as below, and one side is taken to its end.
    expect(Math.min(...y) - MARGINS.top).toBeCloseTo(1 - MARGINS.bottom - Math.max(...y), 2);
    expect(Math.min(...x.map((at) => at - MARGINS.side), ...y.map((at) => at - MARGINS.top), ...x.map((at) => 1 - MARGINS.side - at))).toBeCloseTo(0, 2);
  });
});
