import { GuardError } from "#core/errors";
import { canonicalJson, isRecord } from "#core/json/json";
import { parseExact } from "#core/json/json-reader";
import { type Actor, changeRecord } from "#model/change";
import type { Hold } from "#model/hold";
import type { Clock } from "#platform/clock";
import { sha256Hex } from "#platform/hash";
import type { Ids } from "#platform/ids";
import type { Sealing } from "#platform/sealing";
import type { HoldStore } from "#store/governance-port";

/** How long a held call waits for a person, and how long an approval of it is good for, in milliseconds. */
export const HOLD_MS = 15 * 60_000;
/** How long after an answer was let through the call it asks for passes at the tool gateway on the same approval. */
const RELEASED_MS = 5 * 60_000;
/** Calls of one agent that wait at a time. More are nothing that people can look at. */
const MAX_WAITING = 100;

type HoldsNeeds = {
  readonly holds: HoldStore;
  readonly seal: Sealing["seal"];
  readonly now: Clock;
  readonly ids: Ids;
};

/** A call that a person has to approve. */
export type HeldCall = Pick<Hold, "agent_id" | "user_id" | "tool" | "cause" | "layer" | "event_id"> & {
  /** As they will be sent: an object, or JSON text of one. */
  readonly arguments: unknown;
  /** Which tool of the gateway it is, by its approved definition; null for a function of the client's own. */
  readonly pin: string | null;
  /** Where it stands: in a model's answer, or at the tool gateway. */
  readonly at: "answer" | "gateway";
  readonly token_id?: string;
};

/** What an approval is of. */
export type ApprovedCall = Pick<HeldCall, "tool" | "pin" | "arguments">;

/** What the sealed arguments of a hold are bound to. */
export const holdPurpose = (id: string): string => `hold ${id}`;

/** Approvals as of one moment. */
export type HoldApprovals = {
  readonly has: (call: ApprovedCall) => boolean;
  /** False when there is none that nobody else has taken. */
  readonly use: (call: ApprovedCall) => boolean;
};

/**
 * Calls that wait for a person. Each approval lets exactly one call through: the same tool with the same arguments. Of a
 * tool of the gateway that is the call in a model's answer and, for a while, the one that its agent then makes.
 */
export class Holds {
  /** When those made here run out, by agent. */
  private readonly waiting = new Map<string, number[]>();
  /** Approvals that were taken, with when they run out. */
  private readonly taken = new Map<string, number>();
  /** Checks under way: the same call, made twice at once, is held once and passes once. */
  private readonly checks = new Map<string, Promise<unknown>>();

  constructor(private readonly deps: HoldsNeeds) {}

  /**
   * `passes` once for each approval. Otherwise the hold the call waits for, `waiting` or `denied`; it is made when
   * there was none. Throws `rate_limit_exceeded` when too many wait already.
   */
  check(call: HeldCall): Promise<"passes" | { readonly held: Hold }> {
    const args = plainArguments(call.arguments);
    const hash = callHash(call, args);
    const key = `${call.agent_id} ${hash}`;
    const before = this.checks.get(key) ?? Promise.resolve();
    const check = before.then(
      () => this.decide(call, args, hash),
      () => this.decide(call, args, hash),
    );
    this.checks.set(key, check);
    const done = () => {
      if (this.checks.get(key) === check) this.checks.delete(key);
    };
    check.then(done, done);
    return check;
  }

  /**
   * The agent's calls that are approved and not made yet, for who cannot wait to be told. Each approval is taken once;
   * who has taken it must `check` the call, which uses it up.
   */
  async approvedFor(agentId: string): Promise<HoldApprovals> {
    const now = this.deps.now();
    for (const [id, until] of this.taken) if (until <= now) this.taken.delete(id);
    const approved = await this.deps.holds.approvedOf(agentId, now);
    const free = (call: ApprovedCall): Hold | undefined => {
      if (approved.length === 0) return undefined;
      const hash = hashOfCall(call);
      return approved.find(({ id, call_hash }) => call_hash === hash && !this.taken.has(id));
    };
    return {
      has: (call) => free(call) !== undefined,
      use: (call) => {
        const hold = free(call);
        if (hold) this.taken.set(hold.id, hold.expires_at);
        return hold !== undefined;
      },
    };
  }

