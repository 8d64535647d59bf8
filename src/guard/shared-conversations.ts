import { GuardError } from "#core/errors";
import { Shape, type Static, Type } from "#core/schema";
import {
  type ConversationMemory,
  hashOf,
  isNews,
  Kept,
  keyOf,
  type LeftOut,
  MAX_UNITS,
  SILENCE_MS,
  sourceOf,
  type Talk,
} from "#guard/conversations";
import type { Clock } from "#platform/clock";
import type { Ids } from "#platform/ids";
import type { Sealing } from "#platform/sealing";
import { type Pause, slices } from "#platform/slices";
import { ProvenanceIndex, TAINTED } from "#policy/provenance/provenance";
import { type Speech, saidIn, type Voice } from "#policy/provenance/speech";
import type { ConversationStore, Place, SealedPiece } from "#store/conversation-port";

/** Kept of one conversation and voice beside the index, which counts fewer units of a text. In UTF-16 units. */
const MAX_KEPT = 2 * MAX_UNITS;
/** What each text costs beside its length, as so many units more. */
const UNITS_A_TEXT = 16;
/** What is encrypted in one piece, if it is not one text. In UTF-16 units. */
const MAX_PIECE = 65_536;
/** How long an answer waits for what others are told, in milliseconds. */
const MAX_WAIT_MS = 1_000;
/** Conversations with something to tell, while the store does not take it. */
const MAX_UNTOLD = 500;

const Utterance = Type.Object({
  source: Type.String(),
  /** Heard in a request to a model, where it may come again; else the result of a tool. */
  isSpeech: Type.Boolean(),
  said: Type.Array(
    Type.Tuple([Type.Union([Type.Literal("trusted"), Type.Literal("tool"), Type.Literal("model")]), Type.String()]),
  ),
});
type Utterance = Static<typeof Utterance>;

type Memory = {
  readonly key: string;
  /** The next three are of one place in what all processes have said. */
  index: ProvenanceIndex;
  heard: Set<bigint | number>;
  units: Record<Voice, number>;
  place: Place | null;
  /** What was heard here and is not stored yet. */
  untold: Utterance[];
  at: number;
  running: Promise<void>;
  /** Begins when what is running ends. */
  next: Promise<void> | null;
  /** The last that was begun. */
  telling: Promise<void> | null;
  taking: Promise<void>;
};

type SharedConversationsNeeds = {
  readonly now: Clock;
  readonly maxDepth: number;
  readonly said: ConversationStore;
  readonly seal: Sealing["seal"];
  readonly unseal: Sealing["unseal"];
  readonly ids: Ids;
  /** Of callers whose policy does not care: in memory. */
  readonly own: ConversationMemory;
  /** What was heard could not be stored; it is tried again. */
  readonly onFault: (error: unknown) => void;
} & LeftOut;

/**
 * The same where several processes serve. What was said is kept, encrypted, in one order for all of them: each takes it in
 * in that order, its own too, and so finds what one process would. Only where a profile, or a rule that does more than
 * note, cares for where values come from.
 */
export class SharedConversations implements ConversationMemory {
  private readonly shape = new Shape(Type.Array(Utterance));
  private readonly memories = new Kept<Memory>();
  private readonly untold = new Set<Memory>();

  constructor(private readonly deps: SharedConversationsNeeds) {}

  hearSpeech(talk: Talk, speech: Speech, pause: Pause | null): Promise<void> | undefined {
    if (!isTraced(talk.rules)) return this.deps.own.hearSpeech(talk, speech, pause);
    const memory = this.memoryOf(talk);
    const { turns, place } = speech;
    const hear = (turn: unknown, at: number) => {
      const said = saidIn(speech, turn, this.deps.maxDepth).filter(([voice, text]) =>
        isNews(memory.heard, voice, text, this.deps.onLeftOut),
      );
      this.note(memory, { source: place(at), isSpeech: true, said });
    };
    if (pause === null) {
      turns.forEach(hear);
      if (memory.untold.length > 0) this.tell(memory);
      return undefined;
    }
    const heard = memory.taking.then(async () => {
      for (const [at, turn] of turns.entries()) {
        hear(turn, at);
        const wait = pause();
        if (wait) await wait;
      }
      this.tell(memory);
    });
    memory.taking = heard.catch(() => {
      // Told to the caller, who has the same promise.
    });
    return heard;
  }

  hearResult(talk: Talk, tool: string, texts: readonly string[], pause: Pause | null): Promise<void> | undefined {
    if (!isTraced(talk.rules)) return this.deps.own.hearResult(talk, tool, texts, pause);
    const memory = this.memoryOf(talk);
    this.note(memory, { source: sourceOf(tool), isSpeech: false, said: texts.map((text) => ["tool", text]) });
    this.tell(memory);
    return undefined;
  }

