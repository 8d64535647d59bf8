import type { Database } from "bun:sqlite";
import { drizzle } from "drizzle-orm/bun-sqlite";
import type { Joining } from "#store/node-port";
import { joining, leaving, type Member } from "#store/repositories/nodes";
import { AuditUnavailable } from "./audit-errors";
import { transaction } from "./database";
import { onThisTick } from "./db";

export type { Member } from "#store/repositories/nodes";

const LEFT = "SELECT max(epoch) AS epoch FROM audit_open_call WHERE node = ?";

/** Before anything else is open: the log is told who writes to it. */
export const join = (db: Database, it: Joining, now: () => number): Member =>
  transaction<Member>(db, () => {
    // A node that was removed may have left calls behind: they are not this one's.
    const left = db.query<{ epoch: number | null }, [string]>(LEFT).get(it.id)?.epoch ?? 0;
    return onThisTick(joining(it, left), drizzle(db), now);
  });

export const leave = (db: Database, member: Member, now: () => number): void =>
  transaction<void>(db, () => onThisTick(leaving(member), drizzle(db), now));

/**
 * What a node must ask, in the transaction in which it records something: a process that stood still for longer than its
 * lease may wake up after others have ended its calls on record.
 */
export const fenceOf = (db: Database, member: Member | null): (() => void) => {
  // Nobody else is there who could hold it for dead.
  if (member === null || member.isAlone) return () => {};
  const { id, epoch } = member;
  const live = db.prepare<unknown, [string, number]>(
    "SELECT 1 FROM node WHERE id = ? AND epoch = ? AND state = 'live'",
  );
  return () => {
    if (live.get(id, epoch) === null) throw new AuditUnavailable("another process holds this one for dead");
  };
};