  private async decide(call: HeldCall, args: unknown, hash: string): Promise<"passes" | { readonly held: Hold }> {
    const { holds, now } = this.deps;
    const { agent_id, tool, pin, at, event_id } = call;
    const released = at === "gateway" && pin !== null ? await holds.releasedOf(agent_id, hash, now()) : null;
    const found = released ?? (await holds.ofCall(agent_id, hash, now()));
    if (found?.state === "approved" || found?.state === "released") {
      const detail = { agent_id, tool, event_id, at };
      if (at === "answer" && pin !== null) {
        const record = this.record("hold.release", call, found.id, detail);
        if (await holds.release(found.id, now(), now() + RELEASED_MS, record)) return "passes";
      } else if (await holds.use(found.id, now(), this.record("hold.use", call, found.id, detail))) return "passes";
    }
    if (found?.state === "waiting" || found?.state === "denied") return { held: found };
    return { held: await this.hold(call, args, hash) };
  }

  private async hold(call: HeldCall, args: unknown, call_hash: string): Promise<Hold> {
    const { agent_id, user_id, tool, cause, layer, event_id } = call;
    const created_at = this.deps.now();
    this.makeRoom(agent_id, created_at);
    const id = this.deps.ids();
    const hold: Hold = {
      id,
      agent_id,
      user_id,
      tool,
      call_hash,
      cause,
      layer,
      event_id,
      sealed_arguments: this.deps.seal(holdPurpose(id), JSON.stringify(args) ?? "null"),
      state: "waiting",
      created_at,
      expires_at: created_at + HOLD_MS,
      decided_by: null,
      decided_at: null,
    };
    const detail = { agent_id, tool, call_hash, cause, layer, event_id };
    await this.deps.holds.create(hold, this.record("hold.create", call, id, detail));
    return hold;
  }

  /** Stops an agent that fills the list until nobody reads it any more. */
  private makeRoom(agentId: string, now: number): void {
    const waiting = (this.waiting.get(agentId) ?? []).filter((until) => until > now);
    if (waiting.length >= MAX_WAITING) {
      throw new GuardError(
        "rate_limit_exceeded",
        `${MAX_WAITING} calls of this agent are already held for approval. Decide on those first.`,
        {
          headers: { "retry-after": "60" },
        },
      );
    }
    waiting.push(now + HOLD_MS);
    this.waiting.set(agentId, waiting);
  }

  private record(kind: string, call: HeldCall, id: string, detail: Readonly<Record<string, unknown>>): string {
    const { user_id, agent_id, token_id = null } = call;
    const by: Actor = { via: "token", user_id, agent_id, token_id };
    return changeRecord(
      { kind, by, subject: "hold", subject_id: id, detail },
      { id: this.deps.ids(), at: this.deps.now() },
    );
  }
}

/** What tells a call from any other: tool, which one it is, and arguments. */
export const hashOfCall = (call: ApprovedCall): string => callHash(call, plainArguments(call.arguments));

/** A model writes arguments as text, a client sends them as an object: the same call either way. */
const plainArguments = (given: unknown): unknown => {
  if (typeof given !== "string") return given ?? {};
  const parsed = parseExact(given);
  return isRecord(parsed) ? parsed : given;
};

/** The order of names does not matter, anything else does. */
const callHash = ({ tool, pin }: Pick<ApprovedCall, "tool" | "pin">, args: unknown): string =>
  sha256Hex(canonicalJson({ tool, arguments: args, ...(pin !== null && { pin }) }));
