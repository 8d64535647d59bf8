import { and, asc, desc, eq, gt, inArray, isNull, lt, ne, or, type SQL, sql } from "drizzle-orm";
import type { PageWindow } from "#core/page";
import type { Suspension, SuspensionRight } from "#model/suspension";
import type { DisplayState, Token, TokenState } from "#model/token";
import type { Added, KeptToken, SerialisedRecord, TokenFilter, TokenLimit, TokenStore, TokenUse } from "#store/port";
import { suspensionOf, suspensionRow } from "./columns";
import { type Connection, counted } from "./connection";
import { tables } from "./schema";
import { afterId, among, isOver, notOver } from "./windows";

const { token, tokenUse } = tables;

const columns = {
  id: token.id,
  hash: token.hash,
  display: token.display,
  name: token.name,
  user_id: token.user_id,
  agent_id: token.agent_id,
  state: token.state,
  expires_at: token.expires_at,
  created_at: token.created_at,
};

/**
 * What `shownState` of `core/token.ts` calls a state, as conditions of which each is a list in the order of ids: one for
 * each state that is kept.
 */
const inState = (state: DisplayState | undefined, now: number): readonly (SQL | undefined)[] => {
  if (state === undefined) return [undefined];
  const kept = (name: TokenState): SQL => eq(token.state, name);
  const over = isOver(token.expires_at, now);
  if (state === "expired") return [and(kept("active"), over), and(kept("rotated"), over)];
  const runsOut = state === "active" || state === "rotated";
  return [runsOut ? and(kept(state), notOver(token.expires_at, now)) : kept(state)];
};

export class SqliteTokens implements TokenStore {
  constructor(private readonly connection: Connection) {}

