import type { AuditRecord, CallFacts } from "#model/audit";
import { categoryOf, decisionOf } from "#model/call-entry";
import type { HubEvent } from "#model/event";
import { ownerOfCall, READING_ROLES } from "#model/ownership";
import type { User } from "#model/person";
import { type Clock, hasPassed, timestamp } from "#platform/clock";
import type { LiveCall, LiveChange, LiveKind, LiveMessage } from "./live-message";

/** One message as it is kept: as somebody may see it, or null where they may not. */
type Kept = { readonly seq: number; readonly kind: LiveKind; readonly render: (to: User) => string | null };
type Tally = { count: number; readonly decisions: Map<string, number>; readonly calls: LiveCall[] };

export type Listener = {
  readonly user: User;
  /** Sends one message; false when the client takes no more. */
  readonly send: (message: string) => boolean;
  readonly end: () => void;
  /** Whether its session is still valid, for the same user in the same role. */
  readonly isStillAuthorized: () => Promise<boolean>;
};

type LiveEventsNeeds = {
  /** Whose an agent is; null for none that is known. */
  readonly ownerOf: (agentId: string) => string | null;
  /** What people know them as; null for what is not known. */
  readonly nameOfAgent: (agentId: string) => string | null;
  readonly emailOf: (userId: string) => string | null;
  /** Whose a tool server is. */
  readonly ownerOfServer: (serverId: string) => string | null;
  readonly now: Clock;
};

const RING = 1_000;
const MAX_STREAMS_PER_USER = 8;
const MAX_STREAMS_TOTAL = 500;
const HEARTBEAT_MS = 15_000;
const WELCOME_MS = 5_000;
/** So long after the last listener went calls are kept for one that comes back. */
const LINGER_MS = 60_000;
/** More calls than that in one tick are told as one message: at ten ticks a second, 20 messages a second at most. */
const SINGLE = 2;
/** Calls named in one message. */
const NAMED = 20;

/** First words of kinds of records, and what is told of them. */
const TOLD: Readonly<Record<string, LiveChange["kind"]>> = {
  agent: "agent.changed",
  alert: "alert.changed",
  drift: "health.changed",
  health: "health.changed",
  hold: "hold.changed",
  killswitch: "killswitch.changed",
  policy: "policy.changed",
  profile: "profile.changed",
  provider: "provider.changed",
  report: "report.changed",
  restriction: "restriction.changed",
  review: "review.changed",
  token: "token.changed",
  tool_server: "tool_server.changed",
  tuning: "tuning.changed",
  user: "user.changed",
  webhook: "webhook.changed",
};
/** What everybody is told of, without saying of what. */
const FOR_ALL: ReadonlySet<LiveKind> = new Set<LiveKind>(["policy.changed", "provider.changed", "killswitch.changed"]);
/** After these, subscribers are checked immediately. */
const ABOUT_ACCESS = /^(?:session|user|auth|sign_in|password)\b/;

/**
 * What happens, told to people's browsers while it happens: ids and kinds only, and only what each may see. Costs a
 * comparison a call while nobody listens.
 */
export class LiveEvents {
  private readonly listeners = new Set<Listener>();
  private readonly ring: Kept[] = [];
  private seq: number;
  /** Calls were left out up to here, for nobody listened. */
  private gap: number;
  private pending = new Map<string, Tally>();
  /** When the last listener went; minus infinity while nobody is waited for. */
  private leftAt = Number.NEGATIVE_INFINITY;
  private beatAt = 0;
  private askedAt = 0;
  private isClosed = false;

  constructor(private readonly deps: LiveEventsNeeds) {
    // Microseconds, so that numbers of the process before are smaller than all of this one's.
    this.seq = deps.now() * 1_000;
    this.gap = this.seq;
  }

  /** Null when there are too many. Tells first what came after `lastSeen`, or that it is not known any more. */
  listen(listener: Listener, lastSeen: number | null): (() => void) | null {
    const own = [...this.listeners].filter(({ user }) => user.id === listener.user.id).length;
    if (this.isClosed || own >= MAX_STREAMS_PER_USER || this.listeners.size >= MAX_STREAMS_TOTAL) return null;
    // What was before the first listener is not known.
    if (this.listeners.size === 0 && this.leftAt === Number.NEGATIVE_INFINITY) this.gap = this.seq;
    this.listeners.add(listener);
    this.leftAt = Number.NEGATIVE_INFINITY;
    listener.send("retry: 2000\n\n");
    if (lastSeen !== null) this.resume(listener, lastSeen);
    // Whose line breaks before anything has happened says where it was all the same.
    else listener.send(`id: ${this.seq}\n\n`);
    return () => void this.leave(listener);
  }

