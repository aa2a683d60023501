/** Numbers, dates and durations as the page writes them: short, aligned, in UTC. */

const whole = new Intl.NumberFormat("en-GB", { maximumFractionDigits: 0 });

export const count = (n: number): string => whole.format(n);

/** 950, 12.4k, 3.1M */
export function brief(n: number): string {
  if (n < 1000) return String(Math.round(n));
  if (n < 1e6) return `${(n / 1e3).toFixed(n < 1e4 ? 1 : 0)}k`;
  return `${(n / 1e6).toFixed(1)}M`;
}

/** Scores with as many decimals as they are compared with. */
export const score6 = (x: number): string => x.toFixed(6);
export const score3 = (x: number): string => x.toFixed(3);

/** 3 h, 12 d, 5.2 mo, 1.4 y */
export function age(days: number): string {
  if (days < 0) return "0 d";
  if (days < 1) return `${Math.floor(days * 24)} h`;
  if (days < 90) return `${Math.floor(days)} d`;
  if (days < 730) return `${(days / 30.44).toFixed(1)} mo`;
  return `${(days / 365.25).toFixed(1)} y`;
}

export const date = (us: number): string => new Date(us / 1000).toISOString().slice(0, 10);
export const moment = (us: number): string => new Date(us / 1000).toISOString().slice(0, 16).replace("T", " ");
export const isoMoment = (text: string): string => text.slice(0, 16).replace("T", " ");

/** Days after which D has halved, for a memory never retrieved; the way people think of lambda. */
export const halfLife = (lambda: number): string => (lambda <= 0 ? "never fades" : `half in ${age(Math.LN2 / lambda)}`);

/** lambda on a slider that is fine near 0: position 0..1 to 0..1 a day, and back. */
export const lambdaAt = (position: number): number => Math.round(position ** 3 * 1e4) / 1e4;
export const positionOf = (lambda: number): number => Math.cbrt(Math.min(1, Math.max(0, lambda)));
