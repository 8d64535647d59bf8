import { and, asc, eq, gt, inArray, like, lte, ne, notInArray, or, sql } from "drizzle-orm";
import type { Receipt } from "#policy/restrictions/restriction";
import { all, anyRow, type Db, keptQuery, moment, one, type Queries, run, type Steps } from "#store/db";
import {
  type Crash,
  type Joining,
  type Node,
  type NodeEpoch,
  type NodeStore,
  processIdOf,
  type Self,
} from "#store/node-port";
import type { Polled } from "#store/polled";
import type { SerialisedRecord } from "#store/record";
import type { Tables } from "#store/tables";

/** A serving process of this store's. */
export type Member = Self & {
  readonly leaseMs: number;
  /** See `NodeStore`. */
  readonly ahead: number;
};

type Stored = NodeEpoch & { readonly heard_at: number; readonly until: number };

const ID = /^[a-z0-9][a-z0-9-]{0,62}$/;

/**
 * The next epoch of the id begins, which is beyond `past`; whatever was live under it has ended. Within a transaction,
 * of which there is one at a time for an id. `clock`: of this process.
 */
export function* joining(it: Joining, past: number, clock: () => number): Steps<Member> {
  const { id, version, leaseMs, startMs = 0, isAlone } = it;
  if (!ID.test(id)) throw new Error("The id of a node is not one");
  const now = yield* moment();
  const ahead = now - clock();
  if (isAlone) yield* run((q, { node }) => q.update(node).set({ state: "ended" }).where(eq(node.state, "live")));
  const before = yield* one((q, { node }) => q.select().from(node).where(eq(node.id, id)));
  if (!isAlone && before?.state === "live") yield* crashed(before, now);
  const epoch = Math.max(before?.epoch ?? 0, past) + 1;
  const row = {
    epoch,
    state: "live",
    started_at: now,
    heard_at: now,
    until: now + Math.max(leaseMs, startMs),
    version,
  } as const;
  const values = { ...row, address: null };
  yield* run((q, { node }) =>
    q
      .insert(node)
      .values({ id, ...values })
      .onConflictDoUpdate({ target: node.id, set: values }),
  );
  yield* run((q, { hubProcess: it }) => q.delete(it).where(isAlone ? undefined : like(it.id, `${id}/%`)));
  yield* run((q, { lease: it }) => q.delete(it).where(isAlone ? undefined : eq(it.node, id)));
  // What everybody was asked about is over long before the next start; what is not is said again.
  yield* run((q, { containment: it }) => q.delete(it).where(isAlone ? undefined : eq(it.node, id)));
  // Commands wait for it from now on.
  const process = { id: processIdOf({ id, epoch }), seen: 0, heard_at: now };
  yield* run((q, { hubProcess }) => q.insert(hubProcess).values(process));
  yield* forgetBreakers();
  return { id, epoch, leaseMs, isAlone, ahead };
}

/** An orderly end: nobody waits for it, and nothing is left to take over. Within a transaction. */
export function* leaving({ id, epoch }: NodeEpoch): Steps<void> {
  const now = yield* moment();
  const left = { state: "left", heard_at: now, until: now } as const;
  yield* run((q, t) => q.update(t.node).set(left).where(liveAs(t, { id, epoch })));
  yield* run((q, t) => q.delete(t.lease).where(leasesOf(t, { id, epoch })));
  yield* run((q, { hubProcess: it }) => q.delete(it).where(eq(it.id, processIdOf({ id, epoch }))));
}

/** It did not leave: what it had counted in memory is to be counted again. */
function* crashed({ id, epoch, heard_at, until }: Stored, now: number): Steps<void> {
  const row = { node: id, epoch, heard_at, until: Math.min(until, now), has_usage: false, has_events: false };
  yield* run((q, { nodeCrash }) => q.insert(nodeCrash).values(row).onConflictDoNothing());
}

/** Those of processes that are no more. */
function* forgetBreakers(): Steps<void> {
  yield* run((q, { hubProcess, providerBreaker: it }) => {
    const left = q.select({ id: hubProcess.id }).from(hubProcess);
    return q.delete(it).where(notInArray(it.process_id, left));
  });
}

type NodesNeeds = {
  readonly db: Db;
  /** For renewals alone. */
  readonly renewing: Db;
  readonly member: Member | null;
  /** The clock of this process. */
  readonly now: () => number;
  readonly polled: Polled | null;
};

