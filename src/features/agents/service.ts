import { GuardError } from "#core/errors";
import type { PageWindow } from "#core/page";
import { emailsFor } from "#identity/names";
import type { Agent } from "#model/agent";
import { type Actor, changeRecord } from "#model/change";
import { mustNotBeRetired } from "#model/ownership";
import { goodName, MAX_NAME_LENGTH, type User } from "#model/person";
import { type ActorContext, notTheirsToLift, rightsLifted } from "#model/suspension";
import type { Clock } from "#platform/clock";
import { type Ids, isUuid } from "#platform/ids";
import type { AgentPatch } from "#store/governance-port";
import type { AgentStore, TokenStore, ToolServerStore, UserStore } from "#store/port";
import type { AgentChange, AgentResponse, NewAgent } from "./schema";
import { agentResponse, peopleOf } from "./schema";

/** A new owner has this long to have the agent reviewed again. */
const REVIEW_AFTER_TRANSFER_MS = 30 * 86_400_000;

type AgentServiceNeeds = {
  readonly agents: AgentStore;
  readonly users: UserStore;
  readonly tokens: Pick<TokenStore, "ofAgent" | "revoke">;
  readonly tools: Pick<ToolServerStore, "assignments" | "unassign">;
  readonly now: Clock;
  readonly ids: Ids;
};

/** Agents: who answers for them, and whether they run at all. Every change writes its audit record. */
export class AgentService {
  constructor(private readonly deps: AgentServiceNeeds) {}

  /** Null for none of that id. */
  async byId(id: string): Promise<Agent | null> {
    return isUuid(id) ? this.deps.agents.byId(id.toLowerCase()) : null;
  }

  /** One owner's, or everybody's for null, for who may see them. Newest first. */
  async page(ownerId: string | null, window: PageWindow, words?: string): Promise<AgentResponse[]> {
    return this.allShown(await this.deps.agents.page(ownerId, window, words));
  }

  async shown(agent: Agent): Promise<AgentResponse> {
    const emails = await emailsFor(this.deps.users, peopleOf(agent));
    return agentResponse(agent, emails, this.deps.now());
  }

  private async allShown(agents: readonly Agent[]): Promise<AgentResponse[]> {
    const emails = await emailsFor(this.deps.users, agents.flatMap(peopleOf));
    return agents.map((agent) => agentResponse(agent, emails, this.deps.now()));
  }

  /** Throws `invalid_value`, `already_exists`. */
  async create(by: Actor, owner: User, wanted: Omit<NewAgent, "owner">): Promise<Agent> {
    const agent: Agent = {
      id: this.deps.ids(),
      name: agentName(wanted.name),
      owner_id: owner.id,
      sponsor_id: (await this.sponsorFor(owner.id, wanted.sponsor)) ?? null,
      description: wanted.description ?? null,
      environment: wanted.environment ?? null,
      review_status: "draft",
      lifecycle: "active",
      suspension: null,
      profile_version: null,
      review_due_at: null,
      created_at: this.deps.now(),
    };
    const record = this.record(by, "agent.create", agent.id, { name: agent.name, owner_id: owner.id });
    if (!(await this.deps.agents.create(agent, record))) throw nameTaken(owner.email);
    return agent;
  }

  /**
   * Throws `invalid_value`, `already_exists`, `state_conflict`. A new owner means that the old one's tokens and tool
   * servers let go of the agent, and that it is due for review: who answers for it is part of what was approved.
   */
  async update(
    by: Actor,
    agent: Agent,
    { name, owner, sponsor, description, environment }: AgentChange,
  ): Promise<Agent> {
    mustNotBeRetired(agent);
    const next = owner === undefined ? null : await this.userNamed(owner, "owner");
    const ownerId = next?.id ?? agent.owner_id;
    const isTransfer = ownerId !== agent.owner_id;
    const sponsorId = await this.sponsorFor(ownerId, sponsor);
    if (sponsorId === undefined && agent.sponsor_id === ownerId) throw sponsorIsOwner();
    const patch: AgentPatch = {
      ...(name !== undefined && { name: agentName(name) }),
      ...(description !== undefined && { description }),
      ...(environment !== undefined && { environment }),
      ...(sponsorId !== undefined && { sponsor_id: sponsorId }),
      ...(isTransfer && { owner_id: ownerId, ...this.dueSoon(agent) }),
    };
    if (isTransfer && (await this.deps.agents.byName(ownerId, patch.name ?? agent.name)))
      throw nameTaken(next?.email ?? "");
    // First, so that a crash in between leaves nobody with a token to somebody else's agent.
    if (isTransfer) await this.letGo(by, agent);
    await this.patch(by, "agent.update", agent, patch, changedIn(patch));
    return { ...agent, ...patch };
  }

  /**
   * From the next call on it may do nothing. Again is no change, but that who stands above the owner makes it theirs.
   * Throws `state_conflict`.
   */
  async suspend({ by, right }: ActorContext, agent: Agent, reason: string | null): Promise<Agent> {
    mustNotBeRetired(agent);
    const suspension = { right, by: by.user_id, at: this.deps.now() };
    await this.deps.agents.suspend(agent.id, suspension, this.record(by, "agent.suspend", agent.id, { reason, right }));
    return this.asItIs(agent);
  }

