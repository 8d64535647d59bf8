import { GuardError } from "#core/errors";
import type { PageWindow } from "#core/page";
import { momentOf } from "#http/openapi/query-check";
import { suspensionResponse } from "#http/openapi/schemas";
import { type Names, namesFor } from "#identity/names";
import { personActor } from "#model/change";
import { noAgent } from "#model/ownership";
import type { User } from "#model/person";
import type { Person } from "#model/session";
import { actorContextOf } from "#model/suspension";
import { displayState, scopesOf } from "#model/token";
import { type Clock, timestamp } from "#platform/clock";
import { isUuid } from "#platform/ids";
import type { AgentStore, KeptToken, TokenStore, UserStore } from "#store/port";
import {
  type IssuedTokenView,
  MAX_DAYS,
  type NewTokenBody,
  type RotatedTokenView,
  type TokenStateSchema,
  type TokenView,
} from "./schema";
import type { AccessService, TokenMove } from "./service";

type TokenServiceNeeds = {
  readonly access: Pick<AccessService, "issueToken" | "moveToken" | "rotateToken">;
  readonly tokens: TokenStore;
  readonly users: UserStore;
  readonly agents: AgentStore;
  /** When this process last saw a token used. */
  readonly lastUsed: (tokenId: string) => number | null;
  readonly now: Clock;
};

type TokenQuery = {
  /** Everybody's. */
  readonly all?: boolean;
  readonly agent_id?: string;
  readonly state?: TokenStateSchema;
};

/** Nobody looks after more, and each is a way in. */
const MAX_TOKENS = 100;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const USUAL_GRACE_HOURS = 24;

/** Gateway tokens as people look after them: their own, and administrators everybody's. */
export class TokenService {
  constructor(private readonly deps: TokenServiceNeeds) {}

  /** Newest first. Throws `insufficient_scope`. */
  async page({ user }: Person, { all = false, agent_id, state }: TokenQuery, window: PageWindow): Promise<TokenView[]> {
    if (all && !mayReadAll(user)) {
      throw new GuardError("insufficient_scope", "Only administrators and auditors list tokens of other users.");
    }
    const whose = { user_id: all ? undefined : user.id, agent_id: agent_id?.toLowerCase() };
    return this.shown(await this.deps.tokens.page({ ...whose, state, now: this.deps.now() }, window));
  }

  /** Throws `not_found`. */
  async get(person: Person, id: string): Promise<TokenView> {
    return this.one(await this.visible(person, id));
  }

  /** Throws `invalid_value`, `not_found`, `insufficient_scope`, and `state_conflict` when there are too many. */
  async create(person: Person, wanted: NewTokenBody): Promise<IssuedTokenView> {
    const agent = await this.agentFor(person.user, wanted.agent_id ?? null);
    const user = await this.holder(person.user, wanted.user_id ?? agent?.owner_id ?? person.user.id);
    if (agent && agent.owner_id !== user.id) throw noAgent("agent_id");
    const now = this.deps.now();
    const lifetimeMs = lifetimeOf(wanted, now);
    const want = { user, agent, name: wanted.name ?? null, lifetimeMs };
    const { token, secret } = await this.deps.access.issueToken(personActor(person), want, MAX_TOKENS);
    return { ...(await this.one({ ...token, ...UNUSED })), token: secret };
  }

  /** Throws `not_found`; `state_conflict` where the token's state, or its holder's, does not allow it. */
  async rotate(person: Person, id: string, graceHours = USUAL_GRACE_HOURS): Promise<RotatedTokenView> {
    const old = await this.changeable(person, id);
    await this.holder(person.user, old.user_id);
    if (displayState(old, this.deps.now()) !== "active") throw this.conflict(old, "rotated");
    const rotated = await this.deps.access.rotateToken(personActor(person), old.id, graceHours * HOUR_MS);
    if (!rotated) throw this.conflict(old, "rotated");
    const { token, secret, oldEndsAt } = rotated;
    const replaces = { id: old.id, display: old.display, ends_at: timestamp(oldEndsAt) };
    return { ...(await this.one({ ...token, ...UNUSED })), token: secret, replaces };
  }

  /** Throws `not_found`, `state_conflict`; `insufficient_scope` where an owner would undo what an administrator did. */
  async move(person: Person, id: string, move: TokenMove): Promise<TokenView> {
    const before = await this.changeable(person, id);
    const after = await this.deps.access.moveToken(actorContextOf(person, before.user_id), before.id, move);
    if (!after) throw this.conflict(before, `${move}d`);
    return this.one(await this.visible(person, id));
  }

