import { GuardError } from "#core/errors";
import type { Agent } from "#model/agent";
import type { Role, User } from "#model/person";

/** Who may read all agents, and what was decided about them. */
export const READING_ROLES: readonly Role[] = ["admin", "reviewer", "analyst", "auditor"];

/** Whether somebody may see an agent. To everybody else it does not exist. */
export const maySee = (user: User, agent: Pick<Agent, "owner_id">): boolean =>
  agent.owner_id === user.id || READING_ROLES.includes(user.role);

/** Who asked, of a call. */
type CallActor = { readonly user_id: string | null; readonly agent_id: string | null };
type SeenActor = CallActor & { readonly via: string };

/**
 * Whose a call is, wherever people look at calls: of an agent's calls its present owner, of all others the user who made
 * them. Null for nobody's. Somebody who hands an agent on hands on what it did.
 */
export const ownerOfCall = (
  { user_id, agent_id }: CallActor,
  ownerOf: (agentId: string) => string | null,
): string | null => (agent_id === null ? user_id : ownerOf(agent_id));

/**
 * Whether somebody disputes a call, and reads it. What a hook source tells of is its person's too, not only of who has the
 * agent; administrators dispute for people that the hub does not know.
 */
export const isTheirCall = (
  { id, role }: Pick<User, "id" | "role">,
  actor: SeenActor,
  ownerOf: (agentId: string) => string | null,
): boolean => {
  if (ownerOfCall(actor, ownerOf) === id) return true;
  return actor.via === "source" && (actor.user_id === id || role === "admin");
};

/** The same rule as the index asks for it; null for who may read all. */
export const callScopeOf = (
  { id, role }: User,
  agents: Iterable<Agent>,
): { readonly user_id: string; readonly agent_ids: readonly string[] } | null => {
  if (READING_ROLES.includes(role)) return null;
  const own = [...agents].filter(({ owner_id }) => owner_id === id);
  return { user_id: id, agent_ids: own.map((agent) => agent.id) };
};

/** Whether somebody may read what is kept of calls: whose they are, and who decides about disputes. */
export const mayReadContent = (user: User, { owner_id }: Pick<Agent, "owner_id">): boolean =>
  owner_id === user.id || user.role === "admin" || user.role === "reviewer";

/** Whether somebody may change an agent: its owner, and administrators. */
export const mayChange = (user: User, agent: Pick<Agent, "owner_id">): boolean =>
  agent.owner_id === user.id || user.role === "admin";

/** `param`: what of the request named the agent. */
export const noAgent = (param = "id"): GuardError => new GuardError("not_found", "There is no such agent.", { param });

/** Retiring is final: nothing about the agent changes any more. Throws `state_conflict`. */
export const mustNotBeRetired = ({ lifecycle }: Pick<Agent, "lifecycle">): void => {
  if (lifecycle === "retired") throw new GuardError("state_conflict", "This agent is retired for good.");
};
