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
  /**
   * Of a call that a hook source tells of. `token` then stands for the source: nobody holds it. `external`: who made the
   * call, as the source names them, where the hub does not know them.
   */
  readonly source?: { readonly external: string | null };
};

/** Whose call it is: a caller's with a token, or a person's with a session, who asks for themselves. */
export type Principal = Pick<TokenPrincipal, "user" | "agent" | "client" | "source"> &
  ({ readonly token: Pick<Token, "id" | "hash"> } | { readonly token: null; readonly session_id: string });

/** Who it was, as an audit record says it: ids only. */
export const actorOf = (principal: Principal): AuditRecord["actor"] => {
  const { user, agent, client, token, source } = principal;
  const who = { user_id: user.id, agent_id: agent?.id ?? null };
  if (token === null) return { via: "session", ...who, token_id: null, session_id: principal.session_id };
  if (source) {
    const { external } = source;
    return { via: "source", ...who, token_id: token.id, ...(external !== null && { external }) };
  }
  return { via: "token", ...who, token_id: token.id, ...(client && { client_id: client.id }) };
};
