import type { Agent } from "#model/agent";
import type { AuditRecord } from "#model/audit";
import type { User } from "#model/person";
import type { Token } from "#model/token";
import type { ToolAllowlist } from "#model/tools/tool-scope";

/** Who asks, after authentication. An agent token names its agent; a human token none. */
export type TokenPrincipal = {
  readonly user: User;
  readonly token: Token;
  readonly agent: Agent | null;
  /** The program that a person let in, where one asks in their name; and what it may use. */
  readonly client?: { readonly id: string; readonly tools: ToolAllowlist };
};

/** Whose call it is: a caller's with a token, or a person's with a session, who asks for themselves. */
export type Principal = Pick<TokenPrincipal, "user" | "agent" | "client"> &
  ({ readonly token: Pick<Token, "id" | "hash"> } | { readonly token: null; readonly session_id: string });

/** Who it was, as an audit record says it: ids only. */
export const actorOf = (principal: Principal): AuditRecord["actor"] => {
  const { user, agent, client, token } = principal;
  const who = { user_id: user.id, agent_id: agent?.id ?? null };
  if (token === null) return { via: "session", ...who, token_id: null, session_id: principal.session_id };
  return { via: "token", ...who, token_id: token.id, ...(client && { client_id: client.id }) };
};
