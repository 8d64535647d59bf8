import type { Database } from "bun:sqlite";
import { drizzle } from "drizzle-orm/bun-sqlite";
import type { Joining } from "#store/node-port";
import { joining, leaving, type Member } from "#store/repositories/nodes";
import { transaction } from "./database";
import { onThisTick } from "./db";

export type { Member } from "#store/repositories/nodes";

const LEFT = "SELECT max(epoch) AS epoch FROM audit_open_call WHERE node = ?";

/** Before anything else is open: the log is told who writes to it. */
export const join = (db: Database, it: Joining, now: () => number): Member =>
  transaction<Member>(db, () => {
    // A node that was removed may have left calls behind: they are not this one's.
    const left = db.query<{ epoch: number | null }, [string]>(LEFT).get(it.id)?.epoch ?? 0;
    return onThisTick(joining(it, left, now), drizzle(db), now);
  });

export const leave = (db: Database, member: Member, now: () => number): void =>
  transaction<void>(db, () => onThisTick(leaving(member), drizzle(db), now));
