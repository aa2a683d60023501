/** What people take away: rows as CSV or JSON, always with the parameters that made them. */

export type Cell = string | number | boolean | null;

/** RFC 4180; a cell that a spreadsheet would run as a formula is made harmless with an apostrophe. */
export function csvCell(value: Cell): string {
  if (value === null) return "";
  let text = String(value);
  if (typeof value === "string" && /^[=+\-@\t\r]/.test(text)) text = `'${text}`;
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The lines of a file; each row is asked for when its line is. */
export function* toCsv(parameters: Record<string, unknown>, columns: string[], rows: Iterable<Cell[]>): Generator<string> {
  for (const [key, value] of Object.entries(parameters)) yield `# ${key}: ${JSON.stringify(value)}`.replace(/[\r\n]/g, " ") + "\r\n";
  yield columns.join(",") + "\r\n";
  for (const row of rows) yield row.map(csvCell).join(",") + "\r\n";
}

export function* toJson(parameters: Record<string, unknown>, columns: string[], rows: Iterable<Cell[]>): Generator<string> {
  yield `{"parameters": ${JSON.stringify(parameters)},\n"items": [`;
  let between = "\n";
  for (const row of rows) {
    yield between + JSON.stringify(Object.fromEntries(columns.map((c, i) => [c, row[i]])));
    between = ",\n";
  }
  yield "\n]}\n";
}

const AT_ONCE = 4000;

/** All lines as one file. The page gets its turn in between, and the browser may put what is ready on disk. */
export async function gathered(lines: Iterable<string>, type: string): Promise<Blob> {
  const parts: Blob[] = [];
  let some: string[] = [];
  for (const line of lines) {
    if (some.push(line) < AT_ONCE) continue;
    parts.push(new Blob(some));
    some = [];
    await new Promise((done) => setTimeout(done));
  }
  return new Blob([...parts, ...some], { type });
}

/** Hands a file to the browser's download. */
export function download(name: string, file: Blob): void {
  const url = URL.createObjectURL(file);
  const a = document.createElement("a");
  a.href = url;
  a.download = name;
  a.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