export class Nodes implements NodeStore {
  /** Asked at each turn of what one process at a time does. */
  readonly #lease = keptQuery((q, { lease: it }) =>
    q
      .select()
      .from(it)
      .where(eq(it.name, sql.placeholder("name"))),
  );

  #ahead: number;

  private readonly db: Db;
  private readonly renewing: Db;
  private readonly member: Member | null;
  private readonly now: () => number;
  private readonly polled: Polled | null;

  constructor({ db, renewing, member, now, polled }: NodesNeeds) {
    this.db = db;
    this.renewing = renewing;
    this.member = member;
    this.now = now;
    this.polled = polled;
    this.#ahead = db.blocks ? 0 : (member?.ahead ?? 0);
  }

  get ahead(): number {
    return this.#ahead;
  }

  get here(): NodeStore {
    return this;
  }

  get self(): Member | null {
    return this.member;
  }

  list(): Promise<Node[]> {
    return this.db.read(function* () {
      const now = yield* moment();
      const rows = yield* all((q, { node }) => q.select().from(node).orderBy(asc(node.id)));
      return rows.map(
        ({ until, state, ...row }): Node => ({
          ...row,
          state: state === "live" && until <= now ? "ended" : state,
        }),
      );
    });
  }

  async listens(address: string): Promise<void> {
    const { member } = this;
    if (member === null) return;
    await this.db.tx(() => run((q, t) => q.update(t.node).set({ address }).where(liveAs(t, member))));
  }

  async renew(atLeastMs = 0): Promise<boolean> {
    const { member } = this;
    if (member === null) return true;
    const nodes = this;
    const until = await this.renewing.tx(function* (): Steps<number | null> {
      const now = yield* moment();
      if (!nodes.db.blocks) nodes.#ahead = now - nodes.now();
      const until = now + Math.max(member.leaseMs, atLeastMs);
      return (yield* touched(member, { heard_at: now, until })) ? until : null;
    });
    if (until === null) return false;
    // In a transaction of its own: a process that asks for a lease locks its row, and one that stands still meanwhile must
    // not let this process be held for dead.
    if (!member.isAlone)
      await this.renewing.tx(() => run((q, t) => q.update(t.lease).set({ until }).where(leasesOf(t, member))));
    return true;
  }

  async endSilent(): Promise<NodeEpoch[]> {
    const { member } = this;
    if (member === null || member.isAlone || this.polled?.recent?.hasSilent === false) return [];
    const silent = ({ node }: Tables, now: number) =>
      and(eq(node.state, "live"), lte(node.until, now), ne(node.id, member.id));
    const isAny = await this.db.read(function* (): Steps<boolean> {
      const now = yield* moment();
      return yield* anyRow((q, t) => q.select({ id: t.node.id }).from(t.node).where(silent(t, now)).limit(1));
    });
    if (!isAny) return [];
    const gone = await this.db.tx(function* (): Steps<NodeEpoch[]> {
      const now = yield* moment();
      const ended = yield* all((q, t) => {
        const end = q.update(t.node).set({ state: "ended" }).where(silent(t, now));
        return end.returning();
      });
      for (const it of ended) {
        yield* crashed(it, now);
        yield* run((q, t) => q.delete(t.lease).where(leasesOf(t, it)));
      }
      yield* run((q, { hubProcess: it }) => q.delete(it).where(inArray(it.id, ended.map(processIdOf))));
      yield* forgetBreakers();
      return ended.map(({ id, epoch }) => ({ id, epoch }));
    });
    this.polled?.forget();
    return gone;
  }

  async crashes(): Promise<Crash[]> {
    const rows = await this.db.all((q, { nodeCrash: it }) => q.select().from(it).orderBy(asc(it.heard_at)));
    return rows.map(({ node: id, ...row }) => ({ id, ...row }));
  }

  async recovered({ id, epoch }: Crash, what: "has_usage" | "has_events"): Promise<void> {
    await this.db.tx(function* () {
      yield* run((q, { nodeCrash: it }) =>
        q
          .update(it)
          .set({ [what]: true })
          .where(and(eq(it.node, id), eq(it.epoch, epoch))),
      );
      yield* run((q, { nodeCrash: it }) => q.delete(it).where(and(eq(it.has_usage, true), eq(it.has_events, true))));
    });
  }

  async remove(id: string, record: SerialisedRecord): Promise<"done" | "missing" | "live"> {
    let outcome: "done" | "missing" | "live" = "missing";
    await this.db.change("all", record, function* (): Steps<boolean> {
      const found = yield* one((q, { node }) => q.select().from(node).where(eq(node.id, id)));
      if (found === null) return false;
      if (found.state === "live" && found.until > (yield* moment())) {
        outcome = "live";
        return false;
      }
      yield* run((q, { node }) => q.delete(node).where(eq(node.id, id)));
      yield* run((q, { lease: it }) => q.delete(it).where(eq(it.node, id)));
      yield* run((q, { hubProcess: it }) => q.delete(it).where(like(it.id, `${id}/%`)));
      outcome = "done";
      return true;
    });
    return outcome;
  }

  async contains(subjectId: string, points: readonly Receipt["point"][]) {
    const { member } = this;
    if (member === null || member.isAlone) return { points, nodes: member === null ? [] : [member.id] };
    const { id, epoch } = member;
    const contain = function* () {
      yield* run((q, { containment: it }) => {
        const rows = points.map((point) => ({ subject_id: subjectId, point, node: id, epoch }));
        const again = { target: [it.subject_id, it.point, it.node], set: { epoch } };
        return q.insert(it).values(rows).onConflictDoUpdate(again);
      });
      const now = yield* moment();
      const live = yield* all((q, { node }) =>
        q
          .select()
          .from(node)
          .where(and(eq(node.state, "live"), gt(node.until, now))),
      );
      const said = yield* all((q, { containment: it }) => q.select().from(it).where(eq(it.subject_id, subjectId)));
      const names = new Set(said.map((it) => `${it.point} ${processIdOf({ id: it.node, epoch: it.epoch })}`));
      const held = points.filter((point) => live.every((it) => names.has(`${point} ${processIdOf(it)}`)));
      return { points: held, nodes: live.map((it) => it.id).toSorted() };
    };
    // The last of them to say so must see what the others have said.
    return this.db.tx(contain, `containment ${subjectId}`);
  }

  async holds(name: string): Promise<boolean> {
    const { member } = this;
    if (member === null || member.isAlone) return true;
    const holder = this.polled?.recent?.holders.get(name);
    if (holder !== undefined) return holder.id === member.id && holder.epoch === member.epoch;
    const lease = this.#lease;
    const known = await this.db.read(function* () {
      const held = yield* one(lease, { name });
      const isHeld = held !== null && held.until > (yield* moment());
      return { isHeld, isMine: held?.node === member.id && held.epoch === member.epoch };
    });
    if (known.isHeld) return known.isMine;
    this.polled?.forget();
    return this.db.tx(function* (): Steps<boolean> {
      const now = yield* moment();
      const set = { node: member.id, epoch: member.epoch, until: now + member.leaseMs };
      const isTaken = yield* anyRow((q, t) => {
        const free = or(lte(t.lease.until, now), leasesOf(t, member)) ?? sql`false`;
        const insert = q.insert(t.lease).values({ name, ...set });
        const taken = insert.onConflictDoUpdate({ target: t.lease.name, set, setWhere: free });
        return taken.returning({ name: t.lease.name });
      });
      // A process that is held for dead takes nothing. Its row stays locked, so that nobody can end it meanwhile; last, since
      // no renewal is to wait for who holds the row of the lease.
      if (!isTaken || (yield* touched(member, { heard_at: now }))) return isTaken;
      yield* run((q, t) => q.delete(t.lease).where(and(eq(t.lease.name, name), leasesOf(t, member))));
      return false;
    });
  }

  /** All processes of one store. */
  holdsHere(name: string): Promise<boolean> {
    return this.holds(name);
  }

  async release(name: string): Promise<void> {
    const { member } = this;
    if (member === null || member.isAlone) return;
    await this.db.run((q, t) => q.delete(t.lease).where(and(eq(t.lease.name, name), leasesOf(t, member))));
    this.polled?.forget();
  }
}

/** Whether the process lives, of which it is noted. */
const touched = (member: NodeEpoch, set: { readonly heard_at: number; readonly until?: number }): Steps<boolean> =>
  anyRow((q: Queries, t: Tables) => q.update(t.node).set(set).where(liveAs(t, member)).returning({ id: t.node.id }));

const liveAs = ({ node }: Tables, { id, epoch }: NodeEpoch) =>
  and(eq(node.id, id), eq(node.epoch, epoch), eq(node.state, "live"));

const leasesOf = ({ lease }: Tables, { id, epoch }: NodeEpoch) => and(eq(lease.node, id), eq(lease.epoch, epoch));
