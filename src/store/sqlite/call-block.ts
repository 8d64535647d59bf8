import { CALL_MEASURES, type CallMeasure, type CallMeasures } from "#model/call-entry";
import type { CallSum } from "#store/call-index-port";
import { RunningSum, SUMMED } from "#store/call-survey";

/*
 * What final records can be found by, in columns: a block of them is one row of the database, and each of its columns
 * another. Looking through a column of all of them takes a fraction of what looking through rows would. Every machine
 * this runs on is little-endian.
 */

/** Records a block holds at most. */
export const BLOCK = 1_024;

/** Columns of 32-bit hashes; 0 stands for none. */
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
  "basis",
] as const;
export type Hashed = (typeof HASHED)[number];

/** Columns of 64-bit floating point. Sums of nano-dollars are exact in these. */
const WIDE = ["seq", "at", "cost"] as const;
type Wide = (typeof WIDE)[number];
const isWide = (name: string): name is Wide => WIDE.some((one) => one === name);

/** Pairs: which record of the block, and the hash of a flag type of it or of a prefix of one (`pii` and `pii.email`). */
const FLAG = "flag";

/** Their places are the numbers under which they are stored: more are added at the end. */
export const COLUMNS = ["seq", "at", FLAG, ...HASHED, ...CALL_MEASURES] as const;
export type ColumnName = (typeof COLUMNS)[number];

const BLOCKS = 2 ** 48;
/** Under which the column of a block is stored. */
export const columnId = (name: ColumnName, firstSeq: number): number => COLUMNS.indexOf(name) * BLOCKS + firstSeq;

export type Bytes = Uint8Array<ArrayBuffer>;
export type Numbers = Float32Array | Float64Array;
type NumberColumn = "seq" | "at" | CallMeasure;

/** Copies nothing where the bytes have a buffer to themselves. */
const aligned = ({ buffer, byteOffset, byteLength }: Bytes, width: number): ArrayBuffer => {
  const whole = byteLength - (byteLength % width);
  if (byteOffset === 0 && buffer.byteLength === whole) return buffer;
  return buffer.slice(byteOffset, byteOffset + whole);
};

/** A row of `call_block`. */
export type BlockRow = {
  readonly first_seq: number;
  readonly last_seq: number;
  readonly since: number;
  readonly until: number;
  readonly count: number;
  /** Of its calls of models and tools. */
} & CallSum;

export const BLOCK_COLUMNS = ["first_seq", "last_seq", "since", "until", "count", ...SUMMED] as const;

const NO_BYTES: Bytes = new Uint8Array();

/** A block that is stored. Each column is read when it is first asked for. */
export class StoredBlock {
  readonly #hashes = new Map<Hashed | typeof FLAG, Uint32Array>();
  readonly #numbers = new Map<NumberColumn, Numbers>();

  constructor(
    readonly row: BlockRow,
    private readonly stored: (id: number) => Bytes | null,
  ) {}

  hashes(name: Hashed | typeof FLAG): Uint32Array {
    const known = this.#hashes.get(name);
    if (known !== undefined) return known;
    const read = new Uint32Array(aligned(this.#bytes(name), 4));
    this.#hashes.set(name, read);
    return read;
  }

  /** A number that is not there is `NaN`. */
  numbers(name: NumberColumn): Numbers {
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    const bytes = this.#bytes(name);
    const read = isWide(name) ? new Float64Array(aligned(bytes, 8)) : new Float32Array(aligned(bytes, 4));
    this.#numbers.set(name, read);
    return read;
  }

  #bytes(name: ColumnName): Bytes {
    return this.stored(columnId(name, this.row.first_seq)) ?? NO_BYTES;
  }
}

/** One record: its number, its moment, hashes in the order of `HASHED`, those of its flag types, and its measures. */
export type BlockEntry = {
  readonly seq: number;
  readonly at: number;
  readonly hashes: readonly number[];
  readonly flags: readonly number[];
  readonly measures: CallMeasures;
  readonly isCall: boolean;
  readonly basis: string | null;
};

export type ColumnValues = [id: number, low: number | null, high: number | null, data: Bytes];

/** A block that is being filled. */
export class OpenBlock {
  #count = 0;
  readonly #seqs = new Float64Array(BLOCK);
  readonly #ats = new Float64Array(BLOCK);
  readonly #hashed = HASHED.map(() => new Uint32Array(BLOCK));
  readonly #measures = CALL_MEASURES.map((name) => (isWide(name) ? new Float64Array(BLOCK) : new Float32Array(BLOCK)));
  readonly #flags: number[] = [];
  readonly #sum = new RunningSum();

