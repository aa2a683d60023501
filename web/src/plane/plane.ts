/**
 * The memory plane on a canvas, without a framework. It is told what to show and draws when something changed, never else.
 *
 * Throws from its constructor where there is no WebGL2; the page goes on without it.
 */

import { Color, Group, Matrix4, Scene, SRGBColorSpace, Vector2, Vector3, WebGLRenderer } from "three";
import type { Plane as Data } from "../lib/model";
import { HALF, pick, project, RISE, type Projection } from "../lib/pick";
import { height, type Lens } from "../lib/score";
import type { ViewName } from "../lib/url";
import { Beam } from "./beam";
import { Camera } from "./camera";
import { PALETTES, type ThemeName } from "./colours";
import { ALWAYS, MemoryPoints } from "./points";
import { Sheets } from "./sheets";

/** Where a picture of many memories takes longer than SLOW_MS, a share of them is drawn until nothing has moved for REST_MS. */
const SLOW_MS = 120, REST_MS = 160, LOOK_MS = 20;
const GLIDE = 0.45, MIX = 0.6, FALL = 0.75, MOVE = 1.2;

/** What the picker and the labels ask about a row: its height now. */
export type ScoreOf = (row: number) => number;

export class Plane {
  /** Frames drawn since the start. */
  frames = 0;
  readonly card: string;
  readonly look: Camera;
  readonly points = new MemoryPoints();
  private readonly renderer: WebGLRenderer;
  private readonly scene = new Scene();
  /** All that is drawn; only its height is ever scaled. */
  private readonly ground = new Group();
  private readonly sheets = new Sheets();
  private readonly beam = new Beam();
  private readonly ears: (() => void)[] = [];
  private data: Data | null = null;
  private visible: Uint8Array = new Uint8Array(0);
  private lens: Lens = { alpha: 0, lambda: 0.03, theta1: 0.6, theta2: 0.3, theta3: 0.05 };
  private from: number[] | null = null;
  private to: number[] = [0, 0.03, 0.6, 0.3, 0.05, 0];
  private glide = 1;
  private fall = 1;
  private query: { x: number; y: number } | null = null;
  private sized = false;
  private asked = 0;
  private slow = false;
  private rest = 0;
  /** Whether the next picture is of all memories though it takes long. */
  private whole = false;
  private last = 0;
  private scoreOf: ScoreOf = () => 0;

  constructor(readonly canvas: HTMLCanvasElement, calm: () => boolean) {
    this.renderer = new WebGLRenderer({ canvas, antialias: false, powerPreference: "high-performance" });
    this.renderer.outputColorSpace = SRGBColorSpace;
    this.renderer.setPixelRatio(Math.min(2, devicePixelRatio));
    const gl = this.renderer.getContext(), info = gl.getExtension("WEBGL_debug_renderer_info");
    this.card = String(info ? gl.getParameter(info.UNMASKED_RENDERER_WEBGL) : gl.getParameter(gl.RENDERER));
    this.look = new Camera(canvas, () => this.invalidate(), calm);
    this.ground.add(this.sheets.group, this.points.points, this.beam.group);
    this.scene.add(this.ground);
    this.look.go("orbit", null, true);
    // The card makes the programs while the data is on its way.
    this.renderer.compile(this.scene, this.look.camera);
  }

  /** Calls back after each frame. */
  onFrame(ear: () => void): void {
    this.ears.push(ear);
  }

  /** Whether nothing is drawn until something changes. */
  get still(): boolean {
    return this.asked === 0 && this.rest === 0;
  }

  /** Memories that stand elsewhere than before (a new map, a place at last) glide there. */
  setData(data: Data, s: Float32Array | null, passed: Uint8Array, scoreOf: ScoreOf): void {
    const first = this.data === null;
    const moved = this.points.setData(data, s, passed, this.data);
    this.data = data;
    this.visible = passed;
    this.scoreOf = scoreOf;
    this.points.uniforms.uMix.value = 1;
    this.points.uniforms.uMove.value = moved && !this.look.calm() ? 0 : 1;
    if (first) this.resize();
    this.invalidate();
  }

