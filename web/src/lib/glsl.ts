/** The formulas of score.ts for the graphics card. One text, used by the plane's shader and by the parity test. */

import { BASE } from "./score";

const f = (x: number): string => (Number.isInteger(x) ? x.toFixed(1) : String(x));

/**
 * Needs the uniforms uAlpha, uLambda, uNow and uTheta (theta1, theta2, theta3). Times are days since the base epoch: as
 * seconds since 1970 single precision would move memories across thresholds. A score within half a millionth of a threshold
 * has reached it, which is what rounding to 1e-6 means.
 */
export const LOD_GLSL = /* glsl */ `
uniform float uAlpha, uLambda, uNow;
uniform vec3 uTheta;

float lodDecay(float last, float slow) { return exp(-uLambda * max(0.0, uNow - last) / slow); }

float lodScore(float s, float last, float slow) { return uAlpha * s + (1.0 - uAlpha) * lodDecay(last, slow); }

int lodTier(float score, int lowest) {
  float at = score + 5e-7;
  int tier = at >= uTheta.x ? 3 : at >= uTheta.y ? 2 : at >= uTheta.z ? 1 : 0;
  return max(tier, lowest);
}

float lodHeight(float score, int lowest) {
  float at = lowest >= 3 ? max(score, uTheta.x) : lowest == 2 ? max(score, uTheta.y) : lowest == 1 ? max(score, uTheta.z) : score;
  if (at >= uTheta.x) return ${f(BASE[3])} + min(1.0, (at - uTheta.x) / max(1.0 - uTheta.x, 1e-6));
  if (at >= uTheta.y) return ${f(BASE[2])} + (at - uTheta.y) / max(uTheta.x - uTheta.y, 1e-6);
  if (at >= uTheta.z) return ${f(BASE[1])} + (at - uTheta.z) / max(uTheta.y - uTheta.z, 1e-6);
  return ${f(BASE[1])} * max(0.0, at) / max(uTheta.z, 1e-6);
}
`;
