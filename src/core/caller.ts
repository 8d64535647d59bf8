import type { Agent } from "#core/agent";
import { GuardError } from "#core/errors";
import type { User } from "#core/person";
import type { Token } from "#core/token";

/** Who asks, after authentication. An agent token names its agent; a human token none. */
export type Caller = {
  readonly user: User;
  readonly token: Token;
  readonly agent: Agent | null;
};

/** A suspended agent may do nothing at all. Throws `agent_suspended`. */
export const mustBeActive = ({ agent }: Caller): void => {
  if (agent?.lifecycle !== "suspended") return;
  throw new GuardError("agent_suspended", "This agent is suspended. Its owner or an admin can resume it.");
};