  indexOf(talk: Talk): ProvenanceIndex | null | Promise<ProvenanceIndex | null> {
    if (!isTraced(talk.rules)) return this.deps.own.indexOf(talk);
    const memory = this.memoryOf(talk);
    return memory.taking.then(() => this.known(memory));
  }

  heldOf(talk: Talk): object | null {
    if (!isTraced(talk.rules)) return this.deps.own.heldOf(talk);
    return this.memories.get(keyOf(talk))?.index ?? null;
  }

  told(talk: Talk): Promise<void> | null {
    if (!isTraced(talk.rules)) return null;
    const telling = this.memories.get(keyOf(talk))?.telling ?? null;
    return telling && within(telling, MAX_WAIT_MS);
  }

  /** Stores what was not; to be called now and then, and when the process stops. */
  async write(): Promise<void> {
    const untold = [...this.untold];
    this.untold.clear();
    for (const memory of untold) await this.tell(memory);
  }

  private async known(memory: Memory): Promise<ProvenanceIndex | null> {
    try {
      await this.catchUp(memory);
    } catch (error) {
      this.failed(memory, error);
      throw new GuardError("guard_unavailable", "What was said in this conversation is not known now. Try again.");
    }
    if (memory.place === null) return null;
    memory.index.beginCall();
    return memory.index;
  }

  private note(memory: Memory, { said, ...utterance }: Utterance): void {
    const kept = fitting(said, memory.units);
    if (kept.length > 0) memory.untold.push({ ...utterance, said: kept });
  }

  /** Cuts what was heard here where it turns out that others have said much already. */
  private trim(memory: Memory): void {
    if (Object.values(memory.units).every((units) => units <= MAX_KEPT)) return;
    const { units, untold } = memory;
    for (const { said } of untold) for (const [voice, text] of said) units[voice] -= unitsOf(text);
    memory.untold = [];
    for (const utterance of untold) this.note(memory, utterance);
  }

  /** Never rejects: what others could not be told is told them later. */
  private tell(memory: Memory): Promise<void> {
    const telling = this.catchUp(memory).catch((error: unknown) => this.failed(memory, error));
    memory.telling = telling;
    return telling;
  }

  private failed(memory: Memory, error: unknown): void {
    if (memory.untold.length > 0) this.untold.add(memory);
    for (const oldest of this.untold) {
      if (this.untold.size <= MAX_UNTOLD) break;
      this.untold.delete(oldest);
    }
    this.deps.onFault(error);
  }

  /** Resolves when all is taken in that was said anywhere before this was asked for, and all that was said here is stored. */
  private catchUp(memory: Memory): Promise<void> {
    memory.next ??= memory.running.then(() => {
      memory.next = null;
      const run = this.exchange(memory);
      memory.running = run.catch(() => {
        // Told to those who wait for this run.
      });
      return run;
    });
    return memory.next;
  }

  private async exchange(memory: Memory): Promise<void> {
    const { said, now, ids } = this.deps;
    const { key } = memory;
    const pause = slices.begin();
    // Who knows it leaves nothing out of what it adds, and is told with it what others have added. Of much, others may
    // have said so much already that it is cut.
    if (memory.place === null || memory.untold.length === 0 || isMuch(memory.untold)) {
      const found = await said.since(key, memory.place, now());
      if (found === null) this.begin(memory, null);
      else {
        if (found.id !== memory.place?.id) this.begin(memory, { id: found.id, seq: 0 });
        for (const piece of found.pieces) {
          await this.takeIn(memory, piece, pause);
          memory.place = { id: found.id, seq: piece.seq };
        }
      }
    }
    this.trim(memory);
    const { untold } = memory;
    if (untold.length === 0) return;
    memory.untold = [];
    try {
      const { pieces, units } = await this.sealed(untold);
      const { place, before } = await said.add(key, memory.place, { id: ids(), pieces, units }, SILENCE_MS);
      if (place.id !== memory.place?.id) this.begin(memory, null);
      for (const piece of before) await this.takeIn(memory, piece, pause);
      for (const utterance of untold) await this.index(memory, utterance, pause);
      memory.place = place;
    } catch (error) {
      // In the order in which it was said. What was stored and not answered for is stored twice, which says no more.
      memory.untold = [...untold, ...memory.untold];
      throw error;
    }
  }

  /** Forgets all that was taken in: it was of another conversation, or is forgotten everywhere. */
  private begin(memory: Memory, place: Place | null): void {
    const isKnown = memory.place !== null;
    memory.place = place;
    if (!isKnown) return;
    memory.index = new ProvenanceIndex(MAX_UNITS, true);
    memory.heard = new Set();
    memory.units = { trusted: 0, tool: 0, model: 0 };
    for (const { isSpeech, said } of memory.untold) {
      for (const [voice, text] of said) {
        memory.units[voice] += unitsOf(text);
        if (isSpeech) isNews(memory.heard, voice, text);
      }
    }
  }

