import type { CallEntry } from "#model/call-entry";
import type { CallScope } from "#store/call-index-port";

/* Names and ids as small numbers: what an index needs of them is only whether they may be the same. */

/** The subject that counts all calls. */
export const EVERYBODY = 0;
const MAX_KNOWN = 10_000;
const BITS_48 = (1n << 48n) - 1n;

/** 32 bits of xxHash32, never 0. Two names may share one, so a search also checks the record itself. */
export const hash32 = (name: string): number => Bun.hash.xxHash32(name) || 1;

/** 48 bits of xxHash64, never 0: for what is found by its hash alone. */
const hash48 = (name: string): number => Number(Bun.hash.xxHash64(name) & BITS_48) || 1;

/** Whose traffic a call counts as; null for nobody's. */
export const subjectOf = ({ user_id, agent_id }: Pick<CallEntry, "user_id" | "agent_id">): string | null =>
  agent_id === null ? user_id && `user:${user_id}` : `agent:${agent_id}`;

/** Of all, or of those whose calls somebody may see. */
export const subjectsOf = (scope: CallScope): number[] => {
  if (scope === null) return [EVERYBODY];
  const { user_id, agent_ids } = scope;
  return [`user:${user_id}`, ...agent_ids.map((id) => `agent:${id}`)].map(hash48);
};

const UUID_V7 = /^([0-9a-f]{8})-([0-9a-f]{4})-7/;

/** RFC 9562 §5.7: the Unix milliseconds an id begins with. Null for another kind of id. */
export const timeIn = (id: string): number | null => {
  const [, high, low] = UUID_V7.exec(id) ?? [];
  return high === undefined || low === undefined ? null : Number.parseInt(high + low, 16);
};

/** Remembers what comes again and again: kinds, models, agents. */
export class KnownHashes {
  readonly #known = new Map<string, number>();

  private constructor(private readonly make: (name: string) => number) {}

  static ofNames(): KnownHashes {
    return new KnownHashes(hash32);
  }

  /** Whose traffic a row counts. */
  static ofSubjects(): KnownHashes {
    return new KnownHashes(hash48);
  }

  /** 0 for none. */
  of(name: string | null): number {
    if (name === null) return 0;
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    const made = this.make(name);
    this.#known.set(name, made);
    return made;
  }
}