  async create(it: Token, record: SerialisedRecord, limit?: TokenLimit): Promise<Added> {
    let outcome: Added = "done";
    // The write lock is taken before anything is read: no other process can count what we count.
    this.connection.change("all", record, (changed) => {
      if (limit !== undefined && this.#live(it.user_id, limit.at) >= limit.most) outcome = "full";
      else if (!this.#insert(it, changed)) outcome = "taken";
      return outcome === "done";
    });
    return outcome;
  }

  async list(): Promise<Token[]> {
    return this.connection.queries.select(columns).from(token).orderBy(asc(token.created_at), asc(token.id)).all();
  }

  async byId(id: string): Promise<Token | null> {
    return this.connection.queries.select(columns).from(token).where(eq(token.id, id)).get() ?? null;
  }

  async ofAgent(agentId: string): Promise<Token[]> {
    return this.connection.queries.select(columns).from(token).where(eq(token.agent_id, agentId)).all();
  }

  async agentsWithTokenBefore(createdBefore: number, now: number): Promise<string[]> {
    const old = and(eq(token.state, "active"), lt(token.created_at, createdBefore), notOver(token.expires_at, now));
    const found = this.connection.queries.selectDistinct({ id: token.agent_id }).from(token).where(old).all();
    return found.flatMap(({ id }) => id ?? []);
  }

  async disable(id: string, suspension: Suspension, record: SerialisedRecord): Promise<boolean> {
    const outranked = and(eq(token.state, "disabled"), eq(token.halt_right, "owner"));
    const active = eq(token.state, "active");
    const from = suspension.right === "owner" ? active : or(active, outranked);
    return this.#set(id, from, { state: "disabled", ...suspensionRow(suspension) }, record);
  }

  async enable(id: string, rights: readonly SuspensionRight[], record: SerialisedRecord): Promise<boolean> {
    const from = and(eq(token.state, "disabled"), inArray(token.halt_right, [...rights]));
    return this.#set(id, from, { state: "active", ...suspensionRow(null) }, record);
  }

  async revoke(id: string, record: SerialisedRecord): Promise<boolean> {
    return this.#set(id, ne(token.state, "revoked"), { state: "revoked" }, record);
  }

  async rotate(oldId: string, oldEndsAt: number, next: Token, record: SerialisedRecord): Promise<boolean> {
    return this.connection.change("all", record, (changed) => {
      const here = and(eq(token.id, oldId), eq(token.state, "active"));
      const ended = { state: "rotated", expires_at: oldEndsAt, rotated_to: next.id, changed } as const;
      const update = this.connection.queries.update(token).set(ended).where(here);
      if (update.returning({ id: token.id }).all().length === 0) return false;
      if (!this.#insert(next, changed)) throw new Error(`A token with the hash of the new token ${next.id} exists`);
      return true;
    });
  }

  async page({ user_id, agent_id, state, now }: TokenFilter, window: PageWindow): Promise<KeptToken[]> {
    const whose = and(
      user_id === undefined ? undefined : eq(token.user_id, user_id),
      agent_id === undefined ? undefined : eq(token.agent_id, agent_id),
      afterId(token.id, window),
    );
    const found = inState(state, now).map((here) => this.#kept(and(whose, here), window.limit));
    return found
      .flat()
      .toSorted((one, other) => (one.id < other.id ? 1 : -1))
      .slice(0, window.limit);
  }

  async kept(id: string): Promise<KeptToken | null> {
    return this.#kept(eq(token.id, id), 1)[0] ?? null;
  }

  async usesOfAgents(agentIds: readonly string[]): Promise<Awaited<ReturnType<TokenStore["usesOfAgents"]>>> {
    const found = this.connection.queries
      .select({ id: token.id, agent_id: token.agent_id, last_used_at: tokenUse.at })
      .from(token)
      .leftJoin(tokenUse, eq(tokenUse.token_id, token.id))
      .where(among(token.agent_id, agentIds));
    return found.all().flatMap(({ agent_id, ...rest }) => (agent_id === null ? [] : [{ ...rest, agent_id }]));
  }

  async noteUses(uses: readonly TokenUse[]): Promise<void> {
    if (uses.length === 0) return;
    const set = { at: sql`max(${tokenUse.at}, excluded.at)` };
    await this.connection.writeSoon<void>(() => {
      for (const use of uses) {
        const insert = this.connection.queries.insert(tokenUse).values(use);
        insert.onConflictDoUpdate({ target: tokenUse.token_id, set }).run();
      }
    });
  }

  changedAfter(revision: number): Token[] {
    return this.connection.queries.select(columns).from(token).where(gt(token.changed, revision)).all();
  }

  #kept(here: SQL | undefined, limit: number): KeptToken[] {
    const suspension = { halt_right: token.halt_right, halt_by: token.halt_by, halt_at: token.halt_at };
    const beside = { rotated_to: token.rotated_to, last_used_at: tokenUse.at, ...suspension };
    const found = this.connection.queries.select({ ...columns, ...beside }).from(token);
    const rows = found.leftJoin(tokenUse, eq(tokenUse.token_id, token.id)).where(here).orderBy(desc(token.id));
    return rows
      .limit(limit)
      .all()
      .map(({ halt_right, halt_by, halt_at, ...rest }) => ({
        ...rest,
        suspension: suspensionOf({ halt_right, halt_by, halt_at }),
      }));
  }

  /** How many of a user's open something at the moment `at`, or could again. */
  #live(userId: string, at: number): number {
    const active = and(eq(token.state, "active"), or(isNull(token.expires_at), gt(token.expires_at, at)));
    const here = and(eq(token.user_id, userId), or(eq(token.state, "disabled"), active));
    return counted(this.connection.queries, token, here);
  }

  #set(id: string, from: SQL | undefined, set: Partial<typeof token.$inferInsert>, record: SerialisedRecord): boolean {
    return this.connection.change("all", record, (changed) => {
      const update = this.connection.queries.update(token).set({ ...set, changed });
      return (
        update
          .where(and(eq(token.id, id), from))
          .returning({ id: token.id })
          .all().length === 1
      );
    });
  }

  #insert(it: Token, changed: number): boolean {
    const insert = this.connection.queries
      .insert(token)
      .values({ ...it, changed })
      .onConflictDoNothing({ target: token.hash });
    return insert.returning({ id: token.id }).all().length === 1;
  }
}
