import type { Finding } from "./detector";
import type { Raw } from "./matcher";

/** What was found in an answer already: the same in another reading is not told again, whichever came first. */
export class Told {
  private readonly keys = new Set<string>();

  /** What takes back all that is told from now on. */
  mark(): () => void {
    const { size } = this.keys;
    return () => {
      for (const key of [...this.keys].slice(size)) this.keys.delete(key);
    };
  }

  /** What has no end of its own is told in any case: it may be known before its end is. */
  isNew(raw: Raw, { type, start, end, score, detector }: Finding): boolean {
    if (raw.isTailed) return true;
    const key = `${type} ${start} ${end} ${score} ${detector}`;
    if (this.keys.has(key)) return false;
    this.keys.add(key);
    return true;
  }
}