  /** Throws `state_conflict`, and `insufficient_scope` for an owner who would resume what others suspended. */
  async resume(actor: ActorContext, agent: Agent, reason: string | null): Promise<Agent> {
    mustNotBeRetired(agent);
    const record = this.record(actor.by, "agent.resume", agent.id, { reason });
    await this.deps.agents.resume(agent.id, rightsLifted(actor), record);
    const now = await this.asItIs(agent);
    if (now.lifecycle === "suspended") throw notTheirsToLift("Suspending this agent");
    return now;
  }

  /**
   * The end of an agent: its tokens open nothing any more and no tool is assigned to it; what it did stays on record.
   * Again finishes what a crash left undone. Throws `invalid_value` when the name was not typed out.
   */
  async retire(by: Actor, agent: Agent, confirm: string): Promise<Agent> {
    if (confirm !== agent.name) {
      throw new GuardError("invalid_value", "Retiring is final: set confirm to the agent's name.", {
        param: "confirm",
      });
    }
    if (agent.lifecycle !== "retired") await this.patch(by, "agent.retire", agent, { lifecycle: "retired" }, {});
    await this.letGo(by, agent);
    return { ...agent, lifecycle: "retired" };
  }

  private async asItIs(agent: Agent): Promise<Agent> {
    return (await this.deps.agents.byId(agent.id)) ?? agent;
  }

  /** Revokes its tokens and takes its tools away. */
  private async letGo(by: Actor, { id }: Agent): Promise<void> {
    const { tokens, tools } = this.deps;
    for (const token of await tokens.ofAgent(id)) {
      if (token.state === "revoked") continue;
      const detail = { from: token.state, to: "revoked", agent_id: id };
      await tokens.revoke(token.id, this.recordOf(by, "token.revoke", "token", token.id, detail));
    }
    for (const { server_id } of await tools.assignments({ agent_id: id })) {
      const record = this.recordOf(by, "tool_server.unassign", "tool_server", server_id, { agent_id: id });
      await tools.unassign(id, server_id, record);
    }
  }

  private dueSoon({ profile_version, review_due_at }: Agent): AgentPatch {
    if (profile_version === null) return {};
    const soon = this.deps.now() + REVIEW_AFTER_TRANSFER_MS;
    return { review_due_at: Math.min(review_due_at ?? soon, soon) };
  }

  /** Their id; null to have none; undefined for no change. Throws `invalid_value`. */
  private async sponsorFor(ownerId: string, email: string | null | undefined): Promise<string | null | undefined> {
    if (email === null || email === undefined) return email;
    const { id } = await this.userNamed(email, "sponsor");
    if (id === ownerId) throw sponsorIsOwner();
    return id;
  }

  private async userNamed(email: string, param: string): Promise<User> {
    const user = await this.deps.users.byEmail(email.trim());
    if (!user) throw new GuardError("invalid_value", `${param}: there is no user with that e-mail address.`, { param });
    return user;
  }

  private async patch(
    by: Actor,
    kind: string,
    { id, owner_id }: Agent,
    patch: AgentPatch,
    detail: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    if (await this.deps.agents.update(id, patch, this.record(by, kind, id, detail))) return;
    const holder = patch.owner_id ?? owner_id;
    throw nameTaken((await emailsFor(this.deps.users, [holder]))(holder));
  }

  private record(by: Actor, kind: string, id: string, detail: Readonly<Record<string, unknown>>): string {
    return this.recordOf(by, kind, "agent", id, detail);
  }

  private recordOf(
    by: Actor,
    kind: string,
    subject: string,
    subject_id: string,
    detail: Readonly<Record<string, unknown>>,
  ): string {
    return changeRecord({ kind, by, subject, subject_id, detail }, { id: this.deps.ids(), at: this.deps.now() });
  }
}

/** Of words people write the record says only that they changed. */
const changedIn = ({ name, owner_id, sponsor_id, ...rest }: AgentPatch): Readonly<Record<string, unknown>> => ({
  ...(name !== undefined && { name }),
  ...(owner_id !== undefined && { owner_id }),
  ...(sponsor_id !== undefined && { sponsor_id }),
  changed: Object.keys(rest),
});

/** For people, so spaces are fine; never like an id, since commands take either. */
const agentName = (text: string): string => {
  const name = goodName(text);
  if (name !== null && !isUuid(name)) return name;
  const why = name === null ? "is empty" : "has the form of an id";
  throw new GuardError(
    "invalid_value",
    `The name ${why}. A name has 1 to ${MAX_NAME_LENGTH} characters, spaces allowed, and not the form of an id`,
    { param: "name" },
  );
};

const nameTaken = (email: string): GuardError =>
  new GuardError("already_exists", `${email} already has an agent of that name. Choose another name.`, {
    param: "name",
  });

const sponsorIsOwner = (): GuardError =>
  new GuardError(
    "invalid_value",
    "The sponsor must not be the owner: the sponsor is responsible when the owner leaves.",
    {
      param: "sponsor",
    },
  );
