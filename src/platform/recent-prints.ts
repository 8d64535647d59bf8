/** Numbers of 32 bits that a fingerprint is remembered by. */
const WORDS = 4;
/** Places of a set. */
const WAYS = 8;

/**
 * Fingerprints that came lately. They stand in one block of numbers, in which the garbage collector finds nothing to
 * follow however many they are: a `Map` of 50,000 strings is megabytes that it looks through again and again.
 * Fingerprints are taken to be evenly spread, as hashes are: each belongs to a set of eight places by its first number,
 * and the one of a set that was not asked for longest goes.
 */
export class RecentPrints {
  private readonly cells: Uint32Array<ArrayBuffer>;
  private readonly sets: number;
  /** Numbers of a set. */
  private readonly width: number;

  /** Holds no more than `capacity`. */
  constructor(capacity: number) {
    const ways = Math.min(WAYS, capacity);
    this.sets = ways === 0 ? 0 : Math.floor(capacity / ways);
    this.width = ways * WORDS;
    this.cells = new Uint32Array(this.sets * this.width);
  }

  /** Whether it was added, by its first 128 bits, and has not gone since. */
  has(print: Uint32Array): boolean {
    const at = this.find(print);
    if (at < 0) return false;
    this.put(at, print);
    return true;
  }

  add(print: Uint32Array): void {
    if (this.sets === 0) return;
    const at = this.find(print);
    this.put(at < 0 ? this.beginOf(print) + this.width - WORDS : at, print);
  }

  /** Puts a fingerprint first in its set; what stood at `at` goes. */
  private put(at: number, print: Uint32Array): void {
    const { cells } = this;
    const begin = this.beginOf(print);
    if (at > begin) cells.copyWithin(begin + WORDS, begin, at);
    for (let word = 0; word < WORDS; word++) cells[begin + word] = print[word] ?? 0;
  }

  private beginOf(print: Uint32Array): number {
    return ((print[0] ?? 0) % this.sets) * this.width;
  }

  /** Below 0 for one that is not there. */
  private find(print: Uint32Array): number {
    if (this.sets === 0) return -1;
    const { cells, width } = this;
    const begin = this.beginOf(print);
    for (let at = begin; at < begin + width; at += WORDS) {
      let same = 0;
      while (same < WORDS && cells[at + same] === print[same]) same++;
      if (same === WORDS) return at;
    }
    return -1;
  }
}
