import type { Database } from "bun:sqlite";

import { and, asc, eq, gt, inArray, like, lte, ne, notInArray, or, sql } from "drizzle-orm";
import { type BunSQLiteDatabase, drizzle } from "drizzle-orm/bun-sqlite";
import type { Receipt } from "#policy/restrictions/restriction";

import { type Joining, type Node, type NodeEpoch, type NodeStore, processIdOf, type Self } from "#store/node-port";
import type { SerialisedRecord } from "#store/record";
import { AuditUnavailable } from "./audit-errors";
import type { Connection } from "./connection";
import { transaction } from "./database";
import { tables } from "./schema";

const { node, lease, containment, hubProcess, providerBreaker } = tables;

/** A serving process of this store's. */
export type Member = Self & { readonly leaseMs: number };

const ID = /^[a-z0-9][a-z0-9-]{0,62}$/;

const LEFT = "SELECT max(epoch) AS epoch FROM audit_open_call WHERE node = ?";

/** The next epoch of the id begins; whatever was live under it has ended. */
export const join = (db: Database, joining: Joining, now: number): Member => {
  const { id, version, leaseMs, isAlone } = joining;
  if (!ID.test(id)) throw new Error("The id of a node is not one");
  const queries = drizzle(db);
  return transaction<Member>(db, () => {
    if (isAlone) queries.update(node).set({ state: "ended" }).where(eq(node.state, "live")).run();
    const before = queries.select({ epoch: node.epoch }).from(node).where(eq(node.id, id)).get();
    // A node that was removed may have left calls behind: they are not this one's.
    const left = db.query<{ epoch: number | null }, [string]>(LEFT).get(id)?.epoch ?? 0;
    const epoch = Math.max(before?.epoch ?? 0, left) + 1;
    const row = { epoch, state: "live", started_at: now, heard_at: now, until: now + leaseMs, version } as const;
    const values = { ...row, address: null };
    const insert = queries.insert(node).values({ id, ...values });
    insert.onConflictDoUpdate({ target: node.id, set: values }).run();
    queries
      .delete(hubProcess)
      .where(isAlone ? undefined : like(hubProcess.id, `${id}/%`))
      .run();
    queries
      .delete(lease)
      .where(isAlone ? undefined : eq(lease.node, id))
      .run();
    // What everybody was asked about is over long before the next start; what is not is said again.
    queries
      .delete(containment)
      .where(isAlone ? undefined : eq(containment.node, id))
      .run();
    // Commands wait for it from now on.
    queries
      .insert(hubProcess)
      .values({ id: processIdOf({ id, epoch }), seen: 0, heard_at: now })
      .run();
    forgetBreakers(queries);
    return { id, epoch, leaseMs, isAlone };
  });
};

/** Those of processes that are no more. */
const forgetBreakers = (queries: BunSQLiteDatabase): void => {
  const left = queries.select({ id: hubProcess.id }).from(hubProcess);
  queries.delete(providerBreaker).where(notInArray(providerBreaker.process_id, left)).run();
};

/** An orderly end: nobody waits for it, and nothing is left to take over. */
export const leave = (db: Database, { id, epoch }: NodeEpoch, now: number): void => {
  const queries = drizzle(db);
  const own = and(eq(node.id, id), eq(node.epoch, epoch), eq(node.state, "live"));
  transaction<void>(db, () => {
    queries.update(node).set({ state: "left", heard_at: now, until: now }).where(own).run();
    queries
      .delete(lease)
      .where(and(eq(lease.node, id), eq(lease.epoch, epoch)))
      .run();
    queries
      .delete(hubProcess)
      .where(eq(hubProcess.id, processIdOf({ id, epoch })))
      .run();
  });
};

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

export class SqliteNodes implements NodeStore {
  constructor(
    private readonly connection: Connection,
    private readonly member: Member | null,
    private readonly now: () => number,
  ) {}

  get self(): Member | null {
    return this.member;
  }

  async list(): Promise<Node[]> {
    const now = this.now();
    const rows = this.connection.queries.select().from(node).orderBy(asc(node.id)).all();
    return rows.map(({ until, state, ...row }) => ({
      ...row,
      state: state === "live" && until <= now ? "ended" : state,
    }));
  }

  async listens(address: string): Promise<void> {
    const own = this.own();
    if (own === null) return;
    await this.connection.writeSoon<void>(() => {
      this.connection.queries.update(node).set({ address }).where(own).run();
    });
  }

