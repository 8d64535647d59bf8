import { and, asc, desc, eq, gt, inArray, isNull, ne, or, type SQL, sql } from "drizzle-orm";
import type { Halt, HaltRight } from "#core/halt";
import type { Token } from "#core/token";
import type { Added, KeptToken, SerialisedRecord, TokenLimit, TokenStore, TokenUse } from "#store/port";
import type { Connection } from "./connection";
import { counted } from "./counted";
import { haltOf, haltRow } from "./halt-columns";
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
    return this.connection.queries.select(columns).from(token).orderBy(asc(token.createdAt), asc(token.id)).all();
  }

  async byId(id: string): Promise<Token | null> {
    return this.connection.queries.select(columns).from(token).where(eq(token.id, id)).get() ?? null;
  }

  async disable(id: string, halt: Halt, record: SerialisedRecord): Promise<boolean> {
    const outranked = and(eq(token.state, "disabled"), eq(token.haltRight, "owner"));
    const active = eq(token.state, "active");
    const from = halt.right === "owner" ? active : or(active, outranked);
    return this.#set(id, from, { state: "disabled", ...haltRow(halt) }, record);
  }

  async enable(id: string, rights: readonly HaltRight[], record: SerialisedRecord): Promise<boolean> {
    const from = and(eq(token.state, "disabled"), inArray(token.haltRight, [...rights]));
    return this.#set(id, from, { state: "active", ...haltRow(null) }, record);
  }

  async revoke(id: string, record: SerialisedRecord): Promise<boolean> {
    return this.#set(id, ne(token.state, "revoked"), { state: "revoked" }, record);
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
    const halt = { halt_right: token.haltRight, halt_by: token.haltBy, halt_at: token.haltAt };
    const beside = { rotated_to: token.rotatedTo, last_used_at: tokenUse.at, ...halt };
    const all = this.connection.queries
      .select({ ...columns, ...beside })
      .from(token)
      .leftJoin(tokenUse, eq(tokenUse.tokenId, token.id))
      .orderBy(desc(token.id));
    const rows = userId === null ? all.all() : all.where(eq(token.userId, userId)).all();
    return rows.map(({ halt_right, halt_by, halt_at, ...rest }) => ({
      ...rest,
      halt: haltOf({ halt_right, halt_by, halt_at }),
    }));
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

  /** How many of a user's open something at the moment `at`, or could again. */
  #live(userId: string, at: number): number {
    const active = and(eq(token.state, "active"), or(isNull(token.expiresAt), gt(token.expiresAt, at)));
    const here = and(eq(token.userId, userId), or(eq(token.state, "disabled"), active));
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
