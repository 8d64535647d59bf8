import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The folder that the build puts into the executable, beside the code. */
const FOLDER = "tables";

const ARRAYS = { Uint8Array, Uint16Array, Uint32Array, Int32Array } as const;
type Kind = keyof typeof ARRAYS;
type Table = InstanceType<(typeof ARRAYS)[Kind]>;
const KINDS: readonly Kind[] = ["Uint8Array", "Uint16Array", "Uint32Array", "Int32Array"];

/** Where an array stands in the bytes behind the description, and how many elements it has. */
type Place = { readonly array: Kind; readonly at: number; readonly length: number };

/** What every array's beginning is a multiple of, as the processor wants its numbers. Bytes. */
const ALIGNED = 8;
/** The length of the description stands before it. */
const LENGTH_BYTES = 8;

/** A value that the build made and put into the executable; null without one, as in a checkout. */
export const embedded = (name: string): unknown => {
  const bytes = bytesOf(name);
  return bytes === null ? null : laidIn(Bun.zstdDecompressSync(bytes));
};

/** The same, decompressed on another thread while this one goes on. */
export const embeddedSoon = async (name: string): Promise<unknown> => {
  const bytes = bytesOf(name);
  return bytes === null ? null : laidIn(await Bun.zstdDecompress(bytes));
};

const bytesOf = (name: string): Uint8Array<ArrayBuffer> | null => {
  if (!Bun.isStandaloneExecutable) return null;
  const path = join(import.meta.dir, FOLDER, name);
  return existsSync(path) ? readFileSync(path) : null;
};

/** As the build writes it: tables repeat themselves, and a file that is small is read fast. `value`: JSON, and arrays of numbers. */
export const packed = (value: unknown): Uint8Array => Bun.zstdCompressSync(laidOut(value), { level: 9 });

export const unpacked = (bytes: Uint8Array<ArrayBuffer>): unknown => laidIn(Bun.zstdDecompressSync(bytes));

/** A description in JSON, and behind it the arrays it names: reading it copies none of them. */
const laidOut = (value: unknown): Uint8Array<ArrayBuffer> => {
  const tables: { readonly table: Table; readonly at: number }[] = [];
  let end = 0;
  const text = JSON.stringify(value, (_, part: unknown) => {
    const array = KINDS.find((kind) => part instanceof ARRAYS[kind]);
    if (array === undefined) return part;
    const table = part as Table;
    const place: Place = { array, at: end, length: table.length };
    tables.push({ table, at: end });
    end = aligned(end + table.byteLength);
    return place;
  });
  const description = new TextEncoder().encode(text);
  const begin = beginBehind(description.length);
  const bytes = new Uint8Array(begin + end);
  new DataView(bytes.buffer).setUint32(0, description.length, true);
  bytes.set(description, LENGTH_BYTES);
  for (const { table, at } of tables) {
    bytes.set(new Uint8Array(table.buffer, table.byteOffset, table.byteLength), begin + at);
  }
  return bytes;
};

const laidIn = (bytes: Uint8Array): unknown => {
  const { buffer, byteOffset, byteLength } = bytes;
  if (!(buffer instanceof ArrayBuffer)) throw new TypeError("Tables are not shared between threads");
  const length = new DataView(buffer, byteOffset, byteLength).getUint32(0, true);
  const text = new TextDecoder().decode(bytes.subarray(LENGTH_BYTES, LENGTH_BYTES + length));
  const begin = byteOffset + beginBehind(length);
  return JSON.parse(text, (_, part: unknown) => (isPlace(part) ? tableAt(part, buffer, begin) : part));
};

const tableAt = ({ array, at, length }: Place, buffer: ArrayBuffer, begin: number): Table =>
  new ARRAYS[array](buffer, begin + at, length);

const isPlace = (part: unknown): part is Place =>
  typeof part === "object" && part !== null && "array" in part && KINDS.some((kind) => kind === part.array);

const beginBehind = (description: number): number => aligned(LENGTH_BYTES + description);

const aligned = (bytes: number): number => Math.ceil(bytes / ALIGNED) * ALIGNED;
