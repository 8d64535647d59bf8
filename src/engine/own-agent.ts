import type { Agent } from "#core/agent";
import type { Caller } from "#core/caller";
import { noAgent } from "#core/ownership";
import type { Directory } from "#engine/directory";

/**
 * The agent a gateway token may ask about: an agent token its own, a human token any of its user's. Another's answers
 * like one that does not exist. Throws `not_found`.
 */
export const ownAgent = (directory: Directory, { agent, user }: Pick<Caller, "agent" | "user">, id: string): Agent => {
  const found = directory.agent(id.toLowerCase());
  const isOwn = agent ? agent.id === found?.id : found?.owner_id === user.id;
  if (found && isOwn) return found;
  throw noAgent("agent_id");
};
