/** What people do here, by button or by key. */

import { words } from "../lib/api";
import { orderBy } from "../lib/radix";
import type { Conflict, Verdict } from "../lib/model";
import type { ViewName } from "../lib/url";
import { api, headlines, loader, screen, session } from "./app.svelte";
import { related } from "./related.svelte";

/** Sets the floor of the selected memory; the reason goes into the log. */
export async function setFloor(kind: "promote" | "pin" | "demote", reason: string): Promise<void> {
  const id = session.selected;
  if (id === null) return;
  const body = kind === "demote" ? { mine: false, reason } : { to: kind === "pin" ? "full" : null, mine: false, reason };
  try {
    const answer = await api.json<{ floor: string }>(`memories/${id}/${kind === "demote" ? "demote" : "promote"}`, [], { method: "POST", body });
    session.say(`#${id}: floor is now ${answer.floor === "horizon" ? "none" : answer.floor}.`);
    headlines.forget([id]);
    await loader.refresh();
  } catch (error) {
    session.say(words(error));
  }
}

/** Decides a conflict, or takes the decision back. Nothing is deleted by it. */
export async function decide(conflict: Conflict, verdict: Verdict, reason: string): Promise<void> {
  try {
    await api.json(`conflicts/${conflict.id}/resolve`, [], { method: "POST", body: { verdict, reason } });
    session.say(verdict === "open" ? `#${conflict.older} and #${conflict.newer} are in conflict again.`
      : verdict === "both" ? `#${conflict.older} and #${conflict.newer} both stand.` : `#${conflict[verdict]} stands, #${conflict[verdict === "newer" ? "older" : "newer"]} is superseded.`);
    await loader.refresh();
    await related.load(session.selected);
  } catch (error) {
    session.say(words(error));
  }
}

/** Asks, and goes to look from where the query stands, unless another camera was chosen. */
export async function dropIn(query: string, exclude: string[]): Promise<void> {
  await loader.ask(query, exclude);
  if (session.query === query.trim() && session.place && session.view === "orbit") look("eye");
}

export function look(view: ViewName): void {
  session.view = view;
  screen.stage?.view(view);
}

/** The next or previous memory by score among those that are seen. */
export function step(by: 1 | -1): void {
  const { measured, seen, plane } = session;
  if (!measured || !plane || !seen.length) return;
  const order = orderBy(measured.micro, seen, true);
  const at = order.indexOf(session.selectedRow);
  const next = at < 0 ? (by > 0 ? 0 : order.length - 1) : Math.min(order.length - 1, Math.max(0, at + by));
  select(order[next]);
}

export function select(row: number): void {
  session.selected = row >= 0 && session.plane ? session.plane.id[row] : null;
  if (row >= 0) session.tab = "memory";
}

export function cycleTable(): void {
  const next = { dock: "whole", whole: "hidden", hidden: "dock" } as const;
  session.table = screen.stage ? next[session.table] : "whole";
}

export async function copyLink(): Promise<void> {
  try {
    await navigator.clipboard.writeText(location.href);
    session.say("Link copied.");
  } catch {
    session.say("The browser did not allow copying; the address bar has the link.");
  }
}
