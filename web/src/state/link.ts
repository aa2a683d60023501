/** Between the session and the page's address. */

import { formatLink, NO_LINK, type Link } from "../lib/url";
import { lensOf, type Session } from "./session.svelte";

/** The address of what is seen; numbers that are the profile's own are left out. */
export function linkOf(session: Session, flat: boolean): string {
  const { profile, lens } = session, own = profile ? lensOf(profile) : null, moved: Link["lens"] = {};
  for (const key of ["alpha", "lambda", "theta1", "theta2", "theta3"] as const) if (!own || own[key] !== lens[key]) moved[key] = lens[key];
  return formatLink({
    ...NO_LINK, query: session.query, exclude: session.exclude, profile: profile && profile.name !== session.usedProfile ? profile.name : "",
    lens: moved, k: profile && session.k !== profile.k ? session.k : null, budget: session.budget !== (profile?.budget ?? null) ? session.budget : null,
    offset: session.offset, selected: session.selected, view: session.view, tab: session.tab, filters: session.filters,
    revision: session.current?.header.revision ?? null, flat,
  });
}

/** What of an address needs no data: the rest waits for the loader. */
export function openLink(session: Session, link: Link): void {
  session.filters = link.filters;
  session.offset = link.offset;
  session.selected = link.selected;
  session.view = link.view;
  session.tab = link.tab;
}