  private resume(listener: Listener, lastSeen: number): void {
    const first = this.ring[0]?.seq ?? this.seq + 1;
    if (lastSeen < this.gap || lastSeen > this.seq || lastSeen < first - 1) {
      listener.send(sentAs(this.seq, "resync", text({ kind: "resync", at: timestamp(this.deps.now()) })));
      return;
    }
    for (const kept of this.ring) if (kept.seq > lastSeen) this.send(listener, kept);
  }

  /** Whether it was still there. */
  private leave(listener: Listener): boolean {
    const wasThere = this.listeners.delete(listener);
    if (wasThere && this.listeners.size === 0) this.leftAt = this.deps.now();
    return wasThere;
  }

  /** Runs in every call. */
  note(record: AuditRecord): void {
    if (this.listeners.size === 0 && this.leftAt === Number.NEGATIVE_INFINITY) return;
    this.publishRecord(record);
  }

  private publishRecord(record: AuditRecord): void {
    const { call, actor } = record;
    if (!call || record.phase !== "final") return;
    const owner = ownerOfCall(actor, this.deps.ownerOf) ?? "";
    const tally = this.pending.get(owner) ?? { count: 0, decisions: new Map<string, number>(), calls: [] };
    const decision = decisionOf(record);
    tally.count += 1;
    tally.decisions.set(decision, (tally.decisions.get(decision) ?? 0) + 1);
    if (tally.calls.length < NAMED) tally.calls.push(this.shown(record, call));
    this.pending.set(owner, tally);
  }

  private shown(record: AuditRecord, call: CallFacts): LiveCall {
    const { call_id, at, kind, outcome, actor } = record;
    const { agent_id, user_id, token_id, via } = actor;
    const { nameOfAgent, emailOf } = this.deps;
    return {
      ...{ call_id, at, kind, outcome, via, agent_id, user_id, token_id },
      category: categoryOf(record),
      decision: decisionOf(record),
      agent: agent_id && nameOfAgent(agent_id),
      user: user_id && emailOf(user_id),
      status: call.status,
      model: call.model,
      provider: call.provider,
      tool: call.tool?.name ?? null,
      conversation_id: call.conversation_id,
      flags: [...new Set(call.flags.map(({ type }) => type))],
      total_tokens: call.usage?.total_tokens ?? null,
      cost_usd: call.cost_usd ?? null,
      cost_basis: call.cost_basis ?? null,
      total_ms: call.ms.total,
      scan_us: Math.round(call.ms.guard * 1_000),
    };
  }

  /** A change of governance, of this process or another. */
  changed(record: AuditRecord): void {
    const { change, kind: type, at, actor } = record;
    const kind = TOLD[type.split(".", 1)[0] ?? ""];
    if (ABOUT_ACCESS.test(type)) this.askedAt = 0;
    // That somebody has looked at it has changed nothing; pages that show it would look at it again and again.
    if (!kind || !change || type.endsWith(".read")) return;
    const { subject, subject_id, detail } = change;
    // What is kept says whose calls those were: it must not be told again to whom they are no longer.
    if (type === "agent.update" && detail["owner_id"] !== undefined) this.forget();
    const agent = subject === "agent" ? subject_id : detail["agent_id"];
    const agent_id = typeof agent === "string" ? agent : actor.agent_id;
    const whose = [actor.user_id, detail["user_id"], detail["owner_id"]];
    if (agent_id !== null) whose.push(this.deps.ownerOf(agent_id));
    if (subject === "tool_server") whose.push(this.deps.ownerOfServer(subject_id));
    if (subject === "user") whose.push(subject_id);
    this.tell({ kind, at, type, subject, subject_id, agent_id }, whose);
  }

  /** What is no change of governance: that an agent fares otherwise. */
  happened({ type, at, subject, subject_id, agent_id, user_id }: HubEvent): void {
    const kind = TOLD[type.split(".", 1)[0] ?? ""];
    if (kind !== "health.changed") return;
    this.tell({ kind, at: timestamp(at), type, subject, subject_id, agent_id }, [user_id]);
  }

