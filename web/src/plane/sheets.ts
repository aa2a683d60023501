/** The still things: the floor's grid and a glass sheet at each threshold. A point that crosses a sheet changes its tier. */

import { DoubleSide, GLSL3, Group, Mesh, PlaneGeometry, ShaderMaterial, Vector3 } from "three";
import { HALF, RISE } from "../lib/pick";
import { BASE } from "../lib/score";
import type { Palette } from "./colours";

export const REACH = HALF * 1.12;

const vertex = /* glsl */ `
out vec2 at;
out vec3 eye;
void main() {
  at = position.xy;
  vec4 world = modelMatrix * vec4(position, 1.0);
  eye = cameraPosition - world.xyz;
  gl_Position = projectionMatrix * viewMatrix * world;
}`;

/** Fine lines, a bright rim, and more reflection at a flat angle, as glass has. */
const fragment = /* glsl */ `
precision highp float;
uniform vec3 uColour;
uniform float uFill, uLines, uRim, uStep;
in vec2 at;
in vec3 eye;
out vec4 pixel;
void main() {
  float edge = ${REACH.toFixed(3)} - max(abs(at.x), abs(at.y));
  vec2 cell = at / uStep, width = fwidth(cell);
  vec2 line = 1.0 - smoothstep(vec2(0.0), width * 1.4, abs(fract(cell - 0.5) - 0.5));
  float calm = 1.0 - smoothstep(0.12, 0.5, max(width.x, width.y));
  float pixelSize = max(width.x, width.y) * uStep;
  float rim = 1.0 - smoothstep(0.0, pixelSize * 1.5 + 1e-6, edge);
  float bloom = exp(-max(edge, 0.0) * 2.6) * uRim * 0.16 * (0.3 + 0.7 * pow(1.0 - abs(normalize(eye).y), 1.5));
  float flatness = pow(1.0 - abs(normalize(eye).y), 3.0);
  float fade = 1.0 - 0.75 * smoothstep(0.35, 1.0, length(at) / ${(REACH * 1.35).toFixed(3)});
  float alpha = uFill * (0.6 + 1.6 * flatness) + bloom + max(line.x, line.y) * uLines * calm * fade;
  alpha = max(alpha, rim * uRim);
  pixel = vec4(uColour * alpha, alpha);
}`;

interface Sheet {
  material: ShaderMaterial;
  tier: number;
}

export class Sheets {
  readonly group = new Group();
  private readonly sheets: Sheet[] = [];

  constructor() {
    for (const tier of [0, 1, 2, 3]) {
      const material = new ShaderMaterial({
        glslVersion: GLSL3, vertexShader: vertex, fragmentShader: fragment, transparent: true, depthWrite: false, side: DoubleSide,
        premultipliedAlpha: true,
        uniforms: {
          uColour: { value: new Vector3() }, uFill: { value: 0 }, uLines: { value: 0 }, uRim: { value: 0 }, uStep: { value: tier === 0 ? 0.5 : 1 },
        },
      });
      const mesh = new Mesh(new PlaneGeometry(2 * REACH, 2 * REACH), material);
      mesh.rotation.x = -Math.PI / 2;
      mesh.position.y = BASE[tier] * RISE;
      mesh.renderOrder = tier;
      this.group.add(mesh);
      this.sheets.push({ material, tier });
    }
  }

  paint(p: Palette): void {
    for (const { material, tier } of this.sheets) {
      const u = material.uniforms;
      u.uColour.value.set(...(tier === 0 ? p.grid : p.tiers[tier as 1 | 2 | 3]));
      u.uFill.value = (tier === 0 ? 0.02 : 0.04) * p.sheet;
      u.uLines.value = (tier === 0 ? 0.42 : 0.03) * p.sheet;
      u.uRim.value = (tier === 0 ? 0.7 : 0.6) * p.sheet;
    }
  }
}
