/** Names on the plane as real text: clusters at two zoom levels, the sheets, the query. HTML, so it is sharp and selectable. */

import type { PlaneHeader } from "../lib/model";
import { placeLabels, type Candidate } from "../lib/labels";
import { project, HALF } from "../lib/pick";
import { BASE, TIERS, type Lens } from "../lib/score";
import { oneLine } from "../lib/text";
import type { Plane } from "./plane";
import { RING } from "./beam";
import { REACH } from "./sheets";

/** Nearer than this the fine clusters are named before the coarse groups. */
export const NEAR = 11;
/** Pixels of a letter in the name of a sheet. */
const SHEET_CHAR = 6.8;

type Put = (key: string, text: string, kind: string, x: number, height: number, y: number, weight: number, char: number, pull?: number) => void;

const clamp = (x: number, low: number, high: number): number => Math.min(high, Math.max(low, x));

export class Overlay {
  private readonly pool = new Map<string, HTMLElement>();
  private header: PlaneHeader | null = null;
  private lens: Lens | null = null;
  private query: { text: string; x: number; y: number } | null = null;
  private crowd: Float64Array | null = null;

  constructor(private readonly layer: HTMLElement, private readonly plane: Plane) {
    plane.onFrame(() => this.update());
  }

  /** `crowd`: how many visible memories each cluster has; those without are not named. */
  set(header: PlaneHeader, lens: Lens, query: { text: string; x: number; y: number } | null, crowd: Float64Array | null): void {
    this.header = header;
    this.lens = lens;
    this.query = query;
    this.crowd = crowd;
    this.plane.invalidate();
  }

  private update(): void {
    if (!this.header || !this.lens) return;
    const p = this.plane.projection(), wanted: (Candidate & { kind: string })[] = [];
    const near = this.plane.look.distance < NEAR;
    const put: Put = (key, text, kind, x, height, y, weight, char, pull = 0) => {
      const at = project(p, x, height, y);
      if (!at) return;
      const width = Math.min(260, text.length * char) + 12;
      // The query stays named while its beam is in view; from above it stands over its ring, which it would hide.
      if (kind === "query" && this.plane.look.view === "map") at.y = (project(p, x, height, y - RING / HALF)?.y ?? at.y) - 13;
      if (kind === "query") Object.assign(at, { x: clamp(at.x, width / 2, p.width - width / 2), y: clamp(at.y, 52, p.height - 40) });
      wanted.push({ key, text, kind, x: at.x + pull * (width / 2), y: at.y - (pull > 0 ? 9 : 0), width, height: kind === "sheet" ? 20 : kind === "group" ? 24 : 19, weight });
    };
    this.sheets(put);
    if (this.query) put("query", this.query.text.slice(0, 48), "query", this.query.x, BASE[4] + 0.75, this.query.y, 1e11, 7);
    const grouped = new Float64Array(this.header.groups.length);
    this.header.clusters.forEach((c, i) => {
      const size = this.crowd ? this.crowd[i] : c.size;
      if (c.group !== null && c.group < grouped.length) grouped[c.group] += size;
      if (size > 0 && c.label) put(`c${i}`, oneLine(c.label), "cluster", c.x, 0, c.y, near ? 1e9 + size : size, 6.3);
    });
    this.header.groups.forEach((g, i) => {
      if (grouped[i] > 0 && g.label) put(`g${i}`, oneLine(g.label), "group", g.x, 0, g.y, near ? grouped[i] : 1e9 + grouped[i], 7.6);
    });
    this.show(placeLabels(wanted, p.width, p.height) as typeof wanted);
  }

  /** A sheet is named where its rim is farthest left in the picture. */
  private sheets(put: Put): void {
    if (this.plane.look.view === "map") return;
    const p = this.plane.projection(), l = this.lens!, edge = REACH / HALF, steps = 16;
    const thresholds = ["", ` ≥ ${l.theta3.toFixed(2)}`, ` ≥ ${l.theta2.toFixed(2)}`, ` ≥ ${l.theta1.toFixed(2)}`];
    for (let tier = 0; tier < 4; tier++) {
      const text = TIERS[tier].toUpperCase() + thresholds[tier], room = text.length * SHEET_CHAR + 16;
      let best: { sx: number; x: number; y: number } | null = null;
      for (let i = 0; i < 4 * steps; i++) {
        const along = ((i % steps) / steps) * 2 - 1, side = Math.floor(i / steps);
        const x = edge * (side === 0 ? along : side === 1 ? 1 : side === 2 ? -along : -1), y = edge * (side === 0 ? -1 : side === 1 ? along : side === 2 ? 1 : -along);
        const at = project(p, x, BASE[tier], y);
        if (at && at.y > 14 && at.y < p.height - 30 && at.x > 0 && at.x < p.width - room && (!best || at.x < best.sx)) best = { sx: at.x, x, y };
      }
      if (best) put(`t${tier}`, text, `sheet t${tier}`, best.x, BASE[tier], best.y, 1e10 + tier, SHEET_CHAR, best.sx > room ? -1 : 1);
    }
  }

  private show(labels: (Candidate & { kind: string })[]): void {
    const keep = new Set<string>();
    for (const label of labels) {
      keep.add(label.key);
      let element = this.pool.get(label.key);
      if (!element) {
        element = document.createElement("span");
        element.dir = "auto";
        this.pool.set(label.key, element);
        this.layer.append(element);
      }
      if (element.textContent !== label.text) element.textContent = label.text;
      if (element.className !== `label ${label.kind}`) element.className = `label ${label.kind}`;
      element.style.transform = `translate(${Math.round(label.x)}px, ${Math.round(label.y)}px) translate(-50%, -50%)`;
    }
    for (const [key, element] of this.pool) {
      if (keep.has(key)) continue;
      element.remove();
      this.pool.delete(key);
    }
  }
}
