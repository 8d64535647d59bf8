/** Of a hash: the upper bits say where a word's cell is looked for, the lower ones what must stand in it. */
const SLOT_BITS = 17;
const MARK_BITS = 11;
const KIND_BITS = 16 - MARK_BITS;

/** Share of cells that may be taken: looking up takes longer the fuller it is. */
const MOST_FULL = 0.6;

export type LexiconData = {
  /** 2^17 cells of 16 bits in base64: a mark and a kind; 0 is empty. */
  readonly cells: string;
  /** What a kind stands for: bits of `words.ts`. The first is for words that are not known. */
  readonly kinds: readonly number[];
};

/** Words by hash. One word in about a thousand is taken for another one. */
export class Lexicon {
  private readonly cells: Uint16Array;

  constructor(private readonly data: LexiconData) {
    this.cells = new Uint16Array(Uint8Array.fromBase64(data.cells).buffer);
  }

  /** The bits of the word with this hash; 0 for one that is not known. */
  bitsOf(hash: number): number {
    const { cells } = this;
    const mark = hash & ((1 << MARK_BITS) - 1);
    for (let slot = hash >>> (32 - SLOT_BITS); ; slot = (slot + 1) & ((1 << SLOT_BITS) - 1)) {
      const cell = cells[slot] ?? 0;
      if (cell === 0) return 0;
      if (cell >>> KIND_BITS === mark) return this.data.kinds[cell & ((1 << KIND_BITS) - 1)] ?? 0;
    }
  }
}

/** Throws an Error where the words do not fit. `words`: hash → bits. */
export function lexiconOf(words: ReadonlyMap<number, number>): LexiconData {
  const cells = new Uint16Array(1 << SLOT_BITS);
  const kinds = [0, ...new Set([...words.values()].filter((bits) => bits !== 0).sort((one, other) => one - other))];
  if (kinds.length > 1 << KIND_BITS || words.size > cells.length * MOST_FULL)
    throw new Error(`too many words or kinds: ${words.size}, ${kinds.length}`);
  for (const [hash, bits] of words) {
    if (bits === 0) continue;
    let slot = hash >>> (32 - SLOT_BITS);
    while (cells[slot] !== 0) slot = (slot + 1) & (cells.length - 1);
    cells[slot] = ((hash & ((1 << MARK_BITS) - 1)) << KIND_BITS) | kinds.indexOf(bits);
  }
  return { cells: new Uint8Array(cells.buffer).toBase64(), kinds };
}
