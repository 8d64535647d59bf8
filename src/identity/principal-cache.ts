import type { Agent } from "#model/agent";
import { emailKey, isPlainEmail, type User } from "#model/person";
import type { TokenPrincipal } from "#model/principal";
import { isOpen, looksLikeSessionKey, type Person, type PersonSession, type Session } from "#model/session";
import { isUsable, looksLikeToken, type Token } from "#model/token";
import type { Clock } from "#platform/clock";
import { secretHash } from "#platform/hash";
import type { FeedChanges, TokenStore } from "#store/port";

/**
 * Everybody who may call, in memory: a token is checked by its shape, hashed and looked up, without the database.
 * Kept fresh by the change feed.
 */
export class PrincipalCache {
  private readonly users = new Map<string, User>();
  private readonly emails = new Map<string, string>();
  private readonly agents = new Map<string, Agent>();
  private readonly tokens = new Map<string, Token>();
  private readonly sessions = new Map<string, Session>();
  revision = 0;

  constructor(
    private readonly now: Clock,
    private readonly uses: { note(tokenId: string, at: number): void } | null = null,
  ) {}

  apply(changes: FeedChanges): void {
    for (const user of changes.users) this.applyUser(user);
    for (const agent of changes.agents) this.agents.set(agent.id, agent);
    for (const token of changes.tokens) this.tokens.set(token.hash, token);
    for (const session of changes.sessions) this.sessions.set(session.hash, session);
    this.revision = changes.revision;
  }

  private applyUser(user: User): void {
    const before = this.users.get(user.id);
    if (before) this.emails.delete(emailKey(before.email));
    this.users.set(user.id, user);
    this.emails.set(emailKey(user.email), user.id);
  }

  /** Null for anything that authenticates nobody: unknown, malformed, expired, revoked and disabled look the same. */
  authenticate(bearer: string): TokenPrincipal | null {
    if (!looksLikeToken(bearer)) return null;
    const token = this.tokens.get(secretHash(bearer));
    const now = this.now();
    if (!token || !isUsable(token, now)) return null;
    const caller = this.callerOf(token);
    if (caller) this.uses?.note(token.id, now);
    return caller;
  }

  /** Whether a token that was valid at `since` still is; one that has only expired meanwhile counts as valid. */
  isStillAuthorized({ hash }: Pick<Token, "hash">, since: number): boolean {
    const token = this.tokens.get(hash);
    return token !== undefined && isUsable(token, since) && this.callerOf(token) !== null;
  }

  /** A person by their session key; null for anything that authenticates nobody. */
  authenticatePerson(bearer: string): Person | null {
    if (!looksLikeSessionKey(bearer)) return null;
    const session = this.sessions.get(secretHash(bearer));
    if (!session || !isOpen(session, this.now())) return null;
    return this.personOf({ ...session, confirmed_at: null });
  }

  /** Whose session it is, as a person; null when they are gone or disabled. */
  personOf(session: PersonSession & { readonly user_id: string }): Person | null {
    const user = this.activeUser(session.user_id);
    if (!user) return null;
    const { id, created_at, expires_at, confirmed_at } = session;
    return { user, session: { id, created_at, expires_at, confirmed_at } };
  }

  /** Whether somebody could come in who may let others in. */
  get hasAdmin(): boolean {
    return this.users.values().some(({ role, state }) => role === "admin" && state === "active");
  }

  private callerOf(token: Token): TokenPrincipal | null {
    const user = this.activeUser(token.user_id);
    if (!user) return null;
    if (token.agent_id === null) return { user, token, agent: null };
    const agent = this.agents.get(token.agent_id);
    // A token whose agent is gone, or is another's now, is no human token: it opens nothing.
    return agent && agent.lifecycle !== "retired" && agent.owner_id === user.id ? { user, token, agent } : null;
  }

  /** Null for unknown and disabled users. */
  activeUser(id: string): User | null {
    const user = this.users.get(id);
    return user?.state === "active" ? user : null;
  }

  agent(id: string): Agent | null {
    return this.agents.get(id) ?? null;
  }

  /** Also who is disabled. */
  user(id: string): User | null {
    return this.users.get(id) ?? null;
  }

  /** Also who is disabled. Null for what is no plain address: others might read it as another. */
  userByEmail(email: string): User | null {
    return isPlainEmail(email) ? this.user(this.emails.get(emailKey(email)) ?? "") : null;
  }

  /** Also retired ones. */
  agentsOf(ownerId: string): Agent[] {
    return this.agents
      .values()
      .filter(({ owner_id }) => owner_id === ownerId)
      .toArray();
  }

  /** Also retired ones. */
  allAgents(): Agent[] {
    return [...this.agents.values()];
  }
}

/**
 * When tokens were last used, in memory: noting it is all a call pays. What is news is written once in a while, so
 * that a busy token costs one row a minute and not one a call.
 */
export class TokenUses {
  private readonly seen = new Map<string, number>();
  private readonly stored = new Map<string, number>();

  constructor(private readonly tokens: Pick<TokenStore, "noteUses">) {}

  note(tokenId: string, at: number): void {
    this.seen.set(tokenId, at);
  }

  /** By this process since it began; null for not at all. */
  last(tokenId: string): number | null {
    return this.seen.get(tokenId) ?? null;
  }

  /** To be called every minute, and at the end. What could not be written is news the next time too. */
  async flush(): Promise<void> {
    const news = [...this.seen].filter(([id, at]) => this.stored.get(id) !== at);
    await this.tokens.noteUses(news.map(([token_id, at]) => ({ token_id, at })));
    for (const [id, at] of news) this.stored.set(id, at);
  }
}
