import { Shape, type Static, Type } from "#core/schema";
import { AgentTriggers, type Alarm, isPlain, type Note, TriggerState } from "#features/restrictions/trigger-rules";
import type { SharedStore } from "#store/shared-port";

/** How often calls are counted for all processes of which nothing counts but that there were so many, in milliseconds. */
const PLAIN_MS = 2_000;
/** Agents counted in one step, which is short on a thread that serves calls. */
const TOGETHER = 16;
/** Agents whose calls wait to be counted, and calls of one, while the store does not answer. */
const MAX_AGENTS = 4_000;
const MAX_NOTES = 100;

const State = Type.Object({
  triggers: TriggerState,
  /** Until when a rule that has restricted the agent does not so again, by rule. */
  quiet: Type.Record(Type.String(), Type.Number()),
});
type State = Static<typeof State>;

export type Due = { readonly agent_id: string; readonly alarm: Alarm };

/** What is done about alarms. */
export type Heed = {
  /** Whether anything comes of one. */
  readonly restricts: (due: Due) => boolean;
  /** Told of each that is due, once it was counted. */
  readonly take: (due: Due) => void;
};

type Waiting = { plain: Note | null; notes: Note[] };

type SharedTriggersNeeds = {
  readonly shared: Pick<SharedStore, "changeTriggers">;
  /** How long an alarm that was taken up is not taken up again, in milliseconds. */
  readonly quietMs: number;
  /** By the clock of this process, in milliseconds. */
  readonly clock: () => number;
};

/**
 * What automatic restrictions count of agents, over all processes: whichever counts the call that makes a rule's number
 * full is told of the alarm, once. A call that may set one off is counted at once, others together every two seconds;
 * a process that dies takes with it what it has not counted.
 */
export class SharedTriggers {
  private readonly shape = new Shape(State);
  private readonly waiting = new Map<string, Waiting>();
  private readonly urgent = new Set<string>();
  private countedAt = Number.NEGATIVE_INFINITY;
  private failedAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly deps: SharedTriggersNeeds) {}

  /** In memory only, for it stands in every call's way. */
  note(agentId: string, note: Note): void {
    let waiting = this.waiting.get(agentId);
    if (!waiting) {
      if (this.waiting.size >= MAX_AGENTS) return;
      waiting = { plain: null, notes: [] };
      this.waiting.set(agentId, waiting);
    }
    if (isPlain(note)) waiting.plain = added(waiting.plain, note);
    else {
      if (waiting.notes.length < MAX_NOTES) waiting.notes.push(note);
      this.urgent.add(agentId);
    }
  }

  /**
   * Counts what waits, and tells of the alarms that are due. To be called several times a second. Rejects when the store
   * does not answer; what was not counted waits on.
   */
  async count(heed: Heed): Promise<void> {
    const now = this.deps.clock();
    if (now - this.failedAt < PLAIN_MS) return;
    const isAll = now - this.countedAt >= PLAIN_MS;
    const ids = isAll ? [...this.waiting.keys()] : [...this.urgent];
    if (isAll) this.countedAt = now;
    try {
      for (let at = 0; at < ids.length; at += TOGETHER) await this.countSome(ids.slice(at, at + TOGETHER), heed);
    } catch (error) {
      this.failedAt = now;
      throw error;
    }
  }

  /** Counts all that waits, before the process ends. */
  async flush(heed: Heed): Promise<void> {
    this.countedAt = Number.NEGATIVE_INFINITY;
    this.failedAt = Number.NEGATIVE_INFINITY;
    await this.count(heed);
  }

  private async countSome(ids: readonly string[], { restricts, take }: Heed): Promise<void> {
    const taken = new Map<string, Waiting>();
    for (const id of ids) {
      const waiting = this.waiting.get(id);
      if (waiting) taken.set(id, waiting);
      this.waiting.delete(id);
      this.urgent.delete(id);
    }
    let due: Due[] = [];
    try {
      await this.deps.shared.changeTriggers([...taken.keys()], (states, now) => {
        due = [];
        const next = new Map<string, State>();
        for (const [id, waiting] of taken) {
          const counted = this.counted(id, waiting, { stored: states.get(id), now, restricts });
          next.set(id, counted.state);
          due.push(...counted.due);
        }
        return next;
      });
    } catch (error) {
      for (const [id, { plain, notes }] of taken) {
        if (plain) this.note(id, plain);
        for (const note of notes) this.note(id, note);
      }
      throw error;
    }
    for (const one of due) take(one);
  }

  private counted(
    agent_id: string,
    { plain, notes }: Waiting,
    by: { readonly stored: unknown; readonly now: number; readonly restricts: (due: Due) => boolean },
  ): { readonly state: State; readonly due: readonly Due[] } {
    const { stored, now } = by;
    const known = this.shape.fits(stored) ? stored : null;
    const triggers = known === null ? new AgentTriggers() : AgentTriggers.of(known.triggers);
    const quiet = new Map(Object.entries(known?.quiet ?? {}).filter(([, until]) => until > now));
    const due: Due[] = [];
    for (const note of plain === null ? notes : [plain, ...notes]) {
      for (const alarm of triggers.note(note, now)) {
        const found = { agent_id, alarm };
        if (quiet.has(alarm.rule) || !by.restricts(found)) continue;
        quiet.set(alarm.rule, now + this.deps.quietMs);
        due.push(found);
      }
    }
    return { state: { triggers: triggers.state, quiet: Object.fromEntries(quiet) }, due };
  }
}

/** Calls of which nothing else counts, as one. */
const added = (before: Note | null, note: Note): Note =>
  before === null ? note : { ...note, calls: before.calls + note.calls, tokens: before.tokens + note.tokens };
