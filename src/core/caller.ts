import type { Agent } from "#core/agent";
import type { User } from "#core/person";
import type { Token } from "#core/token";
import type { ToolAllowlist } from "#core/tool-scope";

/** Who asks, after authentication. An agent token names its agent; a human token none. */
export type Caller = {
  readonly user: User;
  readonly token: Token;
  readonly agent: Agent | null;
  /** The program that a person let in, where one asks in their name; and what it may use. */
  readonly client?: { readonly id: string; readonly tools: ToolAllowlist };
};

/** Whose call it is: a caller's with a token, or a person's with a session, who asks for themselves. */
export type Asker = Pick<Caller, "user" | "agent" | "client"> &
  ({ readonly token: Pick<Token, "id" | "hash"> } | { readonly token: null; readonly session_id: string });
