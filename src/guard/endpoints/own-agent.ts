import type { PrincipalCache } from "#identity/principal-cache";
import type { Agent } from "#model/agent";
import { noAgent } from "#model/ownership";
import type { TokenPrincipal } from "#model/principal";

/**
 * The agent a gateway token may ask about: an agent token its own, a human token any of its user's. Another's answers
 * like one that does not exist. Throws `not_found`.
 */
export const ownAgent = (
  principals: PrincipalCache,
  { agent, user }: Pick<TokenPrincipal, "agent" | "user">,
  id: string,
): Agent => {
  const found = principals.agent(id.toLowerCase());
  const isOwn = agent ? agent.id === found?.id : found?.owner_id === user.id;
  if (found && isOwn) return found;
  throw noAgent("agent_id");
};
