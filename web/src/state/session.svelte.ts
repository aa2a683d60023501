/** The page's state: what was loaded, what is asked, what follows from both. Nothing here talks to the server. */

import { SvelteSet } from "svelte/reactivity";
import { compare, marks, precision, type Agreement } from "../lib/agree";
import { isFiltered, NO_FILTERS, passing, visibleAt, type Filters } from "../lib/filters";
import { effective, measure, seenRows, tokensByTier, type Measured } from "../lib/measure";
import { EXCLUDED, FILTERED, rowOf, US_PER_DAY, type Info, type Plane, type Profile, type QueryPlace, type TiersHeader } from "../lib/model";
import { MICRO, type Lens } from "../lib/score";
import type { TabName, ViewName } from "../lib/url";

export type Phase = "loading" | "ready" | "empty" | "failed" | "token";
export type TableSize = "dock" | "whole" | "hidden";

/** The engine's answer; `key` is the question it answers. */
export interface EngineTiers {
  header: TiersHeader;
  tier: Uint8Array;
  natural: Uint8Array;
  flags: Uint8Array;
  key: string;
  maskKey: string;
}

/** Columns that came later, for rows as in the plane. */
export type More = Record<string, ArrayLike<number>>;

/** Above this many memories numbers follow a slider when it rests; the picture always follows at once. */
export const LARGE = 150_000;

export const lensOf = (p: Profile): Lens => ({ alpha: p.alpha, lambda: p.lambda_, theta1: p.theta1, theta2: p.theta2, theta3: p.theta3 });

export class Session {
  phase = $state<Phase>("loading");
  loading = $state("Asking the server");
  failure = $state.raw<unknown>(null);
  online = $state(true);
  notice = $state("");
  busy = new SvelteSet<string>();
  /** Every space seen so far: a plane of one space knows no other. */
  spaces = new SvelteSet<string>();

  info = $state.raw<Info | null>(null);
  current = $state.raw<Plane | null>(null);
  past = $state.raw<Plane | null>(null);
  more = $state.raw<More | null>(null);
  profiles = $state.raw<Profile[]>([]);
  usedProfile = $state("");
  moved = $state(false);

  query = $state("");
  exclude = $state.raw<string[]>([]);
  s = $state.raw<Float32Array | null>(null);
  place = $state.raw<QueryPlace | null>(null);
  wordsOnly = $state("");

  profile = $state.raw<Profile | null>(null);
  lens = $state.raw<Lens>({ alpha: 0.9, lambda: 0.03, theta1: 0.6, theta2: 0.3, theta3: 0.05 });
  settled = $state.raw<Lens>({ alpha: 0.9, lambda: 0.03, theta1: 0.6, theta2: 0.3, theta3: 0.05 });
  k = $state<number>(1000);
  budget = $state<number | null>(null);
  filters = $state.raw<Filters>(NO_FILTERS);
  /** Days from now that the plane is looked at; negative: the past. */
  offset = $state(0);
  /** The day that numbers are of: it follows `offset` as `settled` follows the lens. */
  day = $state(0);
  nowUs = $state(0);
  playing = $state(false);

  tiers = $state.raw<EngineTiers | null>(null);

  selected = $state<number | null>(null);
  view = $state<ViewName>("orbit");
  tab = $state<TabName>("memory");
  table = $state<TableSize>("dock");
  glFailed = $state("");
  linkRevision = $state<number | null>(null);

  /** The plane that is looked at: as the log says it was, or as it is. */
  plane = $derived(this.offset < 0 && this.past ? this.past : this.current);
  base = $derived(this.current?.header.base_us ?? 0);
  /** The moment looked from, in days since the base. */
  now = $derived((this.nowUs - this.base) / US_PER_DAY + this.offset);
  private today = $derived((this.nowUs - this.base) / US_PER_DAY + this.day);
  hasQuery = $derived(this.s !== null);
  used = $derived(this.counting(this.lens));
  readOnly = $derived(Boolean(this.current?.header.read_only) || this.offset !== 0 || !this.online);
  filtered = $derived(isFiltered(this.filters));

  /** What relevance depends on besides the query, and what the present one was asked with: its answer may come after the tiers'. */
  asking = $derived(JSON.stringify([this.exclude, this.filters, Math.min(0, this.offset), this.profile?.relevance]));
  asked = $state("");

  /** The question the engine would be asked now. */
  key = $derived(JSON.stringify([
    this.query, this.exclude, this.lens, this.k, this.budget, this.filters, this.offset, this.hasQuery, this.current?.header.revision, this.profile?.name,
  ]));
  fresh = $derived(this.tiers !== null && this.tiers.key === this.key && this.tiers.natural.length === this.plane?.n && (!this.hasQuery || this.asked === this.asking));

  /** What the engine's filters depend on: the lens is no part of it, so a slider leaves them standing. */
  maskKey = $derived(JSON.stringify([this.query, this.exclude, this.filters, Math.min(0, this.offset), this.hasQuery]));

