import type { Clock } from "#platform/clock";
import type { Pause } from "#platform/slices";
import type { Effective } from "#policy/profile/effective";
import { ProvenanceIndex } from "#policy/provenance/provenance";
import { type Speech, saidIn, type Voice } from "#policy/provenance/speech";
import type { CompiledPolicy } from "#scan/policy";

/** A conversation that a caller names, and what its call is held to. */
export type Talk = {
  readonly caller: { readonly user: { readonly id: string }; readonly agent: { readonly id: string } | null };
  /** As its caller names it, or the hub's own of an agent for a stretch of time. */
  readonly conversation: string | { readonly stretch: number };
  readonly rules: { readonly policy: CompiledPolicy; readonly effective: Pick<Effective, "profile_version"> };
};

/**
 * Who said what in conversations that callers name, over all APIs: results of tools called through the gateway, and
 * what was sent to models. So that a value in a tool call's arguments can be traced to the tool it came from.
 */
export type ConversationMemory = {
  /**
   * Takes the turns of a request to a model in; those it knows already cost a hash. With a pause in slices, as
   * a promise; so it comes, too, while others of the same conversation are taken in like that.
   */
  hearSpeech(talk: Talk, speech: Speech, pause: Pause | null): Promise<void> | undefined;
  /** Takes the result of a tool called through the gateway in, a long one in slices. `tool` is its public name. */
  hearResult(talk: Talk, tool: string, texts: readonly string[], pause: Pause | null): Promise<void> | undefined;
  /**
   * What is known of a conversation, for the call that begins; null for an unknown one. A promise while more is taken in in slices, or asked for.
   * Throws `guard_unavailable`.
   */
  indexOf(talk: Talk): ProvenanceIndex | null | Promise<ProvenanceIndex | null>;
  /** What stands for all that this process has taken in of a conversation, until it is forgotten; null for none. */
  heldOf(talk: Talk): object | null;
  /** Resolves when what was taken in is known to other processes too; null where there are none, or it is already. */
  told(talk: Talk): Promise<void> | null;
};

type ConversationsNeeds = {
  readonly now: Clock;
  /** How deep nested what is said may be. */
  readonly maxDepth: number;
} & LeftOut;

/** Told of each text that is not traced, because its conversation has more than are kept. */
export type LeftOut = { readonly onLeftOut?: (() => void) | undefined };

/** Kept of one conversation and voice, in UTF-16 units. */
export const MAX_UNITS = 200_000;
/** Conversations kept at a time; those that were silent longest go first. */
const MAX_CONVERSATIONS = 500;
export const SILENCE_MS = 3_600_000;
/** Texts of one conversation that are known by their hash. */
const MAX_HEARD = 20_000;

type Memory = {
  readonly index: ProvenanceIndex;
  readonly heard: Set<bigint | number>;
  at: number;
  /** The last of what is taken in in slices; null when nothing is. An index takes one text in at a time. */
  taking: Promise<void> | null;
};

/** Conversations in memory; those that were silent longest are forgotten first. */
export class Kept<T extends { at: number }> {
  private readonly memories = new Map<string, T>();

  get(key: string): T | undefined {
    return this.memories.get(key);
  }

  delete(key: string): void {
    this.memories.delete(key);
  }

  /** Says that something was said in it now. */
  touch(key: string, now: number, begin: () => T): T {
    const memory = this.memories.get(key) ?? begin();
    memory.at = now;
    // Newest last: what was silent longest is first in the map.
    this.memories.delete(key);
    this.memories.set(key, memory);
    for (const [oldest, { at }] of this.memories) {
      if (this.memories.size <= MAX_CONVERSATIONS && now - at < SILENCE_MS) break;
      this.memories.delete(oldest);
    }
    return memory;
  }
}

/** Of a process that serves alone: in memory. */
export class Conversations implements ConversationMemory {
  private readonly memories = new Kept<Memory>();

  constructor(private readonly deps: ConversationsNeeds) {}

