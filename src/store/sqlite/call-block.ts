/*
 * What final records can be found by, in columns: a block of them is one row of the database, and looking through a
 * column of all of them takes a fraction of what looking through rows would. Every machine this runs on is
 * little-endian.
 */

/** Records a block holds at most. */
export const BLOCK = 1_024;

/** Columns of 32-bit hashes. */
export const HASHED = [
  "call",
  "kind",
  "family",
  "decision",
  "outcome",
  "user",
  "agent",
  "token",
  "model",
  "tool",
  "conversation",
] as const;
export type Hashed = (typeof HASHED)[number];

export type Bytes = Uint8Array<ArrayBuffer>;
/** A row of `call_block`, or some columns of it. */
export type BlockRow = {
  readonly first_seq: number;
  readonly last_seq: number;
  readonly since: number;
  readonly until: number;
} & { readonly [column in "seq" | "at" | "flag" | Hashed]: Bytes };

export const floatsIn = (bytes: Bytes): Float64Array => new Float64Array(aligned(bytes, 8));
export const hashesIn = (bytes: Bytes): Uint32Array => new Uint32Array(aligned(bytes, 4));

/** Copies nothing where the bytes have a buffer to themselves. */
const aligned = ({ buffer, byteOffset, byteLength }: Bytes, width: number): ArrayBuffer => {
  const whole = byteLength - (byteLength % width);
  if (byteOffset === 0 && buffer.byteLength === whole) return buffer;
  return buffer.slice(byteOffset, byteOffset + whole);
};

/** One record: its number, its moment, hashes in the order of `HASHED`, and those of its flag types. */
export type BlockEntry = {
  readonly seq: number;
  readonly at: number;
  readonly hashes: readonly number[];
  readonly flags: readonly number[];
};

/** A block that is being filled. */
export class OpenBlock {
  #count = 0;
  readonly #seqs = new Float64Array(BLOCK);
  readonly #ats = new Float64Array(BLOCK);
  readonly #columns = HASHED.map(() => new Uint32Array(BLOCK));
  readonly #flags: number[] = [];

  /** Goes on with one that was written before it was full. */
  static of(row: BlockRow): OpenBlock {
    const block = new OpenBlock();
    const seqs = floatsIn(row.seq).subarray(0, BLOCK);
    block.#count = seqs.length;
    block.#seqs.set(seqs);
    block.#ats.set(floatsIn(row.at).subarray(0, BLOCK));
    for (const [index, name] of HASHED.entries()) {
      block.#columns[index]?.set(hashesIn(row[name]).subarray(0, BLOCK));
    }
    block.#flags.push(...hashesIn(row.flag));
    return block;
  }

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  get isFull(): boolean {
    return this.#count >= BLOCK;
  }

  add({ seq, at, hashes, flags }: BlockEntry): void {
    const row = this.#count;
    this.#seqs[row] = seq;
    this.#ats[row] = at;
    for (let index = 0; index < hashes.length; index += 1) {
      const column = this.#columns[index];
      if (column) column[row] = hashes[index] ?? 0;
    }
    for (const flag of flags) this.#flags.push(row, flag);
    this.#count += 1;
  }

  /** In the order of `BLOCK_COLUMNS`. */
  values(): (number | Bytes)[] {
    const [seqs, ats] = [this.#seqs.subarray(0, this.#count), this.#ats.subarray(0, this.#count)];
    const columns = this.#columns.map((column) => bytesOf(column.subarray(0, this.#count)));
    const spans = [seqs[0] ?? 0, seqs.at(-1) ?? 0, Math.min(...ats), Math.max(...ats)];
    return [...spans, bytesOf(seqs), bytesOf(ats), ...columns, bytesOf(Uint32Array.from(this.#flags))];
  }
}

export const BLOCK_COLUMNS = ["first_seq", "last_seq", "since", "until", "seq", "at", ...HASHED, "flag"];

const bytesOf = ({ buffer, byteOffset, byteLength }: Float64Array | Uint32Array): Bytes =>
  new Uint8Array(buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer);
