import { KEY_RANDOM_BYTES } from "#core/checksums";
import { GuardError } from "#core/errors";
import type { Agent } from "#model/agent";
import { type Actor, type Change, changeRecord } from "#model/change";
import { goodEmail, goodName, goodPassword, type Role, type User } from "#model/person";
import { type ActorContext, notTheirsToLift, rightsLifted } from "#model/suspension";
import { displayOf, looksLikeToken, mintToken, type Token } from "#model/token";
import type { Clock } from "#platform/clock";
import { hashPassword, secretHash } from "#platform/hash";
import { type Ids, isUuid } from "#platform/ids";
import type { AgentStore, TokenLimit, TokenStore, UserStore } from "#store/port";

type AccessServiceNeeds = {
  readonly users: UserStore;
  readonly agents: AgentStore;
  readonly tokens: TokenStore;
  readonly now: Clock;
  readonly ids: Ids;
  readonly random?: (bytes: number) => Uint8Array;
};

export type NewUser = {
  readonly email: string;
  readonly name: string | null;
  readonly role: Role;
  readonly password: string | null;
};
export type NewToken = {
  readonly user: User;
  readonly agent: Agent | null;
  readonly name: string | null;
  /** How long it is good for, in milliseconds; null for ever. */
  readonly lifetimeMs: number | null;
};
/** The secret is shown once and kept nowhere. */
export type IssuedToken = { readonly token: Token; readonly secret: string };

/** What a person can do to a token's state. Revoked is final. */
const TOKEN_MOVES = { disable: "disabled", enable: "active", revoke: "revoked" } as const;
export type TokenMove = keyof typeof TOKEN_MOVES;

/** Users, their agents and their tokens. Every change writes its audit record in the same step. */
export class AccessService {
  constructor(private readonly deps: AccessServiceNeeds) {}

  /** Null when the address is taken. Throws `invalid_value`. */
  async createUser(by: Actor, { email, name, role, password }: NewUser): Promise<User | null> {
    const address = goodEmail(email);
    if (password !== null) goodPassword(password);
    const user: User = {
      id: this.deps.ids(),
      email: address,
      name: goodName(name),
      role,
      state: "active",
      created_at: this.deps.now(),
    };
    const record = this.record(by, "user.create", "user", user.id, {
      email: address,
      role,
      password: password !== null,
    });
    const hash = password === null ? null : await hashPassword(password);
    return (await this.deps.users.create(user, hash, record)) ? user : null;
  }

  /** Throws `not_found`. */
  async userByEmail(email: string): Promise<User> {
    const user = await this.deps.users.byEmail(email.trim());
    if (!user) throw new GuardError("not_found", `There is no user ${email}`, { param: "email" });
    return user;
  }

  /** Null when the owner has an agent of that name. Throws `invalid_value`. */
  async createAgent(by: Actor, owner: User, name: string): Promise<Agent | null> {
    const good = goodName(name);
    if (good === null || isUuid(good)) throw invalid("name", "must be a name, not an id");
    const agent: Agent = {
      id: this.deps.ids(),
      name: good,
      owner_id: owner.id,
      sponsor_id: null,
      description: null,
      environment: null,
      review_status: "draft",
      lifecycle: "active",
      suspension: null,
      profile_version: null,
      review_due_at: null,
      created_at: this.deps.now(),
    };
    const record = this.record(by, "agent.create", "agent", agent.id, { name: good, owner_id: owner.id });
    return (await this.deps.agents.create(agent, record)) ? agent : null;
  }

  /** By id, or by name among an owner's agents. Throws `not_found`, and `invalid_value` for a name without owner. */
  async agent(idOrName: string, ownerEmail: string | null): Promise<Agent> {
    if (!isUuid(idOrName) && ownerEmail === null) throw invalid("agent", "is a name, so its owner is needed too");
    const owner = ownerEmail === null ? null : await this.userByEmail(ownerEmail);
    const agent = isUuid(idOrName)
      ? await this.deps.agents.byId(idOrName.toLowerCase())
      : owner && (await this.deps.agents.byName(owner.id, idOrName));
    // An agent of somebody else answers as one that does not exist.
    if (!agent || (owner && agent.owner_id !== owner.id)) {
      const whose = owner ? ` of ${owner.email}` : "";
      throw new GuardError("not_found", `There is no agent ${idOrName}${whose}`, { param: "agent" });
    }
    return agent;
  }

  /** Throws `state_conflict` when the holder has `most` already; the command line has no limit. */
  async issueToken(by: Actor, wanted: NewToken, most: number | null = null): Promise<IssuedToken> {
    const secret = this.mint();
    const token = this.tokenOf(secret, wanted);
    const limit: TokenLimit | undefined = most === null ? undefined : { most, at: this.deps.now() };
    const outcome = await this.deps.tokens.create(token, this.tokenRecord(by, "token.create", token), limit);
    if (outcome === "full") {
      throw new GuardError("state_conflict", `The limit of ${most} tokens is reached. Revoke one first.`);
    }
    // 190 bits of chance: broken randomness
    if (outcome === "taken") throw new Error("a new token met the hash of an old one");
    return { token, secret };
  }

