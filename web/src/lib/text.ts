/** Memory text as text: nothing in it may draw outside its place or hide. It is data from anywhere. */

const NAMES: Record<number, string> = {
  0x200b: "ZWSP", 0x200c: "ZWNJ", 0x200d: "ZWJ", 0x200e: "LRM", 0x200f: "RLM", 0x202a: "LRE", 0x202b: "RLE", 0x202c: "PDF", 0x202d: "LRO",
  0x202e: "RLO", 0x2060: "WJ", 0x2066: "LRI", 0x2067: "RLI", 0x2068: "FSI", 0x2069: "PDI", 0xfeff: "BOM", 0x00ad: "SHY", 0x061c: "ALM",
};

/** Pieces of a text; `mark` pieces stand for a character that would not be seen or would reorder others. */
export interface Piece {
  text: string;
  mark: boolean;
}

const HIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/u;

/**
 * The text with control, zero-width and direction characters made visible. Joiners inside words of scripts that need them
 * (and inside emoji) stay as they are.
 */
export function pieces(text: string): Piece[] {
  if (!HIDDEN.test(text)) return [{ text, mark: false }];
  const out: Piece[] = [];
  let plain = "";
  for (const char of text.replaceAll("\r\n", "\n")) {
    if (!HIDDEN.test(char)) {
      plain += char;
      continue;
    }
    if (plain) out.push({ text: plain, mark: false });
    plain = "";
    const code = char.codePointAt(0)!;
    out.push({ text: NAMES[code] ?? `U+${code.toString(16).toUpperCase().padStart(4, "0")}`, mark: true });
  }
  if (plain) out.push({ text: plain, mark: false });
  return out;
}

/** The same as one line, for tables, tooltips and labels. */
export const oneLine = (text: string): string =>
  pieces(text).map((p) => (p.mark ? "\u00b7" : p.text)).join("").replace(/\s+/g, " ").trim();
