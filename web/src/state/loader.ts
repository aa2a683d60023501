/** Brings what the session needs from the server, each kind of question once at a time: a newer one takes the older's place. */

import { isAbort, Problem, words, type Api, type Parameters } from "../lib/api";
import { decode } from "../lib/columns";
import { listen, type Change, type ServerEvent } from "../lib/events";
import { filterParameters } from "../lib/filters";
import { readPlane, US_PER_DAY, type Info, type Plane, type Profile, type RelevanceHeader, type TiersHeader } from "../lib/model";
import type { Link } from "../lib/url";
import type { More, Session } from "./session.svelte";
import type { Headlines } from "./texts.svelte";

const MORE = "tokens_full,tokens_summary,tokens_headline,last_tier,importance";
/** Above this many memories a change of the store is announced rather than loaded at once. */
const QUIET = 250_000;
const MAP_MS = 2500, BUSY_MS = 1500;

export class Loader {
  private readonly running = new Map<string, AbortController>();
  private tag = "";
  private again = false;
  private refreshTimer = 0;
  private mapTimer = 0;
  private readonly life = new AbortController();

  constructor(private readonly session: Session, private readonly api: Api, private readonly headlines: Headlines) {}

  /** From nothing to the first picture. `link` is the address the page was opened with. `busy`: the server has just said why
   * it cannot answer yet, which stays to be read. */
  async start(link: Link, busy = false): Promise<void> {
    const s = this.session;
    if (s.phase !== "loading") s.loading = "Asking the server";
    s.phase = "loading";
    let said = busy;
    try {
      const plane = this.askPlane(), profiles = this.loadProfiles();
      const info = this.api.json<Info>("info").then((answer) => {
        s.info = answer;
        if (!said) s.loading = `Loading ${answer.memories.toLocaleString("en-GB")} memories`;
      });
      await Promise.all([info, profiles, plane]);
      this.takePlane(await plane);
      this.open(link);
      s.phase = s.current!.n === 0 ? "empty" : "ready";
      void this.loadMore();
      if (link.query) void this.ask(link.query, link.exclude);
      void this.live();
    } catch (error) {
      if (!(error instanceof Problem && error.status === 503)) return this.fail(error);
      // It is busy, say with the index of a large store: its words say how far that is.
      said = true;
      s.loading = words(error);
      window.setTimeout(() => void this.start(link, true), BUSY_MS);
    }
  }

  private open(link: Link): void {
    const s = this.session, named = s.profiles.find((p) => p.name === link.profile);
    if (named) s.useProfile(named);
    for (const key of ["theta3", "theta2", "theta1", "alpha", "lambda"] as const) {
      const value = link.lens[key];
      if (value !== undefined) s.setLens(key, value);
    }
    if (link.k !== null) s.k = link.k;
    if (link.budget !== null) s.budget = link.budget;
    s.settled = s.lens;
    if (link.revision !== null && link.revision < s.current!.header.revision) s.linkRevision = link.revision;
  }

  fail(error: unknown): void {
    if (isAbort(error)) return;
    const s = this.session;
    s.failure = error;
    if (error instanceof Problem && error.status === 401) s.phase = "token";
    else if (s.phase === "loading") s.phase = "failed";
    else if (error instanceof Problem && error.status === 0) s.online = false;
    else s.say(words(error));
  }

  async loadProfiles(): Promise<void> {
    const answer = await this.api.json<{ profiles: Profile[]; used: string }>("profiles");
    this.session.profiles = answer.profiles;
    this.session.usedProfile = answer.used;
  }

  /** Which plane: the profile's floor rules count in it, and a space has rows of its own. */
  private planeParameters(): Parameters {
    const { profile, filters } = this.session, out: Parameters = [];
    if (profile) out.push(["profile", profile.name]);
    if (filters.space) out.push(["space", filters.space]);
    return out;
  }

  /** The plane anew, unless the server says that it has not changed. */
  async loadPlane(): Promise<void> {
    this.takePlane(await this.askPlane());
  }

  /** The plane and its tag, null when it has not changed. */
  private async askPlane(): Promise<{ plane: Plane; tag: string } | null> {
    const s = this.session, before = s.current;
    const parameters = this.planeParameters(), headers: Record<string, string> = {};
    if (this.tag && before) headers["If-None-Match"] = this.tag;
    const response = await this.api.ask("plane", parameters, { headers });
    if (response.status === 304) return null;
    return { plane: readPlane(await response.arrayBuffer()), tag: response.headers.get("etag") ?? "" };
  }

  private takePlane(answer: { plane: Plane; tag: string } | null): void {
    if (!answer) return this.watchMap();
    const s = this.session, before = s.current, { plane, tag } = answer;
    this.tag = tag;
    if (before && before.header.rows !== plane.header.rows) {
      s.s = null;
      s.more = null;
      s.tiers = null;
    }
    for (const name of plane.header.dictionaries.spaces) s.spaces.add(name);
    s.nowUs = plane.header.now_us;
    s.current = plane;
    s.wordsOnly = plane.header.words_only;
    s.moved = false;
    this.watchMap();
    if (!s.profile) s.useProfile(s.profiles.find((p) => p.name === plane.header.profile.name) ?? plane.header.profile);
  }

  private once(kind: string): AbortSignal {
    this.running.get(kind)?.abort();
    const control = new AbortController();
    this.running.set(kind, control);
    this.session.busy.add(kind);
    return control.signal;
  }

  private done(kind: string, signal: AbortSignal): void {
    if (this.running.get(kind)?.signal === signal) this.session.busy.delete(kind);
  }