  /** Goes on with one that was written before it was full. */
  static of(stored: StoredBlock): OpenBlock {
    const block = new OpenBlock();
    const seqs = stored.numbers("seq").subarray(0, BLOCK);
    block.#count = seqs.length;
    block.#seqs.set(seqs);
    block.#ats.set(stored.numbers("at").subarray(0, BLOCK));
    for (const [index, name] of HASHED.entries()) block.#hashed[index]?.set(stored.hashes(name).subarray(0, BLOCK));
    for (const [index, name] of CALL_MEASURES.entries()) {
      block.#measures[index]?.set(stored.numbers(name).subarray(0, BLOCK));
    }
    block.#flags.push(...stored.hashes(FLAG));
    block.#sum.addSum(stored.row);
    return block;
  }

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  get isFull(): boolean {
    return this.#count >= BLOCK;
  }

  add({ seq, at, hashes, flags, measures, isCall, basis }: BlockEntry): void {
    const row = this.#count;
    this.#seqs[row] = seq;
    this.#ats[row] = at;
    for (let index = 0; index < hashes.length; index += 1) {
      const column = this.#hashed[index];
      if (column) column[row] = hashes[index] ?? 0;
    }
    for (let index = 0; index < CALL_MEASURES.length; index += 1) {
      const [column, name] = [this.#measures[index], CALL_MEASURES[index]];
      if (column && name) column[row] = measures[name] ?? Number.NaN;
    }
    if (isCall) this.#sum.addCall(measures, basis ?? undefined);
    for (const flag of flags) this.#flags.push(row, flag);
    this.#count += 1;
  }

  /** In the order of `BLOCK_COLUMNS`. */
  row(): number[] {
    const [seqs, ats] = [this.#seqs.subarray(0, this.#count), this.#ats.subarray(0, this.#count)];
    const sums = SUMMED.map((name) => this.#sum[name]);
    return [seqs[0] ?? 0, seqs.at(-1) ?? 0, Math.min(...ats), Math.max(...ats), this.#count, ...sums];
  }

  *columns(): Iterable<ColumnValues> {
    const first = this.#seqs[0] ?? 0;
    const part = (column: Uint32Array | Numbers): Bytes => bytesOf(column.subarray(0, this.#count));
    yield [columnId("seq", first), null, null, part(this.#seqs)];
    yield [columnId("at", first), null, null, part(this.#ats)];
    yield [columnId(FLAG, first), null, null, bytesOf(Uint32Array.from(this.#flags))];
    for (const [index, name] of HASHED.entries()) {
      yield [columnId(name, first), null, null, part(this.#hashed[index] ?? new Uint32Array())];
    }
    for (const [index, name] of CALL_MEASURES.entries()) {
      const numbers = (this.#measures[index] ?? new Float32Array()).subarray(0, this.#count);
      yield [columnId(name, first), ...boundsOf(numbers), bytesOf(numbers)];
    }
  }
}

const boundsOf = (numbers: Numbers): [low: number | null, high: number | null] => {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const one of numbers) {
    if (one < low) low = one;
    if (one > high) high = one;
  }
  return low > high ? [null, null] : [low, high];
};

const bytesOf = ({ buffer, byteOffset, byteLength }: Uint32Array | Numbers): Bytes =>
  new Uint8Array(buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer);
