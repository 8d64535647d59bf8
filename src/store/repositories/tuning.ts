import { and, desc, eq, getTableColumns, gt, isNull, type SQL, sql } from "drizzle-orm";
import type { PageWindow } from "#core/page";
import type { TuningRule } from "#policy/tuning/rule";
import type { Suggestion } from "#policy/tuning/suggestion";
import { all, type Db, type Queries, run, type Steps } from "#store/db";
import type { RulesSeen, TuningStore } from "#store/loop-port";
import type { SerialisedRecord } from "#store/record";
import { StoredShape, strings } from "#store/stored";
import type { Tables } from "#store/tables";
import type { Policies } from "./policies";
import type { Suggestions } from "./suggestions";
import { Change, Match } from "./tuning-shapes";
import { afterMoment, isOver, newestFirst, type Ordered, seenBy, startOf } from "./windows";

type RuleTable = Tables["tuningRule"];
type Row = RuleTable["$inferInsert"];
type Where = (rule: RuleTable) => SQL | undefined;
type From = { readonly next: Suggestion; readonly expected: number } | null;
type RecordOf = (revision: number) => SerialisedRecord;

const shown = (rule: RuleTable) => {
  const { changed: _changed, ...columns } = getTableColumns(rule);
  return columns;
};

const ordered = ({ tuningRule }: Tables): Ordered => ({
  table: tuningRule,
  at: tuningRule.created_at,
  id: tuningRule.id,
});

type RuleChange = {
  /** Of the rule that there is already. */
  readonly id: string | null;
  /** What it becomes with the policy revision that is to come; null where it cannot. */
  readonly next: (revision: number, known: TuningRule | null) => TuningRule | null;
  readonly write: (row: Row) => Steps<void>;
};

type TuningNeeds = {
  readonly db: Db;
  readonly policies: Policies;
  readonly suggestions: Suggestions;
  readonly now: () => number;
};

type Json = "match" | "change" | "approved_by";
type Raw = Omit<TuningRule, Json> & { readonly [K in Json]: unknown };

/** Checks what stands in the JSON columns of a rule. */
class RuleReader {
  readonly #match = new StoredShape(Match);
  readonly #change = new StoredShape(Change);

  checked({ match, change, approved_by: approvers, ...row }: Raw): TuningRule {
    const of = `of tuning rule ${row.id}`;
    return {
      ...row,
      match: this.#match.read(match, `match ${of}`),
      change: this.#change.read(change, `change ${of}`),
      approved_by: strings(approvers, `approvers ${of}`),
    };
  }
}

export class Tuning implements TuningStore {
  readonly #reader = new RuleReader();

  constructor(private readonly deps: TuningNeeds) {}

  async apply(
    it: Omit<TuningRule, "revision">,
    from: From,
    base: number,
    record: RecordOf,
  ): Promise<TuningRule | null> {
    const next = (revision: number) => (revision === base + 1 ? { ...it, revision } : null);
    return this.#change(from, record, { id: null, next, write: insert });
  }

  async change(
    id: string,
    patch: Parameters<TuningStore["change"]>[1],
    from: From,
    record: RecordOf,
  ): Promise<TuningRule | null> {
    const next = (revision: number, known: TuningRule | null) =>
      known?.status === "active" ? { ...known, ...patch, revision } : null;
    return this.#change(from, record, { id, next, write: update });
  }

