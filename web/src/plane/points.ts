/** All memories as one draw call. Lens and time are uniforms: moving a slider sends the card some bytes, never the points. */

import {
  BufferAttribute, BufferGeometry, CustomBlending, DynamicDrawUsage, GLSL3, IntType, OneFactor, OneMinusSrcAlphaFactor, Points, ShaderMaterial, Sphere,
  Vector3,
} from "three";
import { LOD_GLSL } from "../lib/glsl";
import type { Plane as Data } from "../lib/model";
import { HALF, RISE } from "../lib/pick";
import type { Palette } from "./colours";

const MANY = 150_000, SHARE = 8;

const vertex = /* glsl */ `
${LOD_GLSL}
uniform float uBorn, uMix, uMove, uSize, uPixels, uOpacity, uFogNear, uFogFar;
uniform int uSelected, uHover;
uniform vec3 uTiers[4], uBackground, uWrong;
in vec2 place, before, times;
in float slow, s0, s1;
in uvec4 bits;  // floor, whether it waits for its place, marks, visible
flat out vec4 vColour;
flat out float vEdge, vGlow;
flat out int vShape, vHot, vMark;

void main() {
  float s = mix(s0, s1, uMix);
  float score = lodScore(s, times.x, slow);
  int lowest = int(bits.x), tier = lodTier(score, lowest);
  bool hidden = bits.w == 0u || times.y > uBorn;
  vec2 at = mix(before, place, uMove);
  vec4 seen = modelViewMatrix * vec4(at.x * ${HALF.toFixed(1)}, lodHeight(score, lowest) * ${RISE.toFixed(1)}, at.y * ${HALF.toFixed(1)}, 1.0);
  gl_Position = hidden ? vec4(2.0, 2.0, 2.0, 1.0) : projectionMatrix * seen;
  bool selected = gl_VertexID == uSelected, hover = gl_VertexID == uHover;
  vHot = selected ? 2 : hover ? 1 : 0;
  vMark = int(bits.z);
  vShape = lowest == 3 ? 2 : lowest > 0 ? 1 : 0;
  float grow = tier == 3 ? 1.55 : tier == 2 ? 1.15 : tier == 1 ? 0.8 : 0.55;
  float far = max(-seen.z, 0.1);
  float size = uSize * grow * uPixels / far;
  float least = tier == 3 ? 3.0 : tier == 2 ? 2.2 : 1.6;
  float shown = min(max(size, least), 10.0 + 14.0 * (1.0 - exp(-max(size - 10.0, 0.0) / 14.0)));
  float thin = clamp(size / least, 0.55, 1.0);
  if (vShape > 0 || vMark > 0) shown = max(shown * 1.35, 7.0);
  if ((vMark & 2) != 0) shown = max(shown, 10.0);
  if (vHot > 0) shown = max(shown * 1.9, 15.0);
  gl_PointSize = shown;
  vEdge = 2.0 / shown;
  float fog = smoothstep(uFogNear, uFogFar, far) * 0.62;
  float alpha = tier == 3 ? 0.96 : tier == 2 ? 0.85 * mix(uOpacity, 1.0, 0.4) : tier == 1 ? 0.62 * uOpacity : 0.5 * uOpacity;
  if (bits.y != 0u && vHot == 0) alpha *= 0.3;
  vGlow = tier > 1 || vHot > 0 || vMark > 0 ? 0.0 : 1.0;
  vec3 colour = mix(uTiers[tier], uBackground, fog);
  if ((vMark & 2) != 0) colour = uWrong;
  vColour = vec4(colour, vHot > 0 || vMark > 0 ? 1.0 : min(1.0, alpha * thin * (1.0 - fog * 0.55)));
}`;

