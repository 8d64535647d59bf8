import { and, desc, eq, lte, notInArray, or, sql } from "drizzle-orm";
import type { PendingAuthorization, ToolGrant } from "#store/port";
import type { Connection } from "./connection";
import { transaction } from "./database";
import { tables } from "./schema";

/*
 * OAuth at tool servers: what was granted, and sign-ins under way. No governance: no record, no revision.
 */

const { toolAuthorization, toolGrant, toolServer } = tables;

type Queries = Connection["queries"];

/** Sign-ins begun and never finished would pile up: of one server so many are kept. */
export const MOST_PENDING = 8;

const grantColumns = { server_id: toolGrant.serverId, sealed: toolGrant.sealed, version: toolGrant.version };

const pendingColumns = {
  state_hash: toolAuthorization.stateHash,
  server_id: toolAuthorization.serverId,
  user_id: toolAuthorization.userId,
  sealed: toolAuthorization.sealed,
  expires_at: toolAuthorization.expiresAt,
};

export const grantOf = (queries: Queries, serverId: string): ToolGrant | null =>
  queries.select(grantColumns).from(toolGrant).where(eq(toolGrant.serverId, serverId)).get() ?? null;

/** Grants and sign-ins under way. */
export const dropGrants = (queries: Queries, serverId: string): void => {
  queries.delete(toolGrant).where(eq(toolGrant.serverId, serverId)).run();
  queries.delete(toolAuthorization).where(eq(toolAuthorization.serverId, serverId)).run();
};

export const saveGrant = (queries: Queries, serverId: string, expected: number, sealed: string): boolean => {
  if (expected === 0) return saveFirst(queries, serverId, sealed);
  const asRead = and(eq(toolGrant.serverId, serverId), eq(toolGrant.version, expected));
  const update = queries
    .update(toolGrant)
    .set({ sealed, version: expected + 1 })
    .where(asRead);
  return update.returning({ version: toolGrant.version }).all().length === 1;
};

/** One statement, so that a server removed meanwhile is no error: there is just nothing to insert. */
const saveFirst = (queries: Queries, serverId: string, sealed: string): boolean => {
  const row = queries
    .select({
      serverId: toolServer.id,
      sealed: sql<string>`${sealed}`.as("sealed"),
      version: sql<number>`1`.as("version"),
    })
    .from(toolServer)
    .where(eq(toolServer.id, serverId));
  const insert = queries.insert(toolGrant).select(row).onConflictDoNothing();
  return insert.returning({ version: toolGrant.version }).all().length === 1;
};

export const beginAuthorization = ({ db, queries }: Connection, it: PendingAuthorization): void =>
  transaction<void>(db, () => {
    const ofServer = eq(toolAuthorization.serverId, it.server_id);
    const newest = queries
      .select({ stateHash: toolAuthorization.stateHash })
      .from(toolAuthorization)
      .where(ofServer)
      .orderBy(desc(toolAuthorization.expiresAt))
      .limit(MOST_PENDING - 1);
    queries
      .delete(toolAuthorization)
      .where(and(ofServer, notInArray(toolAuthorization.stateHash, newest)))
      .run();
    const row = {
      stateHash: it.state_hash,
      serverId: it.server_id,
      userId: it.user_id,
      sealed: it.sealed,
      expiresAt: it.expires_at,
    };
    queries.insert(toolAuthorization).values(row).run();
  });

export const takeAuthorization = (queries: Queries, stateHash: string, now: number): PendingAuthorization | null => {
  const taken = or(eq(toolAuthorization.stateHash, stateHash), lte(toolAuthorization.expiresAt, now));
  const removed = queries.delete(toolAuthorization).where(taken).returning(pendingColumns).all();
  return removed.find((it) => it.state_hash === stateHash && it.expires_at > now) ?? null;
};