  async loadMore(): Promise<void> {
    const s = this.session;
    try {
      const { header, columns } = decode(await this.api.buffer("plane/more", [["columns", MORE], ...(s.filters.space ? [["space", s.filters.space] as [string, string]] : [])]));
      if (s.current && header.rows === s.current.header.rows) s.more = columns as unknown as More;
    } catch (error) {
      this.fail(error);
    }
  }

  private lookParameters(): Parameters {
    const s = this.session, out: Parameters = [...this.planeParameters(), ...filterParameters(s.filters)];
    for (const term of s.exclude) out.push(["exclude", term]);
    if (s.offset < 0) out.push(["as_of", this.moment()]);
    return out;
  }

  private moment(): string {
    return new Date((this.session.nowUs + this.session.offset * US_PER_DAY) / 1000).toISOString();
  }

  /** Drops a query in; an empty one takes it away. */
  async ask(query: string, exclude: string[] = this.session.exclude): Promise<void> {
    const s = this.session, text = query.trim();
    s.exclude = exclude;
    if (!text) {
      this.running.get("query")?.abort();
      s.busy.delete("query");
      s.query = "";
      s.s = null;
      s.place = null;
      return;
    }
    const signal = this.once("query"), { asking } = s;
    try {
      const buffer = await this.api.buffer("plane/relevance", [["q", text], ...this.lookParameters()], signal);
      const { header, columns } = decode<RelevanceHeader>(buffer);
      if (s.current && header.rows !== s.current.header.rows) await this.loadPlane();
      s.query = text;
      s.place = header.query;
      s.s = columns.relevance as Float32Array;
      s.asked = asking;
      s.wordsOnly = header.words_only;
    } catch (error) {
      this.fail(error);
      if (error instanceof Problem && error.status === 0) s.say(words(error));
    } finally {
      this.done("query", signal);
    }
  }

  /**
   * The engine's tiers for the present question. While it is at another one it is not asked: it would answer all of them, which
   * takes long in a large store, and only the last is wanted.
   */
  async loadTiers(): Promise<void> {
    const s = this.session;
    if (!s.current || s.phase !== "ready") return;
    if (s.busy.has("tiers")) {
      this.again = true;
      return;
    }
    this.again = false;
    const signal = this.once("tiers"), { key, maskKey, lens } = s;
    const parameters = this.lookParameters();
    if (s.hasQuery) parameters.push(["q", s.query]);
    for (const [name, value] of [["alpha", s.used.alpha], ["lambda", lens.lambda], ["theta1", lens.theta1], ["theta2", lens.theta2],
      ["theta3", lens.theta3], ["k", s.k]] as const) parameters.push([name, String(value)]);
    if (s.budget !== null) parameters.push(["budget", String(s.budget)]);
    if (s.offset !== 0) parameters.push(["at", this.moment()]);
    try {
      const { header, columns } = decode<TiersHeader>(await this.api.buffer("plane/tiers", parameters, signal));
      if (header.rows !== s.current.header.rows) return this.refresh();
      if (s.key !== key) return;
      if (s.offset === 0) s.nowUs = header.at_us;
      s.tiers = { header, key, maskKey, tier: columns.tier as Uint8Array, natural: columns.natural as Uint8Array, flags: columns.flags as Uint8Array };
    } catch (error) {
      this.fail(error);
    } finally {
      this.done("tiers", signal);
      if (this.again) void this.loadTiers();
    }
  }

  /** The plane as the log says it was at the day that is looked at. */
  async loadPast(): Promise<void> {
    const s = this.session;
    if (s.offset >= 0) {
      s.past = null;
      return;
    }
    const signal = this.once("past");
    try {
      const past = readPlane(await this.api.buffer("plane", [...this.planeParameters(), ["as_of", this.moment()]], signal));
      if (past.header.rows === s.current?.header.rows) s.past = past;
    } catch (error) {
      this.fail(error);
    } finally {
      this.done("past", signal);
    }
  }

  /** Loads the plane again after a change, and what was computed on it. */
  async refresh(): Promise<void> {
    const s = this.session;
    try {
      await this.loadPlane();
      if (s.current) s.phase = s.current.n === 0 ? "empty" : "ready";
      if (!s.more) await this.loadMore();
      // The new ones have no relevance yet, and the query a new place on a new map.
      if (s.query) await this.ask(s.query);
    } catch (error) {
      this.fail(error);
    }
  }

  /** A map in the making is looked at again until it is there. */
  private watchMap(): void {
    clearTimeout(this.mapTimer);
    if (this.session.current?.header.map.making) this.mapTimer = window.setTimeout(() => void this.refresh(), MAP_MS);
  }

  private async live(): Promise<void> {
    const s = this.session;
    await listen(this.api, (event) => this.heard(event), (up) => {
      if (up && !s.online) void this.refresh();
      s.online = up;
    }, this.life.signal);
  }

  private heard(event: ServerEvent): void {
    if (event.event === "hello") return;
    const s = this.session;
    if (event.event === "change") {
      const change = JSON.parse(event.data) as Change;
      if (s.current && change.revision <= s.current.header.revision) return;
      this.headlines.forget([...change.written, ...change.gone]);
    }
    if (s.current && s.current.n > QUIET) {
      s.moved = true;
      return;
    }
    clearTimeout(this.refreshTimer);
    this.refreshTimer = window.setTimeout(() => void this.refresh(), 400);
  }

  stop(): void {
    this.life.abort();
    for (const control of this.running.values()) control.abort();
  }
}
