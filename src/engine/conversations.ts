import type { Caller } from "#core/caller";
import { ProvenanceIndex, saidIn } from "#core/provenance";
import type { Clock } from "#platform/clock";

type Deps = {
  readonly now: Clock;
  /** How deep nested what is said may be. */
  readonly maxDepth: number;
};

/** Kept of one conversation and voice, in UTF-16 units. */
const MOST_UNITS = 200_000;
/** Conversations kept at a time; those that were silent longest go first. */
const MOST_CONVERSATIONS = 500;
const SILENCE_MS = 3_600_000;
/** Texts of one conversation that are known by their hash. */
const MOST_HEARD = 20_000;

type Memory = { readonly index: ProvenanceIndex; readonly heard: Set<bigint | number>; at: number };

/**
 * Who said what in conversations that callers name, over all roads: results of tools called through the gateway, and the
 * messages of chat completions. So that a value in a tool call's arguments can be traced to the tool it came from.
 */
export class Conversations {
  private readonly memories = new Map<string, Memory>();

  constructor(private readonly deps: Deps) {}

  /** Takes the messages of a chat-completions request in; those it knows already cost a hash. */
  hearMessages(caller: Caller, conversation: string, messages: readonly unknown[]): void {
    const memory = this.memoryOf(caller, conversation);
    messages.forEach((message, at) => {
      const said = saidIn(message, this.deps.maxDepth).filter(([voice, text]) => isNews(memory, voice, text));
      if (said.length > 0) memory.index.add(`messages[${at}]`, said);
    });
  }

  /** Takes the result of a tool called through the gateway in. `tool` is its public name. */
  hearResult(caller: Caller, conversation: string, tool: string, texts: Iterable<string>): void {
    const memory = this.memoryOf(caller, conversation);
    memory.index.add(
      `tool ${tool}`,
      [...texts].map((text) => ["tool", text] as const),
    );
  }

  /** What is known of a conversation; null when nothing was heard of it. */
  indexOf(caller: Caller, conversation: string): ProvenanceIndex | null {
    return this.memories.get(keyOf(caller, conversation))?.index ?? null;
  }

  private memoryOf(caller: Caller, conversation: string): Memory {
    const key = keyOf(caller, conversation);
    const now = this.deps.now();
    const known = this.memories.get(key);
    const memory = known ?? { index: new ProvenanceIndex(MOST_UNITS), heard: new Set<bigint | number>(), at: now };
    memory.at = now;
    // Newest last: what was silent longest is first in the map.
    this.memories.delete(key);
    this.memories.set(key, memory);
    for (const [oldest, { at }] of this.memories) {
      if (this.memories.size <= MOST_CONVERSATIONS && now - at < SILENCE_MS) break;
      this.memories.delete(oldest);
    }
    return memory;
  }
}

const isNews = ({ heard }: Memory, voice: string, text: string): boolean => {
  const hash = Bun.hash(text, voice.length);
  if (heard.has(hash) || heard.size >= MOST_HEARD) return false;
  heard.add(hash);
  return true;
};

/** Nobody reads, or fills, another's conversation by naming it. */
const keyOf = ({ user, agent }: Caller, conversation: string): string =>
  JSON.stringify([user.id, agent?.id ?? null, conversation]);