  /** A query's relevance and its place; points glide from where they are. */
  setRelevance(s: Float32Array | null, at: { x: number; y: number } | null): void {
    const u = this.points.uniforms;
    this.points.setRelevance(s, u.uMix.value);
    u.uMix.value = this.look.calm() ? 1 : 0;
    const fresh = at !== null && (this.query?.x !== at.x || this.query?.y !== at.y);
    this.query = at;
    this.beam.place(at);
    this.fall = fresh && !this.look.calm() ? 0 : 1;
    this.beam.fall(this.fall);
    this.invalidate();
  }

  /** Lens and day in one step; `glide` for jumps (a profile, a click), not for what the hand drags. */
  setLens(lens: Lens, now: number, scoreOf: ScoreOf, glide = false): void {
    this.lens = lens;
    this.scoreOf = scoreOf;
    const to = [lens.alpha, lens.lambda, lens.theta1, lens.theta2, lens.theta3, now];
    if (glide && !this.look.calm()) {
      this.from = this.uniformValues();
      this.glide = 0;
    } else this.glide = 1;
    this.to = to;
    if (this.glide === 1) this.writeUniforms(to);
    this.invalidate();
  }

  /** Which rows pass the filters, and how points are marked; `visible` are those of them that can be picked now. */
  setBits(passed: Uint8Array, visible: Uint8Array, marks: Uint8Array | null): void {
    this.visible = visible;
    if (this.points.setBits(passed, marks)) this.invalidate();
  }

  /** Hides what was made after a day; without one nothing is hidden for that. */
  until(day: number | null): void {
    this.setUniform("uBorn", day ?? ALWAYS);
  }

  select(row: number): void {
    this.setUniform("uSelected", row);
  }

  hover(row: number): void {
    this.setUniform("uHover", row);
  }

  /** Lines from one row to others: its true neighbours, wherever the map has put them. */
  setLines(row: number, others: number[]): void {
    if (!this.data || row < 0) return this.clearLines();
    const pairs = new Float32Array(others.length * 6);
    others.forEach((other, i) => {
      pairs.set([...this.place(row).toArray(), ...this.place(other).toArray()], i * 6);
    });
    this.beam.setLines(pairs);
    this.invalidate();
  }

  clearLines(): void {
    this.beam.setLines(null);
    this.invalidate();
  }

  view(name: ViewName, snap = false): void {
    this.look.go(name, this.query, snap);
  }

  focus(row: number): void {
    if (this.data && row >= 0) this.look.focus(this.place(row).setY(this.heightOf(row) * RISE * this.look.rise), 4.2);
  }

  setTheme(name: ThemeName): void {
    const palette = PALETTES[name];
    this.scene.background = new Color().setRGB(...palette.background, SRGBColorSpace);
    this.points.paint(palette);
    this.sheets.paint(palette);
    this.beam.paint(palette);
    this.invalidate();
  }

  /** Takes the canvas's size. Without data there is nothing to draw, and giving the canvas a size is dear. */
  resize(): void {
    const { clientWidth: w, clientHeight: h } = this.canvas, now = this.renderer.getSize(new Vector2());
    if (!w || !h || !this.data || (w === now.x && h === now.y && this.sized)) return;
    this.sized = true;
    this.renderer.setSize(w, h, false);
    this.look.reshape(w / h, this.query);
    this.invalidate();
  }