  /** Takes in a token made elsewhere. Null when it is here already. Throws `invalid_value`. */
  async importToken(by: Actor, secret: string, wanted: NewToken): Promise<Token | null> {
    if (!looksLikeToken(secret)) throw invalid("token", "has not the form of a gateway token (gw-live-… or gwk_…)");
    const token = this.tokenOf(secret, wanted);
    const outcome = await this.deps.tokens.create(token, this.tokenRecord(by, "token.import", token));
    return outcome === "done" ? token : null;
  }

  /** Throws `not_found`. */
  async token(id: string): Promise<Token> {
    const token = isUuid(id) ? await this.deps.tokens.byId(id.toLowerCase()) : null;
    if (!token) throw new GuardError("not_found", `There is no token ${id}`, { param: "id" });
    return token;
  }

  /**
   * The token as it is now; null when its state does not allow the move. A move already made is no change, but that who
   * stands above the owner makes it theirs. Throws `not_found`, and `insufficient_scope` for an owner who would enable
   * what others disabled.
   */
  async moveToken(actor: ActorContext, id: string, move: TokenMove): Promise<Token | null> {
    const before = await this.token(id);
    const detail = { from: before.state, to: TOKEN_MOVES[move], ...(move === "disable" && { right: actor.right }) };
    const record = this.record(actor.by, `token.${move}`, "token", before.id, detail);
    if (await this.moved(actor, before.id, move, record)) {
      return { ...before, state: TOKEN_MOVES[move] };
    }
    const now = await this.token(id);
    if (now.state === TOKEN_MOVES[move]) return now;
    if (move === "enable" && now.state === "disabled") throw notTheirsToLift("Disabling this token");
    return null;
  }

  private moved(actor: ActorContext, id: string, move: TokenMove, record: string): Promise<boolean> {
    const { tokens, now } = this.deps;
    if (move === "enable") return tokens.enable(id, rightsLifted(actor), record);
    if (move === "revoke") return tokens.revoke(id, record);
    return tokens.disable(id, { right: actor.right, by: actor.by.user_id, at: now() }, record);
  }

  /**
   * A new token in place of an active one, which works on for `graceMs`. The new one lives as long as the old
   * one was meant to, counted from now. Null when the old one is not active. Throws `not_found`.
   */
  async rotateToken(by: Actor, id: string, graceMs: number): Promise<(IssuedToken & { oldEndsAt: number }) | null> {
    const old = await this.token(id);
    const secret = this.mint();
    const next: Token = {
      ...old,
      id: this.deps.ids(),
      hash: secretHash(secret),
      display: displayOf(secret),
      state: "active",
      created_at: this.deps.now(),
      expires_at: old.expires_at === null ? null : this.deps.now() + (old.expires_at - old.created_at),
    };
    const oldEndsAt = Math.min(this.deps.now() + graceMs, old.expires_at ?? Number.MAX_SAFE_INTEGER);
    const detail = { next_id: next.id, next_display: next.display, old_ends_at: new Date(oldEndsAt).toISOString() };
    const record = this.record(by, "token.rotate", "token", old.id, detail);
    return (await this.deps.tokens.rotate(old.id, oldEndsAt, next, record)) ? { token: next, secret, oldEndsAt } : null;
  }

  private mint(): string {
    const random = this.deps.random ?? ((bytes: number) => crypto.getRandomValues(new Uint8Array(bytes)));
    return mintToken(random(KEY_RANDOM_BYTES));
  }

  private tokenOf(secret: string, { user, agent, name, lifetimeMs }: NewToken): Token {
    if (agent && agent.owner_id !== user.id)
      throw new GuardError("not_found", `There is no agent ${agent.id} of ${user.email}`);
    const now = this.deps.now();
    return {
      id: this.deps.ids(),
      hash: secretHash(secret),
      display: displayOf(secret),
      name: goodName(name),
      user_id: user.id,
      agent_id: agent?.id ?? null,
      state: "active",
      expires_at: lifetimeMs === null ? null : now + lifetimeMs,
      created_at: now,
    };
  }

  private tokenRecord(by: Actor, kind: string, { id, display, name, user_id, agent_id, expires_at }: Token): string {
    const ends = expires_at === null ? null : new Date(expires_at).toISOString();
    return this.record(by, kind, "token", id, { display, name, user_id, agent_id, expires_at: ends });
  }

  private record(by: Actor, kind: string, subject: string, subject_id: string, detail: Change["detail"]): string {
    return changeRecord({ kind, by, subject, subject_id, detail }, { id: this.deps.ids(), at: this.deps.now() });
  }
}

const invalid = (param: string, problem: string): GuardError =>
  new GuardError("invalid_value", `The ${param} ${problem}`, { param });
