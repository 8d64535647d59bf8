import type { Clock } from "#platform/clock";
import type { Origin } from "#scan/detector";
import type { Mode } from "#scan/policy";
import type { Judged } from "#scan/scan";
import type { Slot } from "#scan/texts/text-walk";

type EarlierDecisionsNeeds = {
  readonly now: Clock;
  /** Keyed: what was sent in a conversation cannot be told from what is remembered of it. */
  readonly hashOf: (text: string) => string;
};

type Named = { readonly id: string };
type ConversationOwner = { readonly user: Named; readonly agent: Named | null };

/** Texts and redacted values remembered of all conversations, and of one. */
const MAX_REMEMBERED = 100_000;
const MAX_OF_CONVERSATION = 20_000;
/** A conversation that is silent so long is forgotten. */
const SILENCE_MS = 24 * 3_600_000;
/** In UTF-16 units: what is longer takes too long to be hashed in one piece. */
const MAX_HASHED = 1_048_576;
/** Redacted values of one text. */
const MAX_SPANS = 2_000;
/** Texts of one call. */
const MAX_TEXTS = 20_000;

/** What was redacted in a text. Null where it is decided anew: it was decided in two ways at once. */
type Redacted = readonly Judged[] | null;
type Decision = { readonly rules: string; readonly redacted: Redacted };
type Memory = { readonly decisions: Map<string, Decision>; size: number; at: number };

/**
 * What was redacted in the texts of conversations that callers name. A conversation is sent anew with each call: what a
 * provider got of it before must be the same after a change of the policy, or the provider takes it for another one.
 */
export class EarlierDecisions {
  private readonly memories = new Map<string, Memory>();
  private size = 0;

  constructor(private readonly deps: EarlierDecisionsNeeds) {}

  /** For one call. `rules` names what it is held to: only what was decided under other rules is taken from earlier. */
  of({ user, agent }: ConversationOwner, conversation: string, rules: string): CallDecisions {
    const memory = this.memoryOf(JSON.stringify([user.id, agent?.id ?? null, conversation]));
    const { hashOf } = this.deps;
    return new CallDecisions({ rules, hashOf, known: memory.decisions, keep: (all) => this.keep(memory, all) });
  }

  private memoryOf(key: string): Memory {
    const now = this.deps.now();
    for (const [oldest, one] of this.memories) {
      if (this.size <= MAX_REMEMBERED && now - one.at < SILENCE_MS) break;
      this.memories.delete(oldest);
      this.size -= one.size;
      // A call of it that goes on adds nothing to what is gone.
      one.size = Number.POSITIVE_INFINITY;
    }
    const memory = this.memories.get(key) ?? { decisions: new Map<string, Decision>(), size: 0, at: now };
    memory.at = now;
    // Newest last: what was silent longest is first in the map.
    this.memories.delete(key);
    this.memories.set(key, memory);
    return memory;
  }

  private keep(memory: Memory, all: ReadonlyMap<string, Decision>): void {
    for (const [key, decision] of all) {
      const before = memory.decisions.get(key);
      const more = sizeOf(decision) - (before ? sizeOf(before) : 0);
      if (memory.size + more > MAX_OF_CONVERSATION) continue;
      memory.size += more;
      this.size += more;
      memory.decisions.set(key, decision);
    }
  }
}

const sizeOf = ({ redacted }: Decision): number => 1 + (redacted?.length ?? 0);

/** Of the findings in a text those that are enforced, a few at a time. */
export class EnforcedFindings {
  isBlocked = false;
  private spans: Judged[] | null = [];

  constructor(private readonly mode: Mode) {}

  /** What is to be redacted; null for more than is remembered of a text. */
  get redacted(): Redacted {
    return this.spans;
  }

  add(findings: readonly Judged[]): void {
    if (this.mode !== "enforce") return;
    for (const finding of findings) {
      if (finding.action === "block") this.isBlocked = true;
      else if (finding.action === "redact") this.spans?.push(finding);
      if (this.spans && this.spans.length > MAX_SPANS) this.spans = null;
    }
  }
}

type CallDecisionsNeeds = Pick<EarlierDecisionsNeeds, "hashOf"> & {
  readonly rules: string;
  readonly known: ReadonlyMap<string, Decision>;
  readonly keep: (all: ReadonlyMap<string, Decision>) => void;
};

type Text = Pick<Slot, "text" | "field"> & { readonly origin: Origin };

/** The decisions of one call, and those of earlier calls of its conversation. */
export class CallDecisions {
  private readonly asked = new Map<string, Decision>();
  private readonly answered = new Map<string, Decision>();
  private texts = 0;

  constructor(private readonly needs: CallDecisionsNeeds) {}

  /** What was redacted in a text of the request earlier; null where what is `enforced` now is to be done. */
  decide(text: Text, { isBlocked, redacted }: Pick<EnforcedFindings, "isBlocked" | "redacted">): Redacted {
    const { known, rules } = this.needs;
    if (isBlocked) return null;
    const key = this.keyOf(text);
    if (key === null) return null;
    const earlier = known.get(key);
    if (earlier?.rules === rules) return null;
    if (earlier?.redacted) return earlier.redacted;
    if (redacted !== null) this.note(this.asked, key, redacted);
    return null;
  }

  /** A text of the answer as it leaves; `origin` is what it will be in later requests. */
  leaves(text: Text): void {
    const key = this.keyOf(text);
    if (key !== null && !this.needs.known.has(key)) this.note(this.answered, key, []);
  }

  /** The request goes to a provider now. */
  forwarded(): void {
    this.needs.keep(this.asked);
    this.asked.clear();
  }

  /** The answer has gone to the client. */
  delivered(): void {
    this.needs.keep(this.answered);
    this.answered.clear();
  }

  private note(decisions: Map<string, Decision>, key: string, redacted: readonly Judged[]): void {
    const before = decisions.get(key);
    const isSame = before === undefined || (before.redacted !== null && areSame(before.redacted, redacted));
    decisions.set(key, { rules: this.needs.rules, redacted: isSame ? redacted : null });
  }

  private keyOf({ origin, field = "", text }: Text): string | null {
    this.texts += 1;
    if (text.length > MAX_HASHED || this.texts > MAX_TEXTS) return null;
    // The name of a field has a say in what a bare number is. These two are of texts, and clients write one for the other.
    const name = field === "content" || field === "text" ? "" : field;
    return this.needs.hashOf(`${origin}\n${name.length} ${name}\n${text}`);
  }
}

const placeOf = ({ type, start, end }: Judged): string => `${type} ${start} ${end}`;

const areSame = (some: readonly Judged[], others: readonly Judged[]): boolean =>
  some.length === others.length && some.every((one, at) => placeOf(one) === placeOf(others[at] ?? one));

/** What stands in a record for the rule, where a conversation's earlier decision holds. */
const LAYER = "conversation";

/**
 * The findings of a text whose redactions were decided earlier: those first, and of those found now what would be
 * redacted besides is only flagged.
 */
export function* asEarlier(earlier: readonly Judged[], found: Iterable<Judged>): Generator<Judged, void> {
  for (const one of earlier) yield { ...one, action: "redact", layer: LAYER, rule: one.type };
  const places = new Set(earlier.map(placeOf));
  for (const one of found) {
    if (places.has(placeOf(one))) continue;
    yield one.action === "redact" ? { ...one, action: "flag", would: "redact", layer: LAYER, rule: one.type } : one;
  }
}
