/** Which labels are shown: the big ones first, none over another, never more than people can read. */

export const MOST_LABELS = 200;

export interface Candidate {
  key: string;
  text: string;
  x: number;
  y: number;
  width: number;
  height: number;
  weight: number;
}

/** Those that fit into `width` x `height`, by falling weight (ties by key); x and y are the label's centre. */
export function placeLabels(candidates: Candidate[], width: number, height: number, most = MOST_LABELS): Candidate[] {
  const sorted = [...candidates].sort((a, b) => b.weight - a.weight || (a.key < b.key ? -1 : 1));
  const cell = 64, taken = new Map<number, Candidate[]>(), out: Candidate[] = [];
  for (const label of sorted) {
    if (out.length >= most) break;
    const l = label.x - label.width / 2, r = label.x + label.width / 2, t = label.y - label.height / 2, b = label.y + label.height / 2;
    if (l < 0 || r > width || t < 0 || b > height) continue;
    const cells: number[] = [];
    for (let cy = Math.floor(t / cell); cy <= Math.floor(b / cell); cy++) {
      for (let cx = Math.floor(l / cell); cx <= Math.floor(r / cell); cx++) cells.push(cy * 4096 + cx);
    }
    const hits = cells.some((c) => taken.get(c)?.some((o) =>
      Math.abs(o.x - label.x) < (o.width + label.width) / 2 && Math.abs(o.y - label.y) < (o.height + label.height) / 2));
    if (hits) continue;
    for (const c of cells) {
      const here = taken.get(c);
      if (here) here.push(label);
      else taken.set(c, [label]);
    }
    out.push(label);
  }
  return out;
}
