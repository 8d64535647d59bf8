/* Names and ids as small numbers: what an index needs of them is only whether they are the same. */

/** What the hash of two names in different columns must not have in common. */
export type Named =
  | "kind"
  | "family"
  | "decision"
  | "outcome"
  | "user"
  | "agent"
  | "token"
  | "model"
  | "tool"
  | "conversation"
  | "call"
  | "flag";

const BITS_48 = (1n << 48n) - 1n;
const MOST_KNOWN = 10_000;

/** 48 bits of xxHash64, never 0: SQLite keeps them in six bytes, JavaScript as a whole number. */
const hash48 = (text: string): number => Number(Bun.hash.xxHash64(text) & BITS_48) || 1;

const UUID_V7 = /^([0-9a-f]{8})-([0-9a-f]{4})-7/;

/** RFC 9562 §5.7: a call's id begins with its time, so that the index grows at its end. Null for another kind of id. */
const timeOf = (id: string): number | null => {
  const [, high, low] = UUID_V7.exec(id) ?? [];
  return high === undefined || low === undefined ? null : Number.parseInt(high + low, 16);
};

/** Remembers what comes again and again: kinds, models, agents. */
export class CallHashes {
  readonly #known = new Map<string, number>();

  /** 0 for none. */
  of(named: Named, name: string | null): number {
    if (name === null) return 0;
    if (named === "call") return timeOf(name) ?? hash48(name);
    const text = `${named}:${name}`;
    if (named === "conversation") return hash48(text);
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    if (this.#known.size >= MOST_KNOWN) this.#known.clear();
    const made = hash48(text);
    this.#known.set(text, made);
    return made;
  }
}