  private tell(change: LiveChange, whose: readonly unknown[]): void {
    const { kind } = change;
    const whole = text(change);
    const bare = text({ ...change, subject: null, subject_id: null, agent_id: null });
    this.publish(kind, (to) => {
      if (READING_ROLES.includes(to.role) || whose.includes(to.id)) return whole;
      return FOR_ALL.has(kind) ? bare : null;
    });
  }

  private publish(kind: LiveKind, render: Kept["render"]): void {
    this.seq += 1;
    const kept = { seq: this.seq, kind, render };
    this.ring.push(kept);
    if (this.ring.length > RING) this.ring.shift();
    for (const listener of this.listeners) this.send(listener, kept);
  }

  private send(listener: Listener, { seq, kind, render }: Kept): void {
    const data = render(listener.user);
    if (data === null) return;
    if (listener.send(sentAs(seq, kind, data))) return;
    // It does not read: what it missed it is told when it comes back.
    this.drop(listener);
  }

  private drop(listener: Listener): void {
    // Who was asked twice at a time, or went while being asked, is gone already: a stream ends once.
    if (this.leave(listener)) listener.end();
  }

  /** To be called ten times a second. */
  tick(): void {
    const now = this.deps.now();
    this.flush(now);
    if (this.listeners.size === 0) return;
    if (hasPassed(HEARTBEAT_MS, this.beatAt, now)) {
      this.beatAt = now;
      for (const listener of this.listeners) if (!listener.send(": heartbeat\n\n")) this.drop(listener);
    }
    if (hasPassed(WELCOME_MS, this.askedAt, now)) {
      this.askedAt = now;
      for (const listener of this.listeners) void this.ask(listener);
    }
  }

  private async ask(listener: Listener): Promise<void> {
    // Who cannot be asked about is not let stay.
    const isStillAuthorized = await listener.isStillAuthorized().catch(() => false);
    if (!isStillAuthorized) this.drop(listener);
  }

  private flush(now: number): void {
    if (this.listeners.size === 0 && this.leftAt !== Number.NEGATIVE_INFINITY && now - this.leftAt > LINGER_MS) {
      this.leftAt = Number.NEGATIVE_INFINITY;
      this.forget();
    }
    if (this.pending.size === 0) return;
    const tallies = this.pending;
    this.pending = new Map();
    const at = timestamp(now);
    const all = sumOf([...tallies.values()]);
    if (all.count <= SINGLE) {
      for (const [owner, { calls }] of tallies)
        for (const call of calls) this.calls(at, new Map([[owner, single(call)]]));
    } else this.calls(at, tallies);
  }

  /** A client that reconnects later has missed events. */
  private forget(): void {
    this.ring.length = 0;
    this.seq += 1;
    this.gap = this.seq;
  }

  private calls(at: string, tallies: ReadonlyMap<string, Tally>): void {
    const all = shownCalls(at, sumOf([...tallies.values()]));
    this.publish("call.finished", (to) => {
      if (READING_ROLES.includes(to.role)) return all;
      const own = tallies.get(to.id);
      return own ? shownCalls(at, own) : null;
    });
  }

  /** The hub is stopping: a server that waits for its connections would wait for these for ever. */
  close(): void {
    this.isClosed = true;
    for (const listener of [...this.listeners]) this.drop(listener);
  }

  get size(): number {
    return this.listeners.size;
  }
}

const single = (call: LiveCall): Tally => ({ count: 1, decisions: new Map([[call.decision, 1]]), calls: [call] });

const sumOf = (tallies: readonly Tally[]): Tally => {
  const decisions = new Map<string, number>();
  for (const tally of tallies) {
    for (const [decision, count] of tally.decisions) decisions.set(decision, (decisions.get(decision) ?? 0) + count);
  }
  const calls = tallies.flatMap((tally) => tally.calls).slice(0, NAMED);
  return { count: tallies.reduce((sum, { count }) => sum + count, 0), decisions, calls };
};

const shownCalls = (at: string, { count, decisions, calls }: Tally): string =>
  text({ kind: "call.finished", at, count, decisions: Object.fromEntries(decisions), calls });

const text = (message: LiveMessage): string => JSON.stringify(message);

const sentAs = (seq: number, kind: LiveKind, data: string): string => `id: ${seq}\nevent: ${kind}\ndata: ${data}\n\n`;