  /** Rows that the filters let through, whenever they were made. */
  passed = $derived.by((): Uint8Array => {
    const { plane, tiers } = this;
    if (!plane) return new Uint8Array(0);
    const flags = tiers && tiers.maskKey === this.maskKey && tiers.flags.length === plane.n ? tiers.flags : null;
    return passing(plane, this.filters, this.relevance, flags, FILTERED | EXCLUDED);
  });

  /** The day after which nothing had been made; a search of today or later sees also what bears a later date. */
  until = $derived(this.offset < 0 ? this.now : null);
  visible = $derived(this.plane && this.day < 0 ? visibleAt(this.passed, this.plane.created, this.today) : this.passed);

  relevance = $derived(this.s && this.plane && this.s.length === this.plane.n ? this.s : null);

  measured = $derived.by((): Measured | null => {
    if (!this.plane) return null;
    return measure(this.plane, this.relevance, this.counting(this.settled), this.today, this.visible);
  });

  seen = $derived(this.measured ? seenRows(this.visible, this.measured.visible) : new Uint32Array(0));

  /** The page's own estimate, from the texts' token counts; the engine's account replaces it when it is there. */
  tokens = $derived.by(() => {
    const m = this.more, measured = this.measured;
    if (!m || !measured || m.tokens_full?.length !== measured.tier.length) return null;
    return tokensByTier(measured.tier, this.visible, [[], m.tokens_headline, m.tokens_summary, m.tokens_full]);
  });

  /** Compared only where both were asked the same thing; the past is not computed but read. */
  agreement = $derived.by((): Agreement | null => {
    const { tiers, measured, plane } = this;
    if (!tiers || !measured || !plane || !this.fresh || this.offset < 0 || this.offset !== this.day) return null;
    return compare(measured.tier, measured.micro, tiers.natural, tiers.flags, this.counting(this.settled), precision(this.counting(this.settled), this.now));
  });

  marks = $derived.by((): Uint8Array | null => {
    const { tiers, agreement } = this;
    return tiers && agreement ? marks(tiers.tier, tiers.natural, tiers.flags, agreement.wrong) : null;
  });

  selectedRow = $derived(this.selected !== null && this.plane ? rowOf(this.plane.id, this.selected) : -1);

  /** How many visible memories each cluster of the map has. */
  crowd = $derived.by((): Float64Array | null => {
    const { plane, seen } = this;
    if (!plane) return null;
    const out = new Float64Array(plane.header.clusters.length);
    for (const row of seen) out[plane.cluster[row]]++;
    return out;
  });

  scoreOf = (row: number): number => (this.measured?.micro[row] ?? 0) / MICRO;

  /** What the engine shows of a row, when it was asked the present question; else what the page computes. */
  tierOf(row: number): number {
    return this.fresh && this.offset >= 0 ? this.tiers!.tier[row] : (this.measured?.tier[row] ?? 0);
  }

  /** Whether a parameter may be moved, and how far: profiles lock and bound. */
  limits(name: keyof Lens): { low: number; high: number; locked: boolean } {
    const key = name === "lambda" ? "lambda_" : name, high = name === "lambda" ? 1000 : 1;
    const bounds = this.profile?.bounds[key];
    return { low: bounds?.[0] ?? 0, high: bounds?.[1] ?? high, locked: this.profile?.locked.includes(key) ?? false };
  }

  private counting(lens: Lens): Lens {
    const { low, locked } = this.limits("alpha");
    return effective(lens, this.hasQuery, !locked && low === 0);
  }

  /** From now on numbers are of this lens and this day. */
  settle(lens: Lens, offset: number): void {
    this.settled = lens;
    this.day = offset;
  }

  /** Moves one number of the lens; the thresholds keep their order by pushing each other. */
  setLens(name: keyof Lens, value: number): void {
    const { low, high, locked } = this.limits(name);
    if (locked || !Number.isFinite(value)) return;
    const next = { ...this.lens, [name]: Math.min(high, Math.max(low, value)) };
    if (name === "theta1") next.theta2 = Math.min(next.theta2, next.theta1);
    if (name === "theta3") next.theta2 = Math.max(next.theta2, next.theta3);
    if (name === "theta2") next.theta1 = Math.max(next.theta1, next.theta2);
    next.theta1 = Math.max(next.theta1, next.theta2);
    next.theta3 = Math.min(next.theta3, next.theta2);
    this.lens = next;
  }

  useProfile(profile: Profile): void {
    this.profile = profile;
    this.lens = lensOf(profile);
    this.k = profile.k;
    this.budget = profile.budget;
  }

  setFilter<K extends keyof Filters>(name: K, value: Filters[K]): void {
    this.filters = { ...this.filters, [name]: value };
  }

  say(text: string): void {
    this.notice = text;
  }
}