  async renew(): Promise<boolean> {
    const { member, connection } = this;
    const own = this.own();
    if (member === null || own === null) return true;
    return connection.writeSoon<boolean>(() => {
      const now = this.now();
      const until = now + member.leaseMs;
      const mine = connection.queries.update(node).set({ heard_at: now, until }).where(own);
      if (mine.returning({ id: node.id }).all().length === 0) return false;
      if (!member.isAlone) connection.queries.update(lease).set({ until }).where(leasesOf(member)).run();
      return true;
    });
  }

  async endSilent(): Promise<NodeEpoch[]> {
    const { member, connection } = this;
    if (member === null || member.isAlone) return [];
    const { queries } = connection;
    const silent = and(eq(node.state, "live"), lte(node.until, this.now()), ne(node.id, member.id));
    if (queries.select({ id: node.id }).from(node).where(silent).get() === undefined) return [];
    return connection.writeSoon<NodeEpoch[]>(() => {
      const update = queries.update(node).set({ state: "ended" }).where(silent);
      const ended = update.returning({ id: node.id, epoch: node.epoch }).all();
      for (const one of ended) queries.delete(lease).where(leasesOf(one)).run();
      queries
        .delete(hubProcess)
        .where(inArray(hubProcess.id, ended.map(processIdOf)))
        .run();
      forgetBreakers(queries);
      return ended;
    });
  }

  async remove(id: string, record: SerialisedRecord): Promise<"done" | "missing" | "live"> {
    const { queries } = this.connection;
    let outcome: "done" | "missing" | "live" = "missing";
    this.connection.change("all", record, () => {
      const found = queries.select().from(node).where(eq(node.id, id)).get();
      if (found === undefined) return false;
      if (found.state === "live" && found.until > this.now()) {
        outcome = "live";
        return false;
      }
      queries.delete(node).where(eq(node.id, id)).run();
      queries.delete(lease).where(eq(lease.node, id)).run();
      queries
        .delete(hubProcess)
        .where(like(hubProcess.id, `${id}/%`))
        .run();
      outcome = "done";
      return true;
    });
    return outcome;
  }

  async contains(subjectId: string, points: readonly Receipt["point"][]) {
    const { member, connection } = this;
    if (member === null || member.isAlone) return { points, nodes: member === null ? [] : [member.id] };
    const { queries } = connection;
    const { id, epoch } = member;
    return connection.writeSoon(() => {
      const rows = points.map((point) => ({ subject_id: subjectId, point, node: id, epoch }));
      const target = [containment.subject_id, containment.point, containment.node];
      queries.insert(containment).values(rows).onConflictDoUpdate({ target, set: { epoch } }).run();
      const live = queries
        .select()
        .from(node)
        .where(and(eq(node.state, "live"), gt(node.until, this.now())))
        .all();
      const said = queries.select().from(containment).where(eq(containment.subject_id, subjectId)).all();
      const names = new Set(said.map((one) => `${one.point} ${processIdOf({ id: one.node, epoch: one.epoch })}`));
      const held = points.filter((point) => live.every((one) => names.has(`${point} ${processIdOf(one)}`)));
      return { points: held, nodes: live.map((one) => one.id).toSorted() };
    });
  }

  async holds(name: string): Promise<boolean> {
    const { member, connection } = this;
    if (member === null || member.isAlone) return true;
    const { queries } = connection;
    const held = queries.select().from(lease).where(eq(lease.name, name)).get();
    const isMine = held?.node === member.id && held.epoch === member.epoch;
    if (held !== undefined && held.until > this.now()) return isMine;
    return connection.writeSoon<boolean>(() => {
      const now = this.now();
      const own = this.own() ?? undefined;
      // A process that is held for dead takes nothing.
      if (queries.select({ id: node.id }).from(node).where(own).get() === undefined) return false;
      const set = { node: member.id, epoch: member.epoch, until: now + member.leaseMs };
      const free = or(lte(lease.until, now), leasesOf(member)) ?? sql`false`;
      const insert = queries.insert(lease).values({ name, ...set });
      const taken = insert.onConflictDoUpdate({ target: lease.name, set, setWhere: free });
      return taken.returning({ name: lease.name }).all().length > 0;
    });
  }

  private own() {
    const { member } = this;
    return member === null ? null : and(eq(node.id, member.id), eq(node.epoch, member.epoch), eq(node.state, "live"));
  }
}

const leasesOf = ({ id, epoch }: NodeEpoch) => and(eq(lease.node, id), eq(lease.epoch, epoch));
