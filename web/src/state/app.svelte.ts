/** The page's parts, made once. */

import { Api } from "../lib/api";
import type { Plane } from "../plane/plane";
import type { ThemeName } from "../plane/colours";
import { Loader } from "./loader";
import type { Conflict, Verdict } from "../lib/model";
import { Session } from "./session.svelte";
import { Headlines } from "./texts.svelte";

const meta = document.querySelector<HTMLMetaElement>('meta[name="lodmem-api"]')?.content ?? "./api/v1/";

export const api = new Api(new URL(meta, document.baseURI));
export const session = new Session();
export const headlines = new Headlines(api);
export const loader = new Loader(session, api, headlines);

const THEME = "lodmem.theme";

/** What belongs to this screen and not to the question: theme, dialogs, the drawn plane. */
class Screen {
  stage = $state.raw<Plane | null>(null);
  theme = $state<ThemeName>(firstTheme());
  help = $state(false);
  differences = $state(false);
  reason = $state.raw<"promote" | "pin" | "demote" | null>(null);
  deciding = $state.raw<{ conflict: Conflict; verdict: Verdict } | null>(null);
  hovered = $state(-1);
  neighbours = $state(false);

  setTheme(theme: ThemeName): void {
    this.theme = theme;
    document.documentElement.dataset.theme = theme;
    localStorage.setItem(THEME, theme);
  }
}

function firstTheme(): ThemeName {
  const kept = localStorage.getItem(THEME);
  if (kept === "dark" || kept === "light") return kept;
  return matchMedia("(prefers-color-scheme: light)").matches ? "light" : "dark";
}

export const screen = new Screen();

/** Whether motion is unwanted, now. */
export const calm = (): boolean => matchMedia("(prefers-reduced-motion: reduce)").matches;