const fragment = /* glsl */ `
precision highp float;
uniform float uGlow;
uniform vec3 uRing, uBeam, uBackground;
flat in vec4 vColour;
flat in float vEdge, vGlow;
flat in int vShape, vHot, vMark;
out vec4 pixel;

float band(float r, float at, float width) { return smoothstep(at - width - vEdge, at - width, r) * (1.0 - smoothstep(at, at + vEdge, r)); }

void main() {
  vec2 p = gl_PointCoord * 2.0 - 1.0;
  float round = length(p), r = vShape == 2 ? abs(p.x) + abs(p.y) : vShape == 1 ? max(abs(p.x), abs(p.y)) * 1.18 : round;
  float limit = vHot > 0 ? 0.55 : 0.92;
  float inside = 1.0 - smoothstep(limit - max(vEdge, 0.18), limit, r);
  // Round like a bead, with a thin dark seam, so that many together are still many.
  vec3 colour = mix(vColour.rgb, uBackground, (1.0 - vGlow) * 0.5 * smoothstep(limit - 0.42, limit - 0.02, r) * step(vEdge, 0.36));
  colour = mix(colour, vec3(1.0), (1.0 - vGlow) * 0.16 * (1.0 - smoothstep(0.0, 0.5, length(p - vec2(-0.18, -0.22)))));
  float alpha = vColour.a * inside;
  if ((vMark & 1) != 0) alpha *= mix(0.12, 1.0, smoothstep(limit - 0.42, limit - 0.34, r));  // hollow: the budget decided
  if ((vMark & 2) != 0) alpha *= 1.0 - smoothstep(0.2, 0.2 + vEdge, min(abs(p.x - p.y), abs(p.x + p.y)));  // a cross: the engine differs
  if (vShape > 0 && vHot == 0) {
    float rim = band(r, limit, 0.2);
    colour = mix(colour, uRing, rim * 0.9);
    alpha = max(alpha, rim * 0.9);
  }
  if (vHot > 0) {
    float rim = band(round, 0.95, vHot == 2 ? 0.16 : 0.08);
    colour = mix(colour, vHot == 2 ? uBeam : uRing, rim);
    alpha = max(alpha, rim);
  }
  if (alpha < 0.01) discard;
  pixel = vec4(colour * alpha, alpha * (1.0 - uGlow * vGlow));
}`;

/** Days later than any memory. */
export const ALWAYS = 1e9;

const dynamic = (array: Float32Array | Uint8Array, size: number): BufferAttribute => {
  const attribute = new BufferAttribute(array, size);
  attribute.setUsage(DynamicDrawUsage);
  return attribute;
};

export class MemoryPoints {
  readonly material: ShaderMaterial;
  readonly points: Points<BufferGeometry, ShaderMaterial>;
  /** Bytes sent to the card so far, points only; tests see that sliders send none. */
  uploaded = 0;
  private bits = new Uint8Array(0);

  constructor() {
    const vec = (): Vector3 => new Vector3();
    const value = <T>(v: T): { value: T } => ({ value: v });
    this.material = new ShaderMaterial({
      glslVersion: GLSL3, vertexShader: vertex, fragmentShader: fragment, transparent: true, depthWrite: false, depthTest: false,
      blending: CustomBlending, blendSrc: OneFactor, blendDst: OneMinusSrcAlphaFactor, premultipliedAlpha: true,
      uniforms: {
        uAlpha: value(0), uLambda: value(0.03), uNow: value(0), uTheta: value(new Vector3(0.6, 0.3, 0.05)), uMix: value(1), uMove: value(1), uBorn: value(ALWAYS),
        uSize: value(0.1), uPixels: value(800), uOpacity: value(1), uFogNear: value(8), uFogFar: value(30), uSelected: value(-1),
        uHover: value(-1), uTiers: value([vec(), vec(), vec(), vec()]), uBackground: value(vec()), uWrong: value(vec()),
        uRing: value(vec()), uBeam: value(vec()), uGlow: value(0),
      },
    });
    this.points = new Points(new BufferGeometry(), this.material);
    this.points.frustumCulled = false;
    this.points.renderOrder = 5;
  }

  get uniforms(): Record<string, { value: any }> {
    return this.material.uniforms;
  }

