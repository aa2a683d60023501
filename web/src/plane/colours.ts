/**
 * Colours of the plane, per theme, as sRGB triples: the shaders write them as they are. The tiers are told apart by height,
 * size and name as well; amber, sky and periwinkle (after Okabe and Ito) keep their order of lightness for every kind of eye.
 */

export type Rgb = readonly [number, number, number];
export type ThemeName = "dark" | "light";

const hex = (text: string): Rgb => [1, 3, 5].map((i) => parseInt(text.slice(i, i + 2), 16) / 255) as unknown as Rgb;

export interface Palette {
  background: Rgb;
  /** horizon, headline, summary, full */
  tiers: readonly [Rgb, Rgb, Rgb, Rgb];
  grid: Rgb;
  beam: Rgb;
  ring: Rgb;
  wrong: Rgb;
  /** How much light adds up where points overlap: glow on dark, ink on light. */
  glow: number;
  sheet: number;
}

export const PALETTES: Record<ThemeName, Palette> = {
  dark: {
    background: hex("#0a0e16"), tiers: [hex("#55627c"), hex("#7688cb"), hex("#56b4e9"), hex("#ffb432")], grid: hex("#33425f"),
    beam: hex("#ff8ac4"), ring: hex("#ffffff"), wrong: hex("#ff6b5e"), glow: 0.3, sheet: 1,
  },
  light: {
    background: hex("#f3f4f6"), tiers: [hex("#a3acbb"), hex("#8291c9"), hex("#1f7fc0"), hex("#9a5b00")], grid: hex("#b4bccb"),
    beam: hex("#c2257f"), ring: hex("#10151f"), wrong: hex("#b3261e"), glow: 0, sheet: 0.8,
  },
};
