import { and, asc, desc, eq, gt, inArray, sql } from "drizzle-orm";
import type { Token, TokenState } from "#core/token";
import type { KeptToken, SerialisedRecord, TokenStore, TokenUse } from "#store/port";
import type { Connection } from "./connection";
import { tables } from "./schema";

const { token, tokenUse } = tables;

const columns = {
  id: token.id,
  hash: token.hash,
  display: token.display,
  name: token.name,
  user_id: token.userId,
  agent_id: token.agentId,
  state: token.state,
  expires_at: token.expiresAt,
  created_at: token.createdAt,
};

export class SqliteTokens implements TokenStore {
  constructor(private readonly connection: Connection) {}

  async create(it: Token, record: SerialisedRecord): Promise<boolean> {
    return this.connection.change("all", record, (changed) => this.#insert(it, changed));
  }

  async list(): Promise<Token[]> {
    return this.connection.queries.select(columns).from(token).orderBy(asc(token.createdAt), asc(token.id)).all();
  }

  async byId(id: string): Promise<Token | null> {
    return this.connection.queries.select(columns).from(token).where(eq(token.id, id)).get() ?? null;
  }

  async setState(id: string, from: readonly TokenState[], to: TokenState, record: SerialisedRecord): Promise<boolean> {
    return this.connection.change("all", record, (changed) => {
      const here = and(eq(token.id, id), inArray(token.state, [...from]));
      const update = this.connection.queries.update(token).set({ state: to, changed }).where(here);
      return update.returning({ id: token.id }).all().length === 1;
    });
  }

  async rotate(oldId: string, oldEndsAt: number, next: Token, record: SerialisedRecord): Promise<boolean> {
    return this.connection.change("all", record, (changed) => {
      const here = and(eq(token.id, oldId), eq(token.state, "active"));
      const ended = { state: "rotated", expiresAt: oldEndsAt, rotatedTo: next.id, changed } as const;
      const update = this.connection.queries.update(token).set(ended).where(here);
      if (update.returning({ id: token.id }).all().length === 0) return false;
      if (!this.#insert(next, changed)) throw new Error(`A token with the hash of the new token ${next.id} exists`);
      return true;
    });
  }

  async kept(userId: string | null): Promise<KeptToken[]> {
    const beside = { rotated_to: token.rotatedTo, last_used_at: tokenUse.at };
    const all = this.connection.queries
      .select({ ...columns, ...beside })
      .from(token)
      .leftJoin(tokenUse, eq(tokenUse.tokenId, token.id))
      .orderBy(desc(token.id));
    return userId === null ? all.all() : all.where(eq(token.userId, userId)).all();
  }

  async noteUses(uses: readonly TokenUse[]): Promise<void> {
    if (uses.length === 0) return;
    const set = { at: sql`max(${tokenUse.at}, excluded.at)` };
    await this.connection.writeSoon<void>(() => {
      for (const { token_id: tokenId, at } of uses) {
        const insert = this.connection.queries.insert(tokenUse).values({ tokenId, at });
        insert.onConflictDoUpdate({ target: tokenUse.tokenId, set }).run();
      }
    });
  }

  changedAfter(revision: number): Token[] {
    return this.connection.queries.select(columns).from(token).where(gt(token.changed, revision)).all();
  }

  #insert(it: Token, changed: number): boolean {
    const row = {
      id: it.id,
      hash: it.hash,
      display: it.display,
      name: it.name,
      userId: it.user_id,
      agentId: it.agent_id,
      state: it.state,
      expiresAt: it.expires_at,
      createdAt: it.created_at,
      changed,
    };
    const insert = this.connection.queries.insert(token).values(row).onConflictDoNothing({ target: token.hash });
    return insert.returning({ id: token.id }).all().length === 1;
  }
}
