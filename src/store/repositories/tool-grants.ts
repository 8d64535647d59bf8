import { and, desc, eq, lte, notInArray, or, sql } from "drizzle-orm";
import { type Build, type Db, type Query, run, type Steps } from "#store/db";
import type { PendingAuthorization, ToolGrant } from "#store/port";

/*
 * OAuth at tool servers: what was granted, and sign-ins under way. No governance: no record, no revision.
 */

/** Sign-ins begun and never finished would pile up: of one server so many are kept. */
export const MAX_PENDING = 8;

export const grantOf = (db: Db, serverId: string): Promise<ToolGrant | null> =>
  db.one((q, { toolGrant }) => q.select().from(toolGrant).where(eq(toolGrant.server_id, serverId)));

/** Grants and sign-ins under way. */
export function* dropGrants(serverId: string): Steps<void> {
  yield* run((q, { toolGrant: it }) => q.delete(it).where(eq(it.server_id, serverId)));
  yield* run((q, { toolAuthorization: it }) => q.delete(it).where(eq(it.server_id, serverId)));
}

type Saved = Build<Query<{ readonly version: number }>>;

export const saveGrant = async (db: Db, serverId: string, expected: number, sealed: string): Promise<boolean> =>
  (await db.all(expected === 0 ? first(serverId, sealed) : later(serverId, expected, sealed))).length === 1;

const later =
  (serverId: string, expected: number, sealed: string): Saved =>
  (q, { toolGrant: it }) =>
    q
      .update(it)
      .set({ sealed, version: expected + 1 })
      .where(and(eq(it.server_id, serverId), eq(it.version, expected)))
      .returning({ version: it.version });

/** One statement, so that a server removed meanwhile is no error: there is just nothing to insert. */
const first =
  (serverId: string, sealed: string): Saved =>
  (q, { toolGrant, toolServer }) => {
    const row = q
      .select({
        server_id: toolServer.id,
        sealed: sql<string>`${sealed}`.as("sealed"),
        version: sql<number>`1`.as("version"),
      })
      .from(toolServer)
      .where(eq(toolServer.id, serverId));
    return q.insert(toolGrant).select(row).onConflictDoNothing().returning({ version: toolGrant.version });
  };

export const beginAuthorization = (db: Db, it: PendingAuthorization): Promise<void> =>
  db.tx(function* () {
    yield* run((q, { toolAuthorization: known }) => {
      const ofServer = eq(known.server_id, it.server_id);
      const newest = q
        .select({ state_hash: known.state_hash })
        .from(known)
        .where(ofServer)
        .orderBy(desc(known.expires_at))
        .limit(MAX_PENDING - 1);
      return q.delete(known).where(and(ofServer, notInArray(known.state_hash, newest)));
    });
    yield* run((q, { toolAuthorization }) => q.insert(toolAuthorization).values(it));
  });

export const consumeAuthorization = async (
  db: Db,
  stateHash: string,
  now: number,
): Promise<PendingAuthorization | null> => {
  const removed = await db.all((q, { toolAuthorization: it }) => {
    const taken = or(eq(it.state_hash, stateHash), lte(it.expires_at, now));
    return q.delete(it).where(taken).returning();
  });
  return removed.find((it) => it.state_hash === stateHash && it.expires_at > now) ?? null;
};
