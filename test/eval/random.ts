/** Chance that is the same on every run: mulberry32, a 32-bit generator of known period 2^32. */
export class Random {
  private state: number;

  constructor(seed: number) {
    this.state = seed >>> 0;
  }

  /** A whole number from 0 to below `limit`. */
  below(limit: number): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = this.state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  }

  between(least: number, most: number): number {
    return least + this.below(most - least + 1);
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new Error("nothing to pick from");
    return item;
  }

  text(length: number, alphabet: string): string {
    return Array.from({ length }, () => alphabet.charAt(this.below(alphabet.length))).join("");
  }

  digits(length: number): string {
    return this.text(length, "0123456789");
  }

  hex(length: number): string {
    return this.text(length, "0123456789abcdef");
  }
}

export const UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
export const LOWER = UPPER.toLowerCase();
export const DIGITS = "0123456789";
export const ALNUM = UPPER + LOWER + DIGITS;
