import { GuardError } from "#core/errors";
import { parseExact } from "#core/json/json-reader";
import type { PageWindow } from "#core/page";
import { holdPurpose } from "#guard/enforcement/holds";
import { type Actor, changeRecord, personActor } from "#model/change";
import type { Hold } from "#model/hold";
import { READING_ROLES } from "#model/ownership";
import type { Role } from "#model/person";
import type { Person } from "#model/session";
import { type Clock, timestamp } from "#platform/clock";
import { type Ids, isUuid } from "#platform/ids";
import type { Sealing } from "#platform/sealing";
import type { HoldFilter, HoldStore } from "#store/governance-port";
import type { AgentStore, UserStore } from "#store/port";
import type { HoldResponse, OpenedHold } from "./schema";

type HoldServiceNeeds = {
  readonly holds: HoldStore;
  readonly agents: Pick<AgentStore, "byId">;
  readonly users: Pick<UserStore, "byId">;
  /** Of the profile in force; null without one. */
  readonly tierOf: (agentId: string) => string | null;
  readonly unseal: Sealing["unseal"];
  /** Resolves when the record is on disk. */
  readonly writeRecord: (line: string) => Promise<void>;
  readonly now: Clock;
  readonly ids: Ids;
};

type Wanted = Pick<HoldFilter, "agent_id" | "state">;

/** What was let through in an answer was used, whether or not its tool was called. */
const STATES_WHEN_OVER: Partial<Record<Hold["state"], HoldResponse["state"]>> = {
  waiting: "expired",
  approved: "expired",
  released: "used",
};

const DECIDE_ALL: readonly Role[] = ["admin", "reviewer", "analyst"];

/** Calls that wait for a person, and what people decide about them. */
export class HoldService {
  constructor(private readonly deps: HoldServiceNeeds) {}

  /** Newest first: of one's own agents, or of all for who looks after them. */
  async page({ user }: Person, wanted: Wanted, window: PageWindow): Promise<HoldResponse[]> {
    const user_id = READING_ROLES.includes(user.role) ? undefined : user.id;
    const holds = await this.deps.holds.page({ ...wanted, user_id, now: this.deps.now() }, window);
    return holds.map((hold) => this.shown(hold));
  }

  /** Who may decide sees what the tool would be given; that somebody has seen it is on record. Throws `not_found`. */
  async open(person: Person, id: string): Promise<OpenedHold> {
    const hold = await this.visible(person, id);
    const may_decide = await this.mayDecide(person, hold);
    const shown = { ...this.shown(hold), ...(await this.names(hold)), may_decide };
    if (!may_decide) return { ...shown, arguments: null };
    const { agent_id, tool } = hold;
    await this.deps.writeRecord(this.record("hold.read", personActor(person), hold.id, { agent_id, tool }));
    const opened = this.deps.unseal(holdPurpose(hold.id), hold.sealed_arguments);
    return { ...shown, arguments: parseExact(opened) ?? null };
  }

  /** Throws `not_found`, `insufficient_scope`; `state_conflict` for what was decided already or has run out. */
  async decide(
    person: Person,
    id: string,
    decision: { readonly state: "approved" | "denied"; readonly reason: string | null },
  ): Promise<HoldResponse> {
    const hold = await this.visible(person, id);
    if (!(await this.mayDecide(person, hold))) {
      throw new GuardError(
        "insufficient_scope",
        "Only the agent's owner, reviewers, analysts and administrators may do this.",
      );
    }
    const { state, reason } = decision;
    const detail = { state, reason, agent_id: hold.agent_id, tool: hold.tool, event_id: hold.event_id };
    const record = this.record("hold.decide", personActor(person), hold.id, detail);
    const done = { state, by: person.user.id, at: this.deps.now() };
    const isDecided = await this.deps.holds.decide(hold.id, done, record);
    const after = await this.visible(person, id);
    if (isDecided) return this.shown(after);
    throw new GuardError("state_conflict", `The call is no longer held: it is ${this.shown(after).state}.`);
  }

  /** Somebody else's answers as one that does not exist. */
  private async visible({ user }: Person, id: string): Promise<Hold> {
    const hold = isUuid(id) ? await this.deps.holds.byId(id.toLowerCase()) : null;
    if (hold && (READING_ROLES.includes(user.role) || (await this.owns(user.id, hold)))) return hold;
    throw new GuardError("not_found", "There is no such held call.", { param: "id" });
  }

  private async names({ agent_id, user_id }: Hold) {
    const { agents, users, tierOf } = this.deps;
    const user = await users.byId(user_id);
    const agent = (await agents.byId(agent_id))?.name ?? agent_id;
    return { agent, asked_by: user?.email ?? user_id, risk_tier: tierOf(agent_id) };
  }

  private async mayDecide({ user }: Person, hold: Hold): Promise<boolean> {
    return DECIDE_ALL.includes(user.role) || (await this.owns(user.id, hold));
  }

  private async owns(userId: string, { agent_id }: Hold): Promise<boolean> {
    return (await this.deps.agents.byId(agent_id))?.owner_id === userId;
  }

  private shown({ sealed_arguments: _, ...hold }: Hold): HoldResponse {
    const { created_at, expires_at, decided_at } = hold;
    const isOver = this.deps.now() >= expires_at;
    return {
      ...hold,
      state: isOver ? (STATES_WHEN_OVER[hold.state] ?? hold.state) : hold.state,
      created_at: timestamp(created_at),
      expires_at: timestamp(expires_at),
      decided_at: decided_at === null ? null : timestamp(decided_at),
    };
  }

  private record(kind: string, by: Actor, id: string, detail: Readonly<Record<string, unknown>>): string {
    return changeRecord(
      { kind, by, subject: "hold", subject_id: id, detail },
      { id: this.deps.ids(), at: this.deps.now() },
    );
  }
}
