/** Runs the keys of lib/keys.ts. Fields keep their own keys; the plane has those for turning. */

import { lambdaAt, positionOf } from "../lib/format";
import { VIEWS } from "../lib/url";
import { copyLink, cycleTable, look, select, step } from "./actions";
import { screen, session } from "./app.svelte";

const nudge = (x: number, by: number): number => Math.round((x + by) * 1000) / 1000;

/** Keys that work anywhere outside fields. */
function everywhere(key: string): boolean {
  const { lens } = session;
  switch (key) {
    case "j": step(1); break;
    case "k": step(-1); break;
    case "Enter": return openSelected();
    case "1": case "2": case "3": case "4": look(VIEWS[Number(key) - 1]); break;
    case "[": session.setLens("alpha", nudge(lens.alpha, -0.02)); break;
    case "]": session.setLens("alpha", nudge(lens.alpha, 0.02)); break;
    case ",": session.setLens("lambda", lambdaAt(positionOf(lens.lambda) - 0.01)); break;
    case ".": session.setLens("lambda", lambdaAt(positionOf(lens.lambda) + 0.01)); break;
    case "{": session.setLens("theta1", nudge(lens.theta1, -0.02)); break;
    case "}": session.setLens("theta1", nudge(lens.theta1, 0.02)); break;
    case "<": session.offset -= 7; break;
    case ">": session.offset += 7; break;
    case "0": session.offset = 0; break;
    case "u": ask("promote"); break;
    case "p": ask("pin"); break;
    case "d": ask("demote"); break;
    case "n": screen.neighbours = !screen.neighbours; break;
    case "t": cycleTable(); break;
    case "g": document.querySelector<HTMLElement>(document.activeElement?.matches("canvas") ? ".table-grid" : "canvas")?.focus(); break;
    case "l": screen.setTheme(screen.theme === "dark" ? "light" : "dark"); break;
    case "y": void copyLink(); break;
    case "?": screen.help = true; break;
    case "/": document.querySelector<HTMLInputElement>("#query")?.focus(); break;
    case "Escape": select(-1); break;
    default: return false;
  }
  return true;
}

function openSelected(): boolean {
  if (session.selectedRow < 0) return false;
  session.tab = "memory";
  screen.stage?.focus(session.selectedRow);
  document.querySelector<HTMLElement>("#memory-title")?.focus();
  return true;
}

function ask(kind: "promote" | "pin" | "demote"): void {
  if (session.selected !== null && !session.readOnly) screen.reason = kind;
}

/** Keys of the canvas itself. */
function onPlane(key: string): boolean {
  const turn = (sideways: number, up: number, zoom = 1): true => (screen.stage?.look.turn(sideways, up, zoom), true);
  switch (key) {
    case "ArrowLeft": return turn(-0.08, 0);
    case "ArrowRight": return turn(0.08, 0);
    case "ArrowUp": return turn(0, 0.05);
    case "ArrowDown": return turn(0, -0.05);
    case "+": case "=": return turn(0, 0, 0.88);
    case "-": case "−": return turn(0, 0, 1.14);
    case " ": session.playing = !session.playing; return true;
    default: return false;
  }
}

export function onKey(event: KeyboardEvent): void {
  const target = event.target as HTMLElement;
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || document.querySelector("dialog[open]")) return;
  const field = target.matches("input:not([type=range]):not([type=checkbox]), textarea, select");
  if (field) {
    if (event.key === "Escape" || (event.key === "Enter" && target.matches("[type=number]"))) target.blur();
    return;
  }
  const own = target.matches("button, a, summary, input") && (event.key === "Enter" || event.key === " ");
  if (own || (target.closest(".table-grid") && event.key === "Enter")) return;
  if ((target.matches("canvas") && onPlane(event.key)) || everywhere(event.key)) event.preventDefault();
}
