import type { Agent } from "#core/agent";
import type { User } from "#core/person";
import type { Token } from "#core/token";

/** Who asks, after authentication. An agent token names its agent; a human token none. */
export type Caller = {
  readonly user: User;
  readonly token: Token;
  readonly agent: Agent | null;
};