  private conflict(token: KeptToken, done: string): GuardError {
    const state = displayState(token, this.deps.now());
    return new GuardError("state_conflict", `This token cannot be ${done}: it is ${state}.`);
  }

  /** Somebody else's token answers as one that does not exist. */
  private async visible({ user }: Person, id: string): Promise<KeptToken> {
    const token = isUuid(id) ? await this.deps.tokens.kept(id.toLowerCase()) : null;
    if (token && (token.user_id === user.id || mayReadAll(user))) return token;
    throw new GuardError("not_found", "There is no such token.", { param: "id" });
  }

  private async changeable(person: Person, id: string): Promise<KeptToken> {
    const token = await this.visible(person, id);
    if (token.user_id === person.user.id || person.user.role === "admin") return token;
    throw new GuardError("insufficient_scope", "Only administrators change tokens of other users.");
  }

  /** The agent a token is to speak for: one's own, or any for administrators. A retired one's tokens open nothing. */
  private async agentFor(user: User, id: string | null) {
    if (id === null) return null;
    const agent = isUuid(id) ? await this.deps.agents.byId(id.toLowerCase()) : null;
    if (!agent || (agent.owner_id !== user.id && user.role !== "admin")) throw noAgent("agent_id");
    if (agent.lifecycle === "retired") throw new GuardError("state_conflict", "This agent is retired.");
    return agent;
  }

  private async holder(by: User, id: string): Promise<User> {
    if (id.toLowerCase() === by.id) return by;
    if (by.role !== "admin") {
      throw new GuardError("insufficient_scope", "Only administrators create tokens for other users.", {
        param: "user_id",
      });
    }
    const user = isUuid(id) ? await this.deps.users.byId(id.toLowerCase()) : null;
    if (!user) throw new GuardError("not_found", "There is no such user.", { param: "user_id" });
    if (user.state !== "active") throw new GuardError("state_conflict", "The user is disabled.");
    return user;
  }

  private async one(token: KeptToken): Promise<TokenView> {
    return this.view(token, await this.names([token]));
  }

  private async shown(tokens: readonly KeptToken[]): Promise<TokenView[]> {
    const names = await this.names(tokens);
    return tokens.map((it) => this.view(it, names));
  }

  private names(tokens: readonly KeptToken[]): Promise<Names> {
    const users = tokens.flatMap(({ user_id, suspension }) => [user_id, suspension?.by ?? null]);
    return namesFor(this.deps, { users, agents: tokens.map(({ agent_id }) => agent_id) });
  }

  private view(it: KeptToken, names: Names): TokenView {
    const used = Math.max(it.last_used_at ?? 0, this.deps.lastUsed(it.id) ?? 0);
    return {
      object: "token",
      id: it.id,
      name: it.name,
      display: it.display,
      user: { id: it.user_id, email: names.user(it.user_id) },
      agent: it.agent_id === null ? null : { id: it.agent_id, name: names.agent(it.agent_id) },
      state: displayState(it, this.deps.now()),
      disabled:
        it.state === "disabled" && it.suspension !== null ? suspensionResponse(it.suspension, names.user) : null,
      scopes: scopesOf(it),
      created_at: timestamp(it.created_at),
      expires_at: it.expires_at === null ? null : timestamp(it.expires_at),
      last_used_at: used === 0 ? null : timestamp(used),
      rotated_to: it.rotated_to,
    };
  }
}

/** What is kept beside a token that was made this moment. */
const UNUSED = { rotated_to: null, last_used_at: null, suspension: null } as const;

const mayReadAll = ({ role }: User): boolean => role === "admin" || role === "auditor";

/** Null for ever. */
const lifetimeOf = ({ expires_in_days = null, expires_at = null }: NewTokenBody, now: number): number | null => {
  if (expires_in_days !== null && expires_at !== null) {
    throw new GuardError("invalid_value", "Set expires_in_days or expires_at, not both.", { param: "expires_at" });
  }
  if (expires_in_days !== null) return expires_in_days * DAY_MS;
  if (expires_at === null) return null;
  const lifetime = momentOf(expires_at) - now;
  if (lifetime > 0 && lifetime <= MAX_DAYS * DAY_MS) return lifetime;
  throw new GuardError("invalid_value", `expires_at must be a time within the next ${MAX_DAYS} days, in RFC 3339.`, {
    param: "expires_at",
  });
};
