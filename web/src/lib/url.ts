/** The page's state in its address, so that a link shows the same plane. Never a token. */

import { NO_FILTERS, type Filters } from "./filters";
import type { Lens } from "./score";

export const VIEWS = ["orbit", "eye", "elevation", "map"] as const;
export type ViewName = (typeof VIEWS)[number];
export const TABS = ["memory", "audit", "profiles"] as const;
export type TabName = (typeof TABS)[number];

export interface Link {
  query: string;
  exclude: string[];
  profile: string;
  lens: Partial<Lens>;
  k: number | null;
  budget: number | null;
  offset: number;
  selected: number | null;
  view: ViewName;
  tab: TabName;
  filters: Filters;
  revision: number | null;
  flat: boolean;
}

export const NO_LINK: Link = {
  query: "", exclude: [], profile: "", lens: {}, k: null, budget: null, offset: 0, selected: null, view: "orbit", tab: "memory",
  filters: NO_FILTERS, revision: null, flat: false,
};

const LENS: [keyof Lens, string, number][] = [
  ["alpha", "a", 1], ["lambda", "l", 1000], ["theta1", "t1", 1], ["theta2", "t2", 1], ["theta3", "t3", 1],
];

function number(text: string | null, low: number, high: number): number | null {
  if (text === null || text.trim() === "") return null;
  const value = Number(text);
  return Number.isFinite(value) && value >= low && value <= high ? value : null;
}

const oneOf = <T extends string>(value: string | null, known: readonly T[], otherwise: T): T =>
  known.includes(value as T) ? (value as T) : otherwise;

/** What an address says; whatever in it makes no sense is as if it were absent. */
export function parseLink(search: string): Link {
  const p = new URLSearchParams(search);
  const lens: Partial<Lens> = {};
  for (const [key, name, high] of LENS) {
    const value = number(p.get(name), 0, high);
    if (value !== null) lens[key] = value;
  }
  const whole = (name: string, low: number, high: number): number | null => {
    const value = number(p.get(name), low, high);
    return value !== null && Number.isInteger(value) ? value : null;
  };
  return {
    query: (p.get("q") ?? "").slice(0, 20_000), exclude: p.getAll("x").filter((x) => x.trim()), profile: p.get("p") ?? "", lens,
    k: whole("k", 1, 1_000_000), budget: whole("b", 64, 10_000_000), offset: number(p.get("at"), -36_500, 36_500) ?? 0,
    selected: whole("sel", 1, Number.MAX_SAFE_INTEGER), view: oneOf(p.get("view"), VIEWS, "orbit"),
    tab: oneOf(p.get("tab"), TABS, "memory"), revision: whole("rev", 0, Number.MAX_SAFE_INTEGER), flat: p.get("gl") === "0",
    filters: {
      space: p.get("space") ?? "", agents: p.getAll("agent"), kinds: p.getAll("kind"), status: p.getAll("status"), tags: p.getAll("tag"),
      since: p.get("since") ?? "", until: p.get("until") ?? "", retrieved: oneOf(p.get("used"), ["", "yes", "no"] as const, ""),
    },
  };
}

/** The address of a state; what is as it would be anyway is left out. */
export function formatLink(link: Link): string {
  const p = new URLSearchParams();
  const put = (name: string, value: string | number | null): void => {
    if (value !== null && value !== "") p.append(name, String(value));
  };
  put("q", link.query);
  for (const term of link.exclude) put("x", term);
  put("p", link.profile);
  for (const [key, name] of LENS) put(name, link.lens[key] === undefined ? null : Number(link.lens[key].toFixed(6)));
  put("k", link.k);
  put("b", link.budget);
  put("at", link.offset || null);
  const f = link.filters;
  put("space", f.space);
  for (const [name, values] of [["agent", f.agents], ["kind", f.kinds], ["status", f.status], ["tag", f.tags]] as const) {
    for (const value of values) put(name, value);
  }
  put("since", f.since);
  put("until", f.until);
  put("used", f.retrieved);
  put("sel", link.selected);
  put("view", link.view === "orbit" ? null : link.view);
  put("tab", link.tab === "memory" ? null : link.tab);
  put("rev", link.revision);
  if (link.flat) put("gl", "0");
  const text = p.toString();
  return text ? `?${text}` : "";
}
