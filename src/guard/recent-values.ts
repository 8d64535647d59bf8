import { type ConversationMemory, isNews, Kept, keyOf, type LeftOut, type Talk } from "#guard/conversations";
import type { Clock } from "#platform/clock";
import { sha256Hex } from "#platform/hash";
import type { Pause } from "#platform/slices";
import type { Effective } from "#policy/profile/effective";
import { FollowedOrigins, followedIn } from "#policy/provenance/provenance-followed";
import { type Speech, saidIn, type Voice } from "#policy/provenance/speech";

/** An agent, and what its call is held to. */
export type Follower = Pick<Talk, "caller"> & {
  readonly rules: Talk["rules"] & {
    readonly effective: Pick<Effective, "tainted_values" | "tainted_arguments">;
  };
};

type RecentValuesNeeds = {
  readonly conversations: ConversationMemory;
  readonly now: Clock;
  readonly maxDepth: number;
} & LeftOut;

/** Values are remembered for one such time at least, and two at most. */
const STRETCH_MS = 30 * 60_000;
/** Says that those who give orders were heard, whether or not they named a value. */
const HEARD = "heard";

type Said = readonly [voice: Voice, text: string];

/**
 * Which values an agent has met lately, in all its conversations and in calls that name none, and who had them first: so
 * that what a tool said in one is known in another. Fingerprints of values, in a conversation of the agent's own for each
 * stretch of time: they are shared between processes as conversations are. Of agents alone whose profile goes by it.
 */
export class RecentValues {
  /** Texts whose values are known already, by stretch. */
  private readonly read = new Kept<{ at: number; heard: Set<bigint | number>; held: object | null }>();

  constructor(private readonly deps: RecentValuesNeeds) {}

  /** Whether its values are remembered. */
  follows({ caller, rules: { effective } }: Follower): boolean {
    return caller.agent !== null && effective.tainted_values !== null && effective.tainted_arguments.value !== "allow";
  }

  /** Takes in what a request to a model says. With a pause in slices, as a promise. */
  hearSpeech(who: Follower, speech: Speech, pause: Pause | null): Promise<void> | undefined {
    if (!this.follows(who)) return undefined;
    const said = function* (maxDepth: number): Generator<Said> {
      for (const turn of speech.turns) yield* saidIn(speech, turn, maxDepth);
    };
    return this.hear(who, "an earlier request", said(this.deps.maxDepth), pause);
  }

  /** Takes in what a tool of the gateway was given, or said. */
  hearTool(
    who: Follower,
    voice: "model" | "tool",
    tool: string,
    texts: readonly string[],
    pause: Pause | null,
  ): Promise<void> | undefined {
    if (!this.follows(who)) return undefined;
    return this.hear(
      who,
      `tool ${tool}`,
      texts.map((text) => [voice, text]),
      pause,
    );
  }

  /**
   * Takes in that an answer was let through with a call of a tool of the gateway: it was judged by the whole request,
   * of which the gateway knows nothing where the call names no conversation. `hash`: of tool and arguments.
   */
  pass(who: Follower, hash: string): void {
    if (!this.follows(who)) return;
    const values = new SpokenValues("an earlier answer");
    values.add("trusted", [hash]);
    this.deps.conversations.hearSpeech(this.talk(who), values, null);
  }

  /** What is known of the agent's values; null where nothing is. Throws `guard_unavailable`. */
  originsOf(who: Follower): FollowedOrigins | null | Promise<FollowedOrigins | null> {
    if (!this.follows(who)) return null;
    const { conversations } = this.deps;
    const stretches = [this.talk(who, -1), this.talk(who)].map((talk) => conversations.indexOf(talk));
    const known = (indexes: readonly Awaited<(typeof stretches)[number]>[]) => {
      const found = indexes.filter((index) => index !== null);
      return found.length === 0 ? null : new FollowedOrigins(found, sha256Hex);
    };
    const [before, now] = stretches;
    if (before instanceof Promise || now instanceof Promise) return Promise.all(stretches).then(known);
    return known([before ?? null, now ?? null]);
  }

  /** As of `ConversationMemory`. */
  told(who: Follower): Promise<void> | null {
    return this.follows(who) ? this.deps.conversations.told(this.talk(who)) : null;
  }

  private hear(who: Follower, source: string, said: Iterable<Said>, pause: Pause | null): Promise<void> | undefined {
    const talk = this.talk(who);
    const now = this.deps.now();
    const begin = () => ({ at: now, heard: new Set<bigint | number>(), held: null });
    const read = this.read.touch(keyOf(talk), now, begin);
    const held = this.deps.conversations.heldOf(talk);
    // Forgotten: what was read of it is news.
    if (held === null || (read.held !== null && read.held !== held)) read.heard = new Set();
    read.held = held;
    const { heard } = read;
    const { onLeftOut } = this.deps;
    const values = new SpokenValues(source);
    const tell = () =>
      values.turns.length === 0 ? undefined : this.deps.conversations.hearSpeech(talk, values, pause);
    const steps = function* (): Generator<undefined> {
      for (const [voice, text] of said) {
        if (!isNews(heard, voice, text, onLeftOut)) continue;
        if (voice === "trusted") values.add(voice, [HEARD]);
        for (const found of followedIn(text, sha256Hex)) {
          values.add(voice, found);
          yield;
        }
      }
    };
    if (pause === null) {
      for (const _ of steps()) {
        // At once: what is long has a pause.
      }
      return tell();
    }
    return inSlices(steps(), pause).then(tell);
  }

  private talk({ caller, rules }: Follower, later = 0): Talk {
    return { caller, conversation: { stretch: Math.floor(this.deps.now() / STRETCH_MS) + later }, rules };
  }
}

const inSlices = async (steps: Iterable<undefined>, pause: Pause): Promise<void> => {
  for (const _ of steps) {
    const wait = pause();
    if (wait) await wait;
  }
};

/** Values as a conversation hears them: each turn has one voice. */
class SpokenValues implements Speech {
  readonly turns: string[][] = [];
  private readonly voices = new Map<unknown, Voice>();

  constructor(private readonly source: string) {}

  add(voice: Voice, values: readonly string[]): void {
    if (values.length === 0) return;
    const last = this.turns.at(-1);
    if (last !== undefined && this.voices.get(last) === voice) {
      for (const value of values) last.push(value);
      return;
    }
    const turn = [...values];
    this.turns.push(turn);
    this.voices.set(turn, voice);
  }

  readonly place = (): string => this.source;
  readonly voiceOf = (turn: unknown): Voice | undefined => this.voices.get(turn);
  readonly innerVoice = (_: object, voice: Voice): Voice => voice;
  readonly hasResult = (turn: unknown): boolean => this.voices.get(turn) === "tool";
}
