/** The memory that is looked at closely, and its kin. */

import { isAbort, Problem, words, type Api } from "../lib/api";
import type { MemoryDetail, Related } from "../lib/model";
import { api } from "./app.svelte";

export const NEIGHBOURS = 10;

class Detail {
  memory = $state.raw<MemoryDetail | null>(null);
  failure = $state("");
  private control: AbortController | null = null;

  constructor(private readonly source: Api) {}

  get similar(): Related[] {
    return this.memory?.similar ?? [];
  }

  async load(id: number | null): Promise<void> {
    this.control?.abort();
    this.failure = "";
    if (id === null) {
      this.memory = null;
      return;
    }
    if (this.memory?.id !== id) this.memory = null;
    const control = (this.control = new AbortController());
    try {
      const memory = await this.source.json<MemoryDetail>(`memories/${id}`, [["similar", String(NEIGHBOURS)]], { signal: control.signal });
      if (!control.signal.aborted) this.memory = memory;
    } catch (error) {
      if (isAbort(error)) return;
      // What is known of it stays in view while the server is away.
      if (!(error instanceof Problem && error.status === 0)) this.memory = null;
      this.failure = words(error);
    }
  }
}

export const related = new Detail(api);
