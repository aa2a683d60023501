/** Headlines by id, fetched in batches when something on the screen needs them. */

import { SvelteMap } from "svelte/reactivity";
import type { Api } from "../lib/api";

const BATCH = 200, KEPT = 4000, PAUSE_MS = 25;

export class Headlines {
  private readonly known = new SvelteMap<number, string>();
  private readonly asked = new Set<number>();
  private waiting: number[] = [];
  private timer = 0;

  constructor(private readonly api: Api) {}

  /** The headline, or undefined until it is there; asking for it fetches it. */
  get(id: number): string | undefined {
    const text = this.known.get(id);
    if (text === undefined) this.want(id);
    return text;
  }

  forget(ids: Iterable<number>): void {
    for (const id of ids) this.known.delete(id);
  }

  private want(id: number): void {
    if (this.asked.has(id)) return;
    this.asked.add(id);
    this.waiting.push(id);
    this.timer ||= window.setTimeout(() => void this.fetch(), PAUSE_MS);
  }

  private async fetch(): Promise<void> {
    this.timer = 0;
    const ids = this.waiting.splice(-BATCH);
    if (this.waiting.length) this.timer = window.setTimeout(() => void this.fetch(), PAUSE_MS);
    try {
      const answer = await this.api.json<{ items: { id: number; text: string }[] }>("memories", [
        ["ids", ids.join(",")], ["level", "headline"], ["max_chars", "300"],
      ]);
      for (const { id, text } of answer.items) this.known.set(id, text);
    } catch {
      // Shown as missing; asked for again when it comes into view the next time.
    }
    for (const id of ids) this.asked.delete(id);
    for (const id of this.known.keys()) {
      if (this.known.size <= KEPT) break;
      this.known.delete(id);
    }
  }
}