  hearSpeech(talk: Talk, speech: Speech, pause: Pause | null): Promise<void> | undefined {
    const memory = this.memoryOf(talk);
    const { turns, place } = speech;
    const newsOf = (turn: unknown) =>
      saidIn(speech, turn, this.deps.maxDepth).filter(([voice, text]) =>
        isNews(memory.heard, voice, text, this.deps.onLeftOut),
      );
    const inOnePiece = () =>
      turns.forEach((turn, at) => {
        const said = newsOf(turn);
        if (said.length > 0) memory.index.add(place(at), said);
      });
    if (pause === null) return inTurn(memory, inOnePiece);
    return inSlices(memory, async () => {
      for (const [at, turn] of turns.entries()) {
        const said = newsOf(turn);
        const added = said.length > 0 ? memory.index.addInSlices(place(at), said, pause) : undefined;
        if (added) await added;
        const wait = pause();
        if (wait) await wait;
      }
    });
  }

  hearResult(talk: Talk, tool: string, texts: readonly string[], pause: Pause | null): Promise<void> | undefined {
    const memory = this.memoryOf(talk);
    const said = texts.map((text) => ["tool", text] as const);
    if (pause === null) return inTurn(memory, () => memory.index.add(sourceOf(tool), said));
    return inSlices(memory, () => memory.index.addInSlices(sourceOf(tool), said, pause));
  }

  indexOf(talk: Talk): ProvenanceIndex | null | Promise<ProvenanceIndex> {
    const memory = this.memories.get(keyOf(talk));
    if (!memory) return null;
    const { index, taking } = memory;
    index.beginCall();
    return taking
      ? taking.then(
          () => index,
          () => index,
        )
      : index;
  }

  heldOf(talk: Talk): object | null {
    return this.memories.get(keyOf(talk))?.index ?? null;
  }

  told(): null {
    return null;
  }

  private memoryOf(talk: Talk): Memory {
    const now = this.deps.now();
    const isFollowed = talk.rules.effective.profile_version !== null;
    return this.memories.touch(keyOf(talk), now, () => newMemory(now, isFollowed));
  }
}

const newMemory = (at: number, isFollowed: boolean): Memory => ({
  index: new ProvenanceIndex(MAX_UNITS, isFollowed),
  heard: new Set<bigint | number>(),
  at,
  taking: null,
});

/** Does short work at once, or, while long work is under way, after it. */
const inTurn = (memory: Memory, work: () => void): Promise<void> | undefined => {
  if (memory.taking) return inSlices(memory, async () => work());
  work();
  return undefined;
};

/** Does long work after what is under way. */
const inSlices = (memory: Memory, work: () => Promise<void> | undefined): Promise<void> => {
  const before = memory.taking ?? Promise.resolve();
  // A failure belongs to the call that began the earlier work, which awaits it; this one is not to fail with it.
  const done = before.catch(() => undefined).then(work);
  const taking = done.finally(() => {
    if (memory.taking === taking) memory.taking = null;
  });
  memory.taking = taking;
  return taking;
};

/** How records name a result of a tool that was called through the gateway. `tool` is its public name. */
export const sourceOf = (tool: string): string => `tool ${tool}`;

/** Whether a text was not heard yet; from now on it was. `onLeftOut`: it was not, and is left out for want of room. */
export const isNews = (
  heard: Set<bigint | number>,
  voice: Voice,
  text: string,
  onLeftOut?: LeftOut["onLeftOut"],
): boolean => {
  const hash = hashOf(voice, text);
  if (heard.has(hash)) return false;
  if (heard.size >= MAX_HEARD) {
    onLeftOut?.();
    return false;
  }
  heard.add(hash);
  return true;
};

export const hashOf = (voice: Voice, text: string): bigint | number => Bun.hash(text, voice.length);

/** JSON tells the hub's own from every name. Nobody reads, or fills, another's conversation by naming it. */
export const keyOf = ({ caller: { user, agent }, conversation }: Talk): string =>
  JSON.stringify([user.id, agent?.id ?? null, conversation]);
