/** What people take away: rows as CSV or JSON, always with the parameters that made them. */

export type Cell = string | number | boolean | null;

/** RFC 4180; a cell that a spreadsheet would run as a formula is made harmless with an apostrophe. */
export function csvCell(value: Cell): string {
  if (value === null) return "";
  let text = String(value);
  if (typeof value === "string" && /^[=+\-@\t\r]/.test(text)) text = `'${text}`;
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function toCsv(parameters: Record<string, unknown>, columns: string[], rows: Cell[][]): string {
  const notes = Object.entries(parameters).map(([key, value]) => `# ${key}: ${JSON.stringify(value)}`.replace(/[\r\n]/g, " "));
  return [...notes, columns.join(","), ...rows.map((row) => row.map(csvCell).join(","))].join("\r\n") + "\r\n";
}

export const toJson = (parameters: Record<string, unknown>, columns: string[], rows: Cell[][]): string =>
  JSON.stringify({ parameters, items: rows.map((row) => Object.fromEntries(columns.map((c, i) => [c, row[i]]))) }, null, 1);

/** Hands a text to the browser's download. */
export function download(name: string, type: string, text: string | Blob): void {
  const url = URL.createObjectURL(typeof text === "string" ? new Blob([text], { type }) : text);
  const a = document.createElement("a");
  a.href = url;
  a.download = name;
  a.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