  private async takeIn(memory: Memory, { id, sealed }: SealedPiece, pause: Pause): Promise<void> {
    const utterances: unknown = JSON.parse(this.deps.unseal(purposeOf(id), sealed));
    if (!this.shape.fits(utterances)) throw new Error("A piece of a conversation is damaged");
    for (const utterance of utterances) {
      if (utterance.isSpeech) this.leaveOut(memory, utterance);
      for (const [voice, text] of utterance.said) memory.units[voice] += unitsOf(text);
      await this.index(memory, utterance, pause);
    }
  }

  /** What others have heard already is not told again. */
  private leaveOut(memory: Memory, { said }: Utterance): void {
    const told = new Set(said.map(([voice, text]) => hashOf(voice, text)));
    for (const [voice, text] of said) isNews(memory.heard, voice, text);
    memory.untold = memory.untold.flatMap((one) => {
      if (!one.isSpeech) return [one];
      const left = one.said.filter(([voice, text]) => {
        const isTold = told.has(hashOf(voice, text));
        if (isTold) memory.units[voice] -= unitsOf(text);
        return !isTold;
      });
      return left.length === 0 ? [] : [{ ...one, said: left }];
    });
  }

  private async index(memory: Memory, { source, said }: Utterance, pause: Pause): Promise<void> {
    const added = memory.index.addInSlices(source, said, pause);
    if (added) await added;
    const wait = pause();
    if (wait) await wait;
  }

  /** A long piece has a turn of its own. */
  private async sealed(untold: readonly Utterance[]): Promise<{ pieces: SealedPiece[]; units: number }> {
    const pieces: SealedPiece[] = [];
    let sum = 0;
    for (const [piece, units] of piecesOf(untold)) {
      sum += units;
      if (units > MAX_PIECE / 2) await slices.turn();
      const id = this.deps.ids();
      pieces.push({ id, sealed: this.deps.seal(purposeOf(id), JSON.stringify(piece)) });
    }
    return { pieces, units: sum };
  }

  private memoryOf(talk: Talk): Memory {
    const key = keyOf(talk);
    const now = this.deps.now();
    // It is forgotten elsewhere too: what is heard of it is news.
    if (now - (this.memories.get(key)?.at ?? now) >= SILENCE_MS) this.memories.delete(key);
    return this.memories.touch(key, now, () => ({
      key,
      index: new ProvenanceIndex(MAX_UNITS, true),
      heard: new Set(),
      units: { trusted: 0, tool: 0, model: 0 },
      place: null,
      untold: [],
      at: 0,
      running: Promise.resolve(),
      next: null,
      telling: null,
      taking: Promise.resolve(),
    }));
  }
}

/** Whether something comes of it where a value is from: what the hub's own policy only notes is not worth a transaction. */
const isTraced = ({ policy, effective }: Talk["rules"]): boolean => {
  const action = policy.mode === "off" ? "allow" : policy.judge("tool_args", TAINTED.type, 1);
  return action !== "allow" && (action !== "flag" || effective.profile_version !== null);
};

const isMuch = (untold: readonly Utterance[]): boolean =>
  untold.reduce((sum, { said }) => sum + said.reduce((more, [, text]) => more + text.length, 0), 0) > MAX_PIECE / 4;

/** Cut where a conversation has had its part; `units` is what it has had. */
const fitting = (said: Utterance["said"], units: Record<Voice, number>): Utterance["said"] => {
  const kept: Utterance["said"] = [];
  for (const [voice, text] of said) {
    const room = MAX_KEPT - units[voice];
    if (room <= 0) continue;
    const part = text.length > room ? text.slice(0, room) : text;
    units[voice] += unitsOf(part);
    kept.push([voice, part]);
  }
  return kept;
};

const within = (work: Promise<void>, ms: number): Promise<void> => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  return Promise.race([work, promise]).finally(() => clearTimeout(timer));
};

const unitsOf = (text: string): number => text.length + UNITS_A_TEXT;

const purposeOf = (id: string): string => `conversation ${id}`;

/** In pieces of about the most that is encrypted at once, in order. */
function* piecesOf(untold: readonly Utterance[]): Generator<[piece: Utterance[], units: number]> {
  let [piece, units]: [Utterance[], number] = [[], 0];
  for (const { said, ...utterance } of untold) {
    let part: Utterance["said"] = [];
    for (const one of said) {
      const more = unitsOf(one[1]);
      if (units > 0 && units + more > MAX_PIECE) {
        if (part.length > 0) piece.push({ ...utterance, said: part });
        yield [piece, units];
        [piece, units, part] = [[], 0, []];
      }
      part.push(one);
      units += more;
    }
    if (part.length > 0) piece.push({ ...utterance, said: part });
  }
  if (piece.length > 0) yield [piece, units];
}
