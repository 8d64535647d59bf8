import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { deserialize, serialize } from "node:v8";

/** The folder that the build puts into the executable, beside the code. */
const FOLDER = "tables";

/** A value that the build made and put into the executable; null without one, as in a checkout. */
export const embedded = (name: string): unknown => {
  if (!Bun.isStandaloneExecutable) return null;
  const path = join(import.meta.dir, FOLDER, name);
  return existsSync(path) ? unpacked(readFileSync(path)) : null;
};

/** As the build writes it: tables are mostly zeros, and a file that is small is read fast. */
export const packed = (value: unknown): Uint8Array => Bun.zstdCompressSync(serialize(value), { level: 9 });

export const unpacked = (bytes: Uint8Array<ArrayBuffer>): unknown => deserialize(Bun.zstdDecompressSync(bytes));
