/** Reads LODP answers (docs/reference/plane-data.md): a JSON header, then little-endian columns that are used where they lie. */

export type Column = Float32Array | Float64Array | Uint8Array | Uint16Array | Uint32Array;

export interface ColumnSpec {
  name: string;
  dtype: string;
  offset: number;
}

export interface Header {
  format: number;
  n: number;
  revision: number;
  rows: string;
  now_us: number;
  ms: number;
  columns: ColumnSpec[];
}

export interface Table<H extends Header> {
  header: H;
  columns: Record<string, Column>;
}

const KINDS: Record<string, new (buffer: ArrayBuffer, offset: number, length: number) => Column> = {
  f4: Float32Array,
  f8: Float64Array,
  u1: Uint8Array,
  u2: Uint16Array,
  u4: Uint32Array,
};

/** The header and its columns as views into `buffer`. Throws with a sentence for people when it is something else. */
export function decode<H extends Header>(buffer: ArrayBuffer): Table<H> {
  if (buffer.byteLength < 8 || new TextDecoder().decode(new Uint8Array(buffer, 0, 4)) !== "LODP") {
    throw new Error("The answer is not in the plane's format (LODP).");
  }
  const length = new DataView(buffer).getUint32(4, true);
  if (8 + length > buffer.byteLength) throw new Error("The plane's data is cut off in its header.");
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, length))) as H;
  if (header.format !== 1) throw new Error(`This page reads format 1 of the plane's data; the server sent ${header.format}. Reload the page.`);
  const columns: Record<string, Column> = {};
  for (const { name, dtype, offset } of header.columns) {
    const kind = KINDS[dtype];
    if (!kind) throw new Error(`Column ${name} has an unknown type, ${dtype}. Reload the page.`);
    try {
      columns[name] = new kind(buffer, offset, header.n);
    } catch {
      throw new Error(`The plane's data is cut off in column ${name}.`);
    }
  }
  return { header, columns };
}
