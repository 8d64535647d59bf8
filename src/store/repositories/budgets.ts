import { and, asc, eq, gt, lt, sql } from "drizzle-orm";
import type { Budget, BudgetName } from "#model/budget";
import { all, anyRow, type Db, keptCommand, moment, type Queries, run, type Steps } from "#store/db";
import type { BudgetStore, OwnSpent, Spent, SpentBefore, Window } from "#store/money-port";
import type { NodeEpoch } from "#store/node-port";
import type { SerialisedRecord } from "#store/port";
import type { Tables } from "#store/tables";
import { counted } from "./windows";

const inOrder = (q: Queries, { budget: it }: Tables) =>
  q
    .select({ scope: it.scope, subject_id: it.subject_id, period: it.period, limit: it.amount })
    .from(it)
    .orderBy(asc(it.scope), asc(it.subject_id), asc(it.period));

const named = ({ budget: it }: Tables, { scope, subject_id, period }: BudgetName) =>
  and(eq(it.scope, scope), eq(it.subject_id, subject_id), eq(it.period, period));

/** Spending of budgets is decided one at a time, over all processes. */
const ALONE = "budgets";

const spending = keptCommand((q, { budgetSpent: it }) => {
  const [spent, reserved] = [sql.placeholder("spent"), sql.placeholder("reserved")];
  const key = { name: sql.placeholder("name"), node: sql.placeholder("node"), epoch: sql.placeholder("epoch") };
  const set = { spent: sql`excluded.spent`, reserved: sql`excluded.reserved` };
  return q
    .insert(it)
    .values({ ...key, start: sql.placeholder("start"), spent, reserved })
    .onConflictDoUpdate({ target: [it.name, it.node, it.epoch], set });
});

export class Budgets implements BudgetStore {
  constructor(
    private readonly db: Db,
    private readonly self: NodeEpoch | null,
  ) {}

  list(): Promise<Budget[]> {
    return this.db.all(inOrder);
  }

  put({ limit: amount, ...name }: Budget, record: SerialisedRecord, most: number): Promise<boolean> {
    return this.db.change("budgets", record, function* (changed) {
      const isKnown = yield* anyRow((q, t) => q.select({ scope: t.budget.scope }).from(t.budget).where(named(t, name)));
      if (!isKnown && (yield* counted(({ budget }) => [budget])) >= most) return false;
      yield* run((q, { budget: it }) =>
        q
          .insert(it)
          .values({ ...name, amount, changed })
          .onConflictDoUpdate({ target: [it.scope, it.subject_id, it.period], set: { amount, changed } }),
      );
      return true;
    });
  }

  remove(name: BudgetName, record: SerialisedRecord): Promise<boolean> {
    return this.db.change("budgets", record, () =>
      anyRow((q, t) => q.delete(t.budget).where(named(t, name)).returning({ scope: t.budget.scope })),
    );
  }

  spent(windows: (now: number) => readonly Window[]): Promise<ReadonlyMap<string, Spent>> {
    return this.db.read(function* () {
      const now = yield* moment();
      return (yield* spentOf(windows(now), now, null)).others;
    });
  }

  async spend(
    windows: (now: number) => readonly Window[],
    work: (before: SpentBefore) => readonly OwnSpent[],
  ): Promise<void> {
    const { self } = this;
    const node = { node: self?.id ?? "", epoch: self?.epoch ?? 0 };
    await this.db.tx(function* () {
      const now = yield* moment();
      const before = yield* spentOf(windows(now), now, self);
      for (const { name, start, spent, reserved } of work(before)) {
        yield* run(spending, { ...node, name, start, spent, reserved });
      }
    }, ALONE);
  }

  async warn({ name, start }: Window, percent: number, record: SerialisedRecord): Promise<boolean> {
    return this.db.change("budgets", record, () =>
      anyRow((q, { budgetWarning: it }) =>
        q.insert(it).values({ name, percent, start }).onConflictDoNothing().returning({ name: it.name }),
      ),
    );
  }

  async forget(before: number): Promise<void> {
    await this.db.run((q, { budgetSpent: it }) => q.delete(it).where(lt(it.start, before)));
    await this.db.run((q, { budgetWarning: it }) => q.delete(it).where(lt(it.start, before)));
  }

  *every(): Steps<Budget[]> {
    return yield* all(inOrder);
  }
}

function* spentOf(windows: readonly Window[], now: number, self: NodeEpoch | null): Steps<SpentBefore> {
  const [others, own] = [new Map<string, Spent>(), new Map<string, Spent>()];
  if (windows.length === 0) return { now, others, own };
  const rows = yield* all((q, { budgetSpent: it, node }, { among }) => {
    const live = and(eq(node.id, it.node), eq(node.epoch, it.epoch), eq(node.state, "live"), gt(node.until, now));
    return q
      .select({ name: it.name, node: it.node, epoch: it.epoch, spent: it.spent, reserved: it.reserved, live: node.id })
      .from(it)
      .leftJoin(node, live)
      .where(
        among(
          it.name,
          windows.map(({ name }) => name),
        ),
      );
  });
  for (const { name, node, epoch, spent, reserved, live } of rows) {
    const of = self !== null && node === self.id && epoch === self.epoch ? own : others;
    const sum = of.get(name) ?? NOTHING;
    of.set(name, { spent: sum.spent + spent, reserved: sum.reserved + (live === null ? 0 : reserved) });
  }
  return { now, others, own };
}

const NOTHING: Spent = { spent: 0, reserved: 0 };
