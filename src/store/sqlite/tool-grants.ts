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
export const MAX_PENDING = 8;

export const grantOf = (queries: Queries, serverId: string): ToolGrant | null =>
  queries.select().from(toolGrant).where(eq(toolGrant.server_id, serverId)).get() ?? null;

/** Grants and sign-ins under way. */
export const dropGrants = (queries: Queries, serverId: string): void => {
  queries.delete(toolGrant).where(eq(toolGrant.server_id, serverId)).run();
  queries.delete(toolAuthorization).where(eq(toolAuthorization.server_id, serverId)).run();
};

export const saveGrant = (queries: Queries, serverId: string, expected: number, sealed: string): boolean => {
  if (expected === 0) return saveFirst(queries, serverId, sealed);
  const asRead = and(eq(toolGrant.server_id, serverId), eq(toolGrant.version, expected));
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
      server_id: toolServer.id,
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
    const ofServer = eq(toolAuthorization.server_id, it.server_id);
    const newest = queries
      .select({ state_hash: toolAuthorization.state_hash })
      .from(toolAuthorization)
      .where(ofServer)
      .orderBy(desc(toolAuthorization.expires_at))
      .limit(MAX_PENDING - 1);
    queries
      .delete(toolAuthorization)
      .where(and(ofServer, notInArray(toolAuthorization.state_hash, newest)))
      .run();
    queries.insert(toolAuthorization).values(it).run();
  });

export const consumeAuthorization = (queries: Queries, stateHash: string, now: number): PendingAuthorization | null => {
  const taken = or(eq(toolAuthorization.state_hash, stateHash), lte(toolAuthorization.expires_at, now));
  const removed = queries.delete(toolAuthorization).where(taken).returning().all();
  return removed.find((it) => it.state_hash === stateHash && it.expires_at > now) ?? null;
};
