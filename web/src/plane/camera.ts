/** Fixed places to look from, the flight between them, and turning by hand. Flights end at once where motion is unwanted. */

import { PerspectiveCamera, Vector3 } from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { fit, type Place } from "../lib/fit";
import { HALF, RISE } from "../lib/pick";
import { BASE } from "../lib/score";
import type { ViewName } from "../lib/url";
import { REACH } from "./sheets";

interface Shot {
  position: Vector3;
  target: Vector3;
  fov: number;
  /** How much heights are stretched: the elevation shows them large, the map hardly at all. */
  rise: number;
}

const MIDDLE = (BASE[4] * RISE) / 2;
const FLIGHT = 0.85, USUAL = 38;
/** What the orbit shows whole: the sheets from the floor to the uppermost, and what stands above that. */
const around = (half: number, y: number): Place[] => [[-half, y, -half], [-half, y, half], [half, y, -half], [half, y, half]];
const WHOLE: Place[] = [...around(REACH, 0), ...around(REACH, BASE[3] * RISE), ...around(HALF, BASE[4] * RISE)];
const ORBIT: Place = [7.2, 6, 12], FREE = { top: 0.11, bottom: 0.09, side: 0.015 };
const lens = (fov: number): number => Math.tan((fov * Math.PI) / 360);

export class Camera {
  readonly camera = new PerspectiveCamera(USUAL, 1, 0.1, 400);
  readonly controls: OrbitControls;
  private flight: { from: Shot; to: Shot; t: number } | null = null;
  view: ViewName = "orbit";
  rise = 1;
  /** Whether somebody turned it since the last fixed place. */
  private touched = false;

  constructor(element: HTMLElement, private readonly moved: () => void, readonly calm: () => boolean) {
    this.controls = new OrbitControls(this.camera, element);
    this.controls.enableDamping = false;
    this.controls.maxPolarAngle = Math.PI / 2 - 0.01;
    this.controls.minDistance = 1.2;
    this.controls.maxDistance = 120;
    this.controls.zoomToCursor = true;
    this.controls.addEventListener("change", moved);
    this.controls.addEventListener("start", () => {
      this.flight = null;
      this.touched = true;
    });
  }

  get flying(): boolean {
    return this.flight !== null;
  }

  /** Distance to what is looked at, as if through the usual lens: small near, large far. */
  get distance(): number {
    return (this.camera.position.distanceTo(this.controls.target) * lens(this.camera.fov)) / lens(USUAL);
  }

  /** Sees the whole plane in a canvas of this shape from a place; `query` is where the query's beam stands. */
  shot(view: ViewName, query: { x: number; y: number } | null): Shot {
    const wide = Math.max(1, 1.35 / Math.max(0.4, this.camera.aspect));
    const v = (x: number, y: number, z: number): Vector3 => new Vector3(x, y, z);
    if (view === "map") return { position: v(0, 56 * wide, 0.01), target: v(0, 0, 0), fov: 13.5, rise: 0.2 };
    if (view === "elevation") return { position: v(0, MIDDLE * 2 + 2.2, 57 * wide), target: v(0, MIDDLE * 2 + 0.4, 0), fov: 12.2, rise: 2 };
    if (view === "eye") {
      const x = (query?.x ?? 0) * HALF, z = (query?.y ?? 0) * HALF;
      const away = v(x, 0, z).lengthSq() > 0.4 ? v(x, 0, z).normalize() : v(0.35, 0, 0.94);
      return { position: v(x + away.x * 5.2, BASE[4] * RISE + 3.6, z + away.z * 5.2), target: v(x - away.x * 1.1, 1.25, z - away.z * 1.1), fov: 44, rise: 1 };
    }
    const { distance, height } = fit(WHOLE, ORBIT, USUAL, this.camera.aspect, FREE), target = v(0, height, 0);
    return { position: v(...ORBIT).setLength(distance).add(target), target, fov: USUAL, rise: 1 };
  }

  /** The canvas has another shape: a fixed place is taken anew, so that all stays in the picture. */
  reshape(aspect: number, query: { x: number; y: number } | null): void {
    if (Math.abs(this.camera.aspect - aspect) < 1e-3) return;
    this.camera.aspect = aspect;
    this.camera.updateProjectionMatrix();
    if (!this.touched) this.go(this.view, query, !this.flying);
  }

  go(view: ViewName, query: { x: number; y: number } | null, snap = false): void {
    this.view = view;
    this.touched = false;
    const to = this.shot(view, query);
    if (snap || this.calm()) this.set(to);
    else this.flight = { from: this.now(), to, t: 0 };
    this.moved();
  }

  /** Looks at a place from the direction the camera has; `distance` as if through the usual lens. */
  focus(at: Vector3, distance: number): void {
    this.touched = true;
    const offset = this.camera.position.clone().sub(this.controls.target).setLength((distance * lens(USUAL)) / lens(this.camera.fov));
    const to = { position: at.clone().add(offset), target: at.clone(), fov: this.camera.fov, rise: this.rise };
    if (this.calm()) this.set(to);
    else this.flight = { from: this.now(), to, t: 0 };
    this.moved();
  }

  private now(): Shot {
    return { position: this.camera.position.clone(), target: this.controls.target.clone(), fov: this.camera.fov, rise: this.rise };
  }

  private set(shot: Shot): void {
    this.flight = null;
    this.camera.position.copy(shot.position);
    this.controls.target.copy(shot.target);
    this.camera.fov = shot.fov;
    this.rise = shot.rise;
    this.camera.updateProjectionMatrix();
    this.controls.update();
  }

  /** Moves on by `dt` seconds; whether the flight goes on. */
  step(dt: number): boolean {
    const f = this.flight;
    if (!f) return false;
    f.t = Math.min(1, f.t + dt / FLIGHT);
    if (f.t >= 1) {
      this.set(f.to);
      return false;
    }
    const e = f.t * f.t * (3 - 2 * f.t);
    this.camera.position.lerpVectors(f.from.position, f.to.position, e);
    this.controls.target.lerpVectors(f.from.target, f.to.target, e);
    this.camera.fov = f.from.fov + (f.to.fov - f.from.fov) * e;
    this.rise = f.from.rise + (f.to.rise - f.from.rise) * e;
    this.camera.updateProjectionMatrix();
    this.camera.lookAt(this.controls.target);
    return true;
  }

  /** By keys: angles in radians, `zoom` a factor of the distance. */
  turn(sideways: number, up: number, zoom = 1): void {
    this.flight = null;
    this.touched = true;
    const offset = this.camera.position.clone().sub(this.controls.target);
    const radius = Math.min(120, Math.max(1.2, offset.length() * zoom));
    const polar = Math.min(Math.PI / 2 - 0.01, Math.max(0.001, Math.acos(offset.y / offset.length()) - up));
    const around = Math.atan2(offset.x, offset.z) + sideways;
    offset.set(radius * Math.sin(polar) * Math.sin(around), radius * Math.cos(polar), radius * Math.sin(polar) * Math.cos(around));
    this.camera.position.copy(this.controls.target).add(offset);
    this.controls.update();
    this.moved();
  }
}