  async byId(id: string): Promise<TuningRule | null> {
    return (await this.#list((rule) => eq(rule.id, id)))[0] ?? null;
  }

  ofSubject(subject: { readonly agent_id: string } | { readonly user_id: string }): Promise<TuningRule[]> {
    if ("agent_id" in subject) return this.#list((rule) => eq(rule.agent_id, subject.agent_id));
    return this.#list((rule) => and(eq(rule.user_id, subject.user_id), isNull(rule.agent_id)));
  }

  active(): Promise<TuningRule[]> {
    return this.#list((rule) => eq(rule.status, "active"));
  }

  runOut(now: number): Promise<TuningRule[]> {
    return this.#list((rule) => and(eq(rule.status, "active"), isOver(rule.expires_at, now)));
  }

  async page(seen: RulesSeen, window: PageWindow): Promise<TuningRule[]> {
    const rows = await this.deps.db.read(function* () {
      const start = yield* startOf(ordered, window);
      return yield* all((q, t) => {
        const which = and(whose(t, seen), afterMoment(ordered(t), start));
        return q
          .select(shown(t.tuningRule))
          .from(t.tuningRule)
          .where(which)
          .orderBy(...newestFirst(ordered(t)))
          .limit(window.limit);
      });
    });
    return rows.map((row) => this.#reader.checked(row));
  }

  async hit(hits: Parameters<TuningStore["hit"]>[0]): Promise<void> {
    if (hits.length === 0) return;
    // In one order everywhere: two processes that count hits of the same rules do not wait for each other.
    const sorted = hits.toSorted((one, other) => (one.id < other.id ? -1 : 1));
    await this.deps.db.tx(function* () {
      for (const { id, hits: more, at } of sorted) {
        yield* run((q, { tuningRule: it }) => {
          const last_hit_at = sql`case when ${it.last_hit_at} > ${at} then ${it.last_hit_at} else ${at} end`;
          return q
            .update(it)
            .set({ hits: sql`${it.hits} + ${more}`, last_hit_at })
            .where(eq(it.id, id));
        });
      }
    });
  }

  *changedAfter(revision: number): Steps<TuningRule[]> {
    return yield* this.#where((rule) => gt(rule.changed, revision));
  }

  async #change(from: From, record: RecordOf, { id, next, write }: RuleChange): Promise<TuningRule | null> {
    const { db, policies, suggestions, now } = this.deps;
    const tuning = this;
    let made: TuningRule | null = null;
    await db.changeAs("policies", function* (changed) {
      const latest = yield* policies.newest();
      const [known = null] = id === null ? [] : yield* tuning.#where((rule) => eq(rule.id, id));
      const rule = latest === null ? null : next(latest.revision + 1, known);
      if (latest === null || rule === null) return null;
      if (from !== null && !(yield* suggestions.replace(from.next, from.expected))) return null;
      yield* policies.put({ revision: rule.revision, source: latest.source, created_at: now() });
      yield* write({ ...rule, changed });
      made = rule;
      return record(rule.revision);
    });
    return made;
  }

  async #list(where: Where): Promise<TuningRule[]> {
    return (await this.deps.db.all(rulesOf(where))).map((row) => this.#reader.checked(row));
  }

  *#where(where: Where): Steps<TuningRule[]> {
    return (yield* all(rulesOf(where))).map((row) => this.#reader.checked(row));
  }
}

const rulesOf =
  (where: Where) =>
  (q: Queries, { tuningRule }: Tables) => {
    const newest = [desc(tuningRule.created_at), desc(tuningRule.id)];
    const found = q.select(shown(tuningRule)).from(tuningRule).where(where(tuningRule));
    return found.orderBy(...newest);
  };

const insert = (row: Row): Steps<void> => run((q, { tuningRule }) => q.insert(tuningRule).values(row));

const update = ({ id, mode, status, expires_at, ended_at, change, match, revision, changed }: Row): Steps<void> => {
  const set = { mode, status, expires_at, ended_at, change, match, revision, changed };
  return run((q, { tuningRule }) => q.update(tuningRule).set(set).where(eq(tuningRule.id, id)));
};

const whose = (tables: Tables, { seen_by, agent_id }: RulesSeen): SQL | undefined => {
  const { tuningRule: rule } = tables;
  const which = agent_id === undefined ? eq(rule.status, "active") : eq(rule.agent_id, agent_id);
  if (seen_by === undefined) return which;
  return and(which, seenBy(tables, seen_by, { agent: rule.agent_id, user: rule.user_id }));
};
