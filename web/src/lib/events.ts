/** Server-sent events over fetch, which can carry a token where EventSource cannot. */

import { isAbort, type Api } from "./api";

export interface ServerEvent {
  event: string;
  id: string;
  data: string;
}

/** Cuts a stream of text into events; feed it pieces as they come. Lines end in LF, CR or CRLF. */
export class EventParser {
  private rest = "";
  private event = "";
  private id = "";
  private data: string[] = [];

  feed(chunk: string): ServerEvent[] {
    const out: ServerEvent[] = [];
    this.rest += chunk;
    const lines = this.rest.split(/\r\n|\n|\r(?!$)/);
    this.rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line === "") {
        if (this.data.length) out.push({ event: this.event || "message", id: this.id, data: this.data.join("\n") });
        this.event = "";
        this.data = [];
        continue;
      }
      const colon = line.indexOf(":");
      if (colon === 0) continue;
      const field = colon < 0 ? line : line.slice(0, colon);
      const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
      if (field === "event") this.event = value;
      else if (field === "data") this.data.push(value);
      else if (field === "id") this.id = value;
    }
    return out;
  }
}

export interface Change {
  revision: number;
  written: number[];
  touched: number[];
  gone: number[];
  more: boolean;
}

const WAITS = [1, 2, 5, 10, 20];
/** A server gives a sign of life each 15 seconds; when three are missed nobody is there, though the connection may stand. */
const QUIET_MS = 45_000;

/** Resolves after so long, or as soon as the browser has a network again. */
const pause = (seconds: number): Promise<void> =>
  new Promise((done) => {
    const timer = setTimeout(go, 1000 * seconds);
    function go(): void {
      clearTimeout(timer);
      removeEventListener("online", go);
      done();
    }
    addEventListener("online", go);
  });

/** Listens until `signal` aborts, coming back after each loss. `heard` gets events, `online` whether the stream stands. */
export async function listen(
  api: Api, heard: (event: ServerEvent) => void, online: (up: boolean) => void, signal: AbortSignal,
): Promise<void> {
  let last = "", tries = 0;
  while (!signal.aborted) {
    let lost = (): void => {};
    try {
      const headers: Record<string, string> = { Accept: "text/event-stream" };
      if (last) headers["Last-Event-ID"] = last;
      const response = await api.ask("events", [], { signal, headers });
      const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader(), parser = new EventParser();
      lost = (): void => void reader.cancel();
      addEventListener("offline", lost);
      online(true);
      tries = 0;
      for (;;) {
        const timer = setTimeout(lost, QUIET_MS), { done, value } = await reader.read().finally(() => clearTimeout(timer));
        if (done) break;
        for (const event of parser.feed(value)) {
          if (event.id) last = event.id;
          heard(event);
        }
      }
    } catch (error) {
      if (isAbort(error) || signal.aborted) return;
    } finally {
      removeEventListener("offline", lost);
    }
    if (signal.aborted) return;
    online(false);
    await pause(WAITS[Math.min(tries++, WAITS.length - 1)]);
  }
}
