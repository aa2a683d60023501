/** The HTTP API as the page uses it (docs/reference/plane-data.md). A token stays in this tab's memory and session storage. */

const TOKEN = "lodmem.token";

/** A refusal with the server's own words; `status` 0 means that no server answered. */
export class Problem extends Error {
  constructor(readonly status: number, readonly code: string, message: string, readonly hint = "") {
    super(message);
  }
}

export type Parameters = [string, string][];

interface Asking {
  method?: string;
  body?: unknown;
  signal?: AbortSignal;
  headers?: Record<string, string>;
}

export class Api {
  /** Sent with each request; kept for this tab alone, never in the address. */
  private token = sessionStorage.getItem(TOKEN) ?? "";

  constructor(private readonly base: URL) {}

  get hasToken(): boolean {
    return this.token !== "";
  }

  setToken(token: string): void {
    this.token = token.trim();
    if (this.token) sessionStorage.setItem(TOKEN, this.token);
    else sessionStorage.removeItem(TOKEN);
  }

  url(path: string, parameters: Parameters = []): string {
    const url = new URL(path, this.base);
    for (const [key, value] of parameters) url.searchParams.append(key, value);
    return url.href;
  }

  /** The answer, once it is a good one. Throws Problem. */
  async ask(path: string, parameters: Parameters = [], asking: Asking = {}): Promise<Response> {
    const headers: Record<string, string> = { ...asking.headers };
    if (this.token) headers.Authorization = `Bearer ${this.token}`;
    const init: RequestInit = { method: asking.method ?? "GET", headers, credentials: "omit", cache: "no-store" };
    if (asking.body !== undefined) {
      headers["Content-Type"] = "application/json";
      init.body = JSON.stringify(asking.body);
    }
    if (asking.signal) init.signal = asking.signal;
    let response: Response;
    try {
      response = await fetch(this.url(path, parameters), init);
    } catch (error) {
      if (asking.signal?.aborted) throw error;
      throw new Problem(0, "offline", "The server does not answer.", "Is lodmem serve still running?");
    }
    if (response.ok || response.status === 304) return response;
    throw await problemOf(response);
  }

  async json<T>(path: string, parameters: Parameters = [], asking: Asking = {}): Promise<T> {
    return (await (await this.ask(path, parameters, asking)).json()) as T;
  }

  async buffer(path: string, parameters: Parameters = [], signal?: AbortSignal): Promise<ArrayBuffer> {
    return (await this.ask(path, parameters, signal ? { signal } : {})).arrayBuffer();
  }
}

async function problemOf(response: Response): Promise<Problem> {
  const fallback = `The server answered ${response.status}.`;
  try {
    const body = (await response.json()) as { code?: string; detail?: unknown; title?: string; hint?: string };
    const detail = typeof body.detail === "string" ? body.detail : (body.title ?? fallback);
    return new Problem(response.status, body.code ?? "error", detail, body.hint ?? "");
  } catch {
    return new Problem(response.status, "error", fallback);
  }
}

export const isAbort = (error: unknown): boolean => error instanceof DOMException && error.name === "AbortError";

/** The server writes clauses; people read sentences. */
export const sentence = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".");

export const words = (error: unknown): string =>
  error instanceof Problem ? (error.hint ? `${sentence(error.message)} ${sentence(error.hint)}` : sentence(error.message)) : error instanceof Error ? error.message : String(error);
