import type { Agent } from "#core/agent";
import type { Caller } from "#core/caller";
import { GuardError } from "#core/errors";
import type { Directory } from "#engine/directory";

/**
 * The agent a gateway token may ask about: an agent token its own, a human token any of its user's. Another's answers
 * like one that does not exist. Throws `not_found`.
 */
export const ownAgent = (
  directory: Directory,
  { agent, user }: Pick<Caller, "agent" | "user">,
  agentId: string,
): Agent => {
  const found = directory.agent(agentId);
  const isOwn = agent ? agent.id === agentId : found?.owner_id === user.id;
  if (found && isOwn) return found;
  throw new GuardError("not_found", "There is no such agent.", { param: "agent_id" });
};