  /** `before`: what was shown until now; whether some of its memories stand elsewhere now. */
  setData(data: Data, s: Float32Array | null, visible: Uint8Array, before: Data | null): boolean {
    const { n } = data, old = this.points.geometry, place = new Float32Array(2 * n), times = new Float32Array(2 * n);
    this.bits = new Uint8Array(4 * n);
    for (let i = 0; i < n; i++) {
      place[2 * i] = data.x[i];
      place[2 * i + 1] = data.y[i];
      times[2 * i] = data.last[i];
      times[2 * i + 1] = data.created[i];
      this.bits[4 * i] = data.floor[i];
      this.bits[4 * i + 1] = data.waits[i];
      this.bits[4 * i + 3] = visible[i];
    }
    const from = before ? placesBefore(data, before, place) : null, standing = dynamic(place, 2);
    const relevance = clean(s, n);
    const geometry = new BufferGeometry();
    geometry.setAttribute("place", standing);
    geometry.setAttribute("before", from ? dynamic(from, 2) : standing);
    geometry.setAttribute("times", dynamic(times, 2));
    geometry.setAttribute("slow", dynamic(data.slow, 1));
    geometry.setAttribute("s0", dynamic(relevance, 1));
    geometry.setAttribute("s1", dynamic(relevance.slice(), 1));
    const bits = dynamic(this.bits, 4);
    bits.gpuType = IntType; // read as whole numbers
    geometry.setAttribute("bits", bits);
    if (n > MANY) {
      geometry.setIndex(new BufferAttribute(sifted(n), 1));
      this.uploaded += 4 * n;
    }
    geometry.setDrawRange(0, n);
    geometry.boundingSphere = new Sphere(new Vector3(), 100);
    this.points.geometry = geometry;
    old.dispose();
    this.uploaded += n * (from ? 44 : 36);
    this.uniforms.uSize.value = Math.min(0.13, Math.max(0.02, 0.098 * (n / 2000) ** -0.27));
    this.uniforms.uOpacity.value = Math.min(1, Math.max(0.3, 1.1 * (n / 1500) ** -0.22));
    return from !== null;
  }

  /** Whether so many are shown that it may pay to show fewer while they move. */
  get many(): boolean {
    return this.points.geometry.index !== null;
  }

  /** Shows a share of many memories, evenly taken, or all. */
  thin(some: boolean): void {
    const all = this.bits.length / 4;
    this.points.geometry.setDrawRange(0, some && this.many ? Math.ceil(all / SHARE) : all);
  }

  /** The new relevance becomes what the old one glides to; `mixed` is how far the last glide has come. */
  setRelevance(s: Float32Array | null, mixed: number): void {
    const geometry = this.points.geometry, a = geometry.getAttribute("s0") as BufferAttribute, b = geometry.getAttribute("s1") as BufferAttribute;
    const from = a.array as Float32Array, to = b.array as Float32Array, next = clean(s, to.length);
    for (let i = 0; i < to.length; i++) from[i] += (to[i] - from[i]) * mixed;
    to.set(next);
    a.needsUpdate = b.needsUpdate = true;
    this.uploaded += 8 * to.length;
  }

  /** Sends marks and filters when they differ from what the card has; whether they did. */
  setBits(passed: Uint8Array, marks: Uint8Array | null): boolean {
    let differs = false;
    for (let i = 0; i < passed.length; i++) {
      const mark = marks ? marks[i] & 3 : 0;
      if (this.bits[4 * i + 2] === mark && this.bits[4 * i + 3] === passed[i]) continue;
      this.bits[4 * i + 2] = mark;
      this.bits[4 * i + 3] = passed[i];
      differs = true;
    }
    if (!differs) return false;
    (this.points.geometry.getAttribute("bits") as BufferAttribute).needsUpdate = true;
    this.uploaded += this.bits.length;
    return true;
  }

  paint(p: Palette): void {
    const u = this.uniforms;
    p.tiers.forEach((rgb, i) => (u.uTiers.value as Vector3[])[i].set(...rgb));
    u.uBackground.value.set(...p.background);
    u.uWrong.value.set(...p.wrong);
    u.uRing.value.set(...p.ring);
    u.uBeam.value.set(...p.beam);
    u.uGlow.value = p.glow;
  }
}

/** All rows in an order whose first part is every SHAREth of them. */
function sifted(n: number): Uint32Array {
  const out = new Uint32Array(n);
  for (let first = 0, at = 0; first < SHARE; first++) for (let row = first; row < n; row += SHARE) out[at++] = row;
  return out;
}

/** Where the memories of `data` stood before, those that are new where they stand; null when none has moved. */
function placesBefore(data: Data, before: Data, place: Float32Array): Float32Array | null {
  const out = place.slice();
  let moved = false;
  for (let i = 0, j = 0; i < data.n && j < before.n; ) {
    if (data.id[i] === before.id[j]) {
      moved ||= data.x[i] !== before.x[j] || data.y[i] !== before.y[j];
      out[2 * i] = before.x[j];
      out[2 * i++ + 1] = before.y[j++];
    } else if (data.id[i] < before.id[j]) i++;
    else j++;
  }
  return moved ? out : null;
}

/** A copy without NaN, which marks rows that a filter left out. */
function clean(s: Float32Array | null, n: number): Float32Array {
  const out = new Float32Array(n);
  if (s) for (let i = 0; i < n; i++) out[i] = s[i] === s[i] ? s[i] : 0;
  return out;
}
