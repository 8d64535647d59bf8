import { and, asc, desc, eq, gt, inArray, isNull, lt, ne } from "drizzle-orm";
import type { PageWindow } from "#core/page";
import { Type } from "#core/schema";
import {
  type Alert,
  type AlertDestination,
  type AlertNotice,
  type AlertRule,
  type AlertSilence,
  DestinationSettings,
  NodeFigures,
  StoredAlertRule,
} from "#model/alert";
import type { AlertStore } from "#store/alert-port";
import { all, anyRow, type Db, moment, one, type Queries, run } from "#store/db";
import type { Job } from "#store/loop-port";
import type { NodeEpoch } from "#store/node-port";
import type { SerialisedRecord } from "#store/record";
import { StoredShape } from "#store/stored";
import type { Tables } from "#store/tables";
import { inBatches } from "./batches";
import type { Jobs } from "./jobs";
import { afterId, counted } from "./windows";

const Attempts = Type.Array(
  Type.Object({
    at: Type.Integer(),
    event: Type.Union([Type.Literal("firing"), Type.Literal("resolved")]),
    status: Type.Union([Type.Integer(), Type.Null()]),
    error: Type.Union([Type.String(), Type.Null()]),
    ms: Type.Number(),
  }),
);

type StoredDestination = Omit<AlertDestination, "settings"> & { readonly settings: unknown };
type StoredFigures = { readonly node: string; readonly live: boolean; readonly figures: unknown };
type StoredNotice = Omit<AlertNotice, "attempts"> & { readonly attempts: unknown };

/** Reads back what is kept as JSON. */
class Reader {
  readonly #rule = new StoredShape(StoredAlertRule);
  readonly #settings = new StoredShape(DestinationSettings);
  readonly #attempts = new StoredShape(Attempts);
  readonly #figures = new StoredShape(NodeFigures);

