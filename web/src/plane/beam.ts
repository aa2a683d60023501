/** The query as a beam of light at its place, with a ring where it passes each sheet; and the lines to true neighbours. */

import {
  BufferAttribute, BufferGeometry, CylinderGeometry, DoubleSide, GLSL3, Group, LineBasicMaterial, LineSegments, Mesh, PlaneGeometry,
  ShaderMaterial, SRGBColorSpace, Vector3,
} from "three";
import { HALF, RISE } from "../lib/pick";
import { BASE } from "../lib/score";
import type { Palette } from "./colours";

const TOP = BASE[4] * RISE + 0.55;
/** Radius of the rings where the beam passes a sheet. */
export const RING = 0.4;

const vertex = /* glsl */ `
out float up;
out float facing;
void main() {
  up = uv.y;
  vec3 n = normalize(mat3(viewMatrix * modelMatrix) * normal);
  facing = abs(n.z);
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
}`;
const fragment = /* glsl */ `
precision highp float;
uniform vec3 uColour;
uniform float uStrength;
in float up;
in float facing;
out vec4 pixel;
void main() {
  float alpha = uStrength * pow(facing, 2.2) * (0.25 + 0.75 * up) * (1.0 - smoothstep(0.92, 1.0, up));
  pixel = vec4(uColour * alpha, alpha * 0.6);
}`;

const ringVertex = /* glsl */ `
out vec2 at;
void main() {
  at = position.xy;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
}`;
const ringFragment = /* glsl */ `
precision highp float;
uniform vec3 uColour;
uniform float uRadius;
in vec2 at;
out vec4 pixel;
void main() {
  float d = length(at), width = fwidth(d);
  float alpha = 0.9 * (1.0 - smoothstep(width * 0.4, width * 1.5 + 0.004, abs(d - uRadius))) + 0.03 * (1.0 - smoothstep(0.0, uRadius, d));
  if (alpha < 0.004) discard;
  pixel = vec4(uColour * alpha, alpha);
}`;

export class Beam {
  readonly group = new Group();
  private readonly light = new Group();
  private readonly glowing: ShaderMaterial[] = [];
  private readonly lineMaterial = new LineBasicMaterial({ transparent: true, opacity: 0.75, depthTest: false });
  private lines: LineSegments | null = null;
  /** 0: above the plane, 1: landed. */
  private fallen = 1;

  constructor() {
    for (const [radius, strength] of [[0.02, 1], [0.13, 0.34]] as const) {
      const material = this.glow(vertex, fragment, { uStrength: { value: strength } });
      const shaft = new Mesh(new CylinderGeometry(radius, radius, TOP, 24, 1, true), material);
      shaft.position.y = TOP / 2;
      shaft.renderOrder = 6;
      this.light.add(shaft);
    }
    for (const y of BASE.slice(0, 4)) {
      const material = this.glow(ringVertex, ringFragment, { uRadius: { value: RING } });
      const ring = new Mesh(new PlaneGeometry(2 * RING + 0.2, 2 * RING + 0.2), material);
      ring.rotation.x = -Math.PI / 2;
      ring.position.y = y * RISE + 0.004;
      ring.renderOrder = 6;
      this.light.add(ring);
    }
    this.light.visible = false;
    this.group.add(this.light);
  }

  private glow(vertexShader: string, fragmentShader: string, uniforms: Record<string, { value: number }>): ShaderMaterial {
    const material = new ShaderMaterial({
      glslVersion: GLSL3, vertexShader, fragmentShader, transparent: true, depthWrite: false, depthTest: false, side: DoubleSide,
      premultipliedAlpha: true, uniforms: { uColour: { value: new Vector3() }, ...uniforms },
    });
    this.glowing.push(material);
    return material;
  }

  get visible(): boolean {
    return this.light.visible;
  }

  place(at: { x: number; y: number } | null): void {
    this.light.visible = at !== null;
    if (at) this.light.position.set(at.x * HALF, 0, at.y * HALF);
  }

  /** Lets the beam drop: 0 above, 1 at rest. */
  fall(progress: number): void {
    this.fallen = progress;
    const left = (1 - this.fallen) ** 2;
    this.light.position.y = left * 4;
    this.light.scale.setY(1 - 0.6 * left);
  }

  /** Lines between pairs of places (x, height, y), or none. */
  setLines(pairs: Float32Array | null): void {
    if (this.lines) {
      this.group.remove(this.lines);
      this.lines.geometry.dispose();
      this.lines = null;
    }
    if (!pairs?.length) return;
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(pairs, 3));
    this.lines = new LineSegments(geometry, this.lineMaterial);
    this.lines.frustumCulled = false;
    this.lines.renderOrder = 6;
    this.group.add(this.lines);
  }

  paint(p: Palette): void {
    for (const material of this.glowing) material.uniforms.uColour.value.set(...p.beam);
    this.lineMaterial.color.setRGB(...p.beam, SRGBColorSpace);
  }
}