  projection(): Projection {
    const { camera } = this.look;
    camera.updateMatrixWorld();
    const matrix = new Matrix4().multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse);
    matrix.multiply(new Matrix4().makeScale(1, this.look.rise, 1));
    return { matrix: matrix.elements, width: this.canvas.clientWidth, height: this.canvas.clientHeight };
  }

  /** The row under a place of the canvas in CSS pixels, -1 for none. */
  at(x: number, y: number): number {
    const { data } = this;
    return data ? pick(this.projection(), data.x, data.y, (row) => this.heightOf(row), this.visible, x, y) : -1;
  }

  /** Where a row appears in the canvas, null when behind the camera. */
  where(row: number): { x: number; y: number } | null {
    return this.data ? project(this.projection(), this.data.x[row], this.heightOf(row), this.data.y[row]) : null;
  }

  dispose(): void {
    cancelAnimationFrame(this.asked);
    clearTimeout(this.rest);
    this.look.controls.dispose();
    this.points.points.geometry.dispose();
    this.renderer.dispose();
  }

  /** Asks for one frame. */
  invalidate(): void {
    clearTimeout(this.rest);
    this.rest = 0;
    this.whole = false;
    if (this.asked === 0) this.asked = requestAnimationFrame((t) => this.frame(t));
  }

  private frame(t: number): void {
    this.asked = 0;
    if (!this.data) return;
    const dt = Math.min(0.1, Math.max(0.001, (t - this.last) / 1000));
    this.last = t;
    const moving = [this.look.step(dt), this.stepGlide(dt), this.stepUniform("uMix", dt / MIX), this.stepUniform("uMove", dt / MOVE), this.stepFall(dt)].some(Boolean);
    const all = this.whole || !this.slow;
    this.points.thin(!all);
    this.draw();
    if (moving) this.invalidate();
    else if (all) this.clock();
    else this.rest = window.setTimeout(() => this.fill(), REST_MS);
  }

  /** The whole picture, now that nothing moves. */
  private fill(): void {
    this.invalidate();
    this.whole = true;
  }

  /** Finds out whether the card takes long for all memories; a look that came late says nothing. */
  private clock(): void {
    if (!this.points.many) return void (this.slow = false);
    const gl = this.renderer.getContext() as WebGL2RenderingContext, began = performance.now();
    const sync = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
    gl.flush();
    const look = (): void => {
      if (!sync || gl.isContextLost()) return;
      const done = gl.getSyncParameter(sync, gl.SYNC_STATUS) === gl.SIGNALED, late = performance.now() - began > SLOW_MS;
      if (!done && !late) return void setTimeout(look, LOOK_MS);
      if (done !== late) this.slow = late;
      gl.deleteSync(sync);
    };
    setTimeout(look, LOOK_MS);
  }

  private draw(): void {
    const u = this.points.uniforms, { camera, controls } = this.look, distance = camera.position.distanceTo(controls.target);
    u.uPixels.value = (this.canvas.clientHeight * this.renderer.getPixelRatio()) / (2 * Math.tan((camera.fov * Math.PI) / 360));
    const depth = Math.min(distance * 0.5, HALF * 1.3);
    u.uFogNear.value = distance - depth * 0.3;
    u.uFogFar.value = distance + depth * 2.2;
    this.ground.scale.y = this.look.rise;
    this.renderer.render(this.scene, camera);
    this.frames++;
    for (const ear of this.ears) ear();
  }

  private stepGlide(dt: number): boolean {
    if (this.glide >= 1 || !this.from) return false;
    this.glide = Math.min(1, this.glide + dt / GLIDE);
    const e = 1 - (1 - this.glide) ** 3;
    this.writeUniforms(this.to.map((to, i) => (this.glide >= 1 ? to : this.from![i] + (to - this.from![i]) * e)));
    return this.glide < 1;
  }

  private stepUniform(name: "uMix" | "uMove", by: number): boolean {
    const uniform = this.points.uniforms[name];
    if (uniform.value >= 1) return false;
    uniform.value = Math.min(1, uniform.value + by);
    return uniform.value < 1;
  }

  private stepFall(dt: number): boolean {
    if (this.fall >= 1) return false;
    this.fall = Math.min(1, this.fall + dt / FALL);
    this.beam.fall(this.fall);
    return this.fall < 1;
  }

  private uniformValues(): number[] {
    const u = this.points.uniforms, theta = u.uTheta.value as Vector3;
    return [u.uAlpha.value, u.uLambda.value, theta.x, theta.y, theta.z, u.uNow.value];
  }

  private writeUniforms([alpha, lambda, t1, t2, t3, now]: number[]): void {
    const u = this.points.uniforms;
    u.uAlpha.value = alpha;
    u.uLambda.value = lambda;
    u.uTheta.value.set(t1, t2, t3);
    u.uNow.value = now;
  }

  private setUniform(name: string, value: number): void {
    if (this.points.uniforms[name].value === value) return;
    this.points.uniforms[name].value = value;
    this.invalidate();
  }

  private heightOf(row: number): number {
    return height(this.scoreOf(row), this.lens, this.data!.floor[row]);
  }

  private place(row: number): Vector3 {
    return new Vector3(this.data!.x[row] * HALF, this.heightOf(row) * RISE, this.data!.y[row] * HALF);
  }
}