  rule(id: string, rule: unknown): AlertRule {
    return { ...this.#rule.read(rule, `alert rule ${id}`), id };
  }

  destination({ settings, ...row }: StoredDestination): AlertDestination {
    return { ...row, settings: this.#settings.read(settings, `settings of alert destination ${row.id}`) };
  }

  notice({ attempts, ...row }: StoredNotice): AlertNotice {
    return { ...row, attempts: this.#attempts.read(attempts, `attempts of alert notice ${row.id}`) };
  }

  /** What a process of another version says may have another form: it is left out. */
  figures({ figures, ...of }: StoredFigures): { node: string; live: boolean; figures: NodeFigures }[] {
    return this.#figures.fits(figures) ? [{ ...of, figures }] : [];
  }
}

const destinationOf =
  (id: string) =>
  (q: Queries, { alertDestination: it }: Tables) =>
    q.select().from(it).where(eq(it.id, id));

export class Alerts implements AlertStore {
  readonly #reader = new Reader();

  constructor(
    private readonly db: Db,
    private readonly jobs: Jobs,
    /** Null where nothing is served. */
    private readonly self: NodeEpoch | null,
  ) {}

  async rules(): Promise<AlertRule[]> {
    const rows = await this.db.all((q, { alertRule: it }) => q.select().from(it).orderBy(asc(it.id)));
    return rows.map(({ id, rule }) => this.#reader.rule(id, rule));
  }

  putRule({ id, ...rule }: AlertRule, changed_at: number, record: SerialisedRecord, most: number): Promise<boolean> {
    return this.db.change("all", record, function* () {
      const isKnown = yield* anyRow((q, { alertRule: it }) => q.select({ id: it.id }).from(it).where(eq(it.id, id)));
      if (!isKnown && (yield* counted(({ alertRule }) => [alertRule])) >= most) return false;
      yield* run((q, { alertRule: it }) => {
        const set = { rule, changed_at };
        return q
          .insert(it)
          .values({ id, ...set })
          .onConflictDoUpdate({ target: it.id, set });
      });
      return true;
    });
  }

  removeRule(id: string, record: SerialisedRecord): Promise<boolean> {
    return this.db.change("all", record, () =>
      anyRow((q, { alertRule: it }) => q.delete(it).where(eq(it.id, id)).returning({ id: it.id })),
    );
  }

  async destinations(): Promise<AlertDestination[]> {
    const rows = await this.db.all((q, { alertDestination: it }) =>
      q.select().from(it).orderBy(asc(it.created_at), asc(it.id)),
    );
    return rows.map((row) => this.#reader.destination(row));
  }

  async destination(id: string): Promise<AlertDestination | null> {
    const row = await this.db.one(destinationOf(id));
    return row && this.#reader.destination(row);
  }

  addDestination(it: AlertDestination, record: SerialisedRecord, most: number): Promise<boolean> {
    return this.db.change("all", record, function* () {
      if ((yield* counted(({ alertDestination }) => [alertDestination])) >= most) return false;
      yield* run((q, { alertDestination }) => q.insert(alertDestination).values(it));
      return true;
    });
  }

  updateDestination(
    id: string,
    patch: Parameters<AlertStore["updateDestination"]>[1],
    record: SerialisedRecord,
  ): Promise<boolean> {
    return this.db.change("all", record, () =>
      anyRow((q, { alertDestination: it }) => q.update(it).set(patch).where(eq(it.id, id)).returning({ id: it.id })),
    );
  }

  removeDestination(id: string, record: SerialisedRecord): Promise<boolean> {
    return this.db.change("all", record, () =>
      anyRow((q, { alertDestination: it }) => q.delete(it).where(eq(it.id, id)).returning({ id: it.id })),
    );
  }

  async noteDestination(id: string, failing_since: number | null): Promise<void> {
    await this.db.tx(() =>
      run((q, { alertDestination: it }) => q.update(it).set({ failing_since }).where(eq(it.id, id))),
    );
  }

  open(): Promise<Alert[]> {
    return this.db.all((q, { alert: it }) => q.select().from(it).where(ne(it.state, "resolved")).orderBy(asc(it.id)));
  }

  byId(id: string): Promise<Alert | null> {
    return this.db.one((q, { alert: it }) => q.select().from(it).where(eq(it.id, id)));
  }

  page(states: readonly Alert["state"][], window: PageWindow): Promise<Alert[]> {
    return this.db.all((q, { alert: it }) =>
      q
        .select()
        .from(it)
        .where(and(inArray(it.state, [...states]), afterId(it.id, window)))
        .orderBy(desc(it.id))
        .limit(window.limit),
    );
  }

  async save(put: readonly Alert[], drop: readonly string[]): Promise<void> {
    if (put.length === 0 && drop.length === 0) return;
    await this.db.tx(function* () {
      for (const { id, ...set } of put) {
        const isThere = yield* anyRow((q, { alert: it }) =>
          q.update(it).set(set).where(eq(it.id, id)).returning({ id: it.id }),
        );
        if (isThere) continue;
        yield* run((q, { alert: it }) =>
          q
            .insert(it)
            .values({ id, ...set })
            .onConflictDoNothing(),
        );
      }
      if (drop.length > 0) yield* run((q, { alert: it }) => q.delete(it).where(inArray(it.id, [...drop])));
    });
  }

  tell({ id, ...set }: Alert, record: SerialisedRecord): Promise<boolean> {
    const { state } = set;
    return this.db.change("all", record, () =>
      anyRow((q, { alert: it }) => {
        const isNew = state === "firing" ? isNull(it.told_at) : ne(it.state, state);
        return q
          .update(it)
          .set(set)
          .where(and(eq(it.id, id), isNew))
          .returning({ id: it.id });
      }),
    );
  }

  dropBefore(resolvedBefore: number): Promise<number> {
    return inBatches(this.db, function* (atMost) {
      const gone = yield* all((q, { alert: it }) => {
        const some = q.select({ id: it.id }).from(it).where(lt(it.resolved_at, resolvedBefore)).limit(atMost);
        return q.delete(it).where(inArray(it.id, some)).returning({ id: it.id });
      });
      yield* run((q, { alertSilence: it }) => q.delete(it).where(lt(it.until, resolvedBefore)));
      return gone.length;
    });
  }

  silences(now: number): Promise<AlertSilence[]> {
    return this.db.all((q, { alertSilence: it }) =>
      q
        .select()
        .from(it)
        .where(and(gt(it.until, now), isNull(it.ended_at)))
        .orderBy(desc(it.id)),
    );
  }

  silence(silence: AlertSilence, record: SerialisedRecord, most: number): Promise<boolean> {
    const { created_at } = silence;
    return this.db.change("all", record, function* () {
      const open = yield* counted(({ alertSilence: it }) => [it, and(gt(it.until, created_at), isNull(it.ended_at))]);
      if (open >= most) return false;
      yield* run((q, { alertSilence: it }) => q.insert(it).values(silence));
      return true;
    });
  }

  endSilence(id: string, at: number, record: SerialisedRecord): Promise<boolean> {
    return this.db.change("all", record, () =>
      anyRow((q, { alertSilence: it }) =>
        q
          .update(it)
          .set({ ended_at: at })
          .where(and(eq(it.id, id), isNull(it.ended_at), gt(it.until, at)))
          .returning({ id: it.id }),
      ),
    );
  }

  async notices(alertId: string): Promise<AlertNotice[]> {
    const rows = await this.db.all((q, { alertNotice: it }) =>
      q.select().from(it).where(eq(it.alert_id, alertId)).orderBy(asc(it.id)),
    );
    return rows.map((row) => this.#reader.notice(row));
  }

  async notice(id: string): Promise<AlertNotice | null> {
    const row = await this.db.one((q, { alertNotice: it }) => q.select().from(it).where(eq(it.id, id)));
    return row && this.#reader.notice(row);
  }

  async queueNotice(notice: AlertNotice, job: Omit<Job, "ref">): Promise<void> {
    const { alert_id, destination_id } = notice;
    const { jobs } = this;
    await this.db.tx(function* () {
      const isThere = yield* anyRow((q, t) =>
        q.select({ id: t.alert.id }).from(t.alert).where(eq(t.alert.id, alert_id)),
      );
      if (!isThere || !(yield* anyRow(destinationOf(destination_id)))) return;
      yield* run((q, { alertNotice: it }) => q.insert(it).values(notice).onConflictDoNothing());
      const kept = yield* one((q, { alertNotice: it }) =>
        q
          .select({ id: it.id })
          .from(it)
          .where(and(eq(it.alert_id, alert_id), eq(it.destination_id, destination_id))),
      );
      if (kept !== null) yield* jobs.put({ ...job, ref: kept.id });
    });
  }

  async saveNotice(id: string, patch: Parameters<AlertStore["saveNotice"]>[1]): Promise<void> {
    await this.db.tx(() => run((q, { alertNotice: it }) => q.update(it).set(patch).where(eq(it.id, id))));
  }

  async noteFigures(figures: NodeFigures): Promise<void> {
    const { self } = this;
    if (self === null) return;
    const set = { epoch: self.epoch, figures };
    await this.db.tx(() =>
      run((q, { nodeFigures: it }) =>
        q
          .insert(it)
          .values({ node: self.id, ...set })
          .onConflictDoUpdate({ target: it.node, set }),
      ),
    );
  }

  async figures(): Promise<{ node: string; live: boolean; figures: NodeFigures }[]> {
    const rows = await this.db.read(function* () {
      const now = yield* moment();
      return yield* all((q, { nodeFigures: it, node }) => {
        const isLive = and(eq(node.id, it.node), eq(node.epoch, it.epoch), eq(node.state, "live"), gt(node.until, now));
        const said = { node: it.node, figures: it.figures, live: node.id };
        return q.select(said).from(it).leftJoin(node, isLive).orderBy(asc(it.node));
      });
    });
    return rows.flatMap(({ live, ...row }) => this.#reader.figures({ ...row, live: live !== null }));
  }
}
