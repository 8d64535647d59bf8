import { and, desc, eq, getTableColumns, gt, isNull, type SQL, sql } from "drizzle-orm";
import type { PageWindow } from "#core/page";
import type { TuningRule } from "#policy/tuning/rule";
import type { Suggestion } from "#policy/tuning/suggestion";
import type { RulesSeen, TuningStore } from "#store/loop-port";
import type { SerialisedRecord } from "#store/record";
import { StoredShape, strings } from "./columns";
import type { Connection } from "./connection";
import type { SqlitePolicies } from "./policies";
import { tables } from "./schema";
import type { SqliteSuggestions } from "./suggestions";
import { Change, Match } from "./tuning-shapes";
import { afterMoment, isOver, newestFirst, seenBy } from "./windows";

const { tuningRule } = tables;
const { changed: _changed, ...columns } = getTableColumns(tuningRule);

const ORDERED = { table: tuningRule, at: tuningRule.created_at, id: tuningRule.id };

type Row = typeof tuningRule.$inferInsert;
type From = { readonly next: Suggestion; readonly expected: number } | null;
type RecordOf = (revision: number) => SerialisedRecord;

type SqliteTuningNeeds = {
  readonly connection: Connection;
  readonly policies: SqlitePolicies;
  readonly suggestions: SqliteSuggestions;
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

export class SqliteTuning implements TuningStore {
  readonly #reader = new RuleReader();

  constructor(private readonly deps: SqliteTuningNeeds) {}

  async apply(
    it: Omit<TuningRule, "revision">,
    from: From,
    base: number,
    record: RecordOf,
  ): Promise<TuningRule | null> {
    return this.#change(from, record, (revision) => (revision === base + 1 ? { ...it, revision } : null), this.#insert);
  }

  async change(
    id: string,
    patch: Parameters<TuningStore["change"]>[1],
    from: From,
    record: RecordOf,
  ): Promise<TuningRule | null> {
    const patched = (revision: number): TuningRule | null => {
      const rule = this.#where(eq(tuningRule.id, id))[0];
      return rule?.status === "active" ? { ...rule, ...patch, revision } : null;
    };
    return this.#change(from, record, patched, this.#update);
  }

  async byId(id: string): Promise<TuningRule | null> {
    return this.#where(eq(tuningRule.id, id))[0] ?? null;
  }

  async ofSubject(subject: { readonly agent_id: string } | { readonly user_id: string }): Promise<TuningRule[]> {
    if ("agent_id" in subject) return this.#where(eq(tuningRule.agent_id, subject.agent_id));
    return this.#where(eq(tuningRule.user_id, subject.user_id), isNull(tuningRule.agent_id));
  }

  async active(): Promise<TuningRule[]> {
    return this.#where(eq(tuningRule.status, "active"));
  }

  async runOut(now: number): Promise<TuningRule[]> {
    return this.#where(eq(tuningRule.status, "active"), isOver(tuningRule.expires_at, now));
  }

  async page({ seen_by, agent_id }: RulesSeen, window: PageWindow): Promise<TuningRule[]> {
    const which = agent_id === undefined ? eq(tuningRule.status, "active") : eq(tuningRule.agent_id, agent_id);
    const seen =
      seen_by === undefined ? undefined : seenBy(seen_by, { agent: tuningRule.agent_id, user: tuningRule.user_id });
    const found = this.deps.connection.queries.select(columns).from(tuningRule);
    return found
      .where(and(which, seen, afterMoment(this.deps.connection, ORDERED, window)))
      .orderBy(...newestFirst(ORDERED))
      .limit(window.limit)
      .all()
      .map((row) => this.#reader.checked(row));
  }

  async hit(hits: Parameters<TuningStore["hit"]>[0]): Promise<void> {
    if (hits.length === 0) return;
    const { connection } = this.deps;
    await connection.writeSoon<void>(() => {
      for (const { id, hits: more, at } of hits) {
        const last_hit_at = sql`max(ifnull(${tuningRule.last_hit_at}, ${at}), ${at})`;
        const set = { hits: sql`${tuningRule.hits} + ${more}`, last_hit_at };
        connection.queries.update(tuningRule).set(set).where(eq(tuningRule.id, id)).run();
      }
    });
  }

  changedAfter(revision: number): TuningRule[] {
    return this.#where(gt(tuningRule.changed, revision));
  }

  /** `make` is asked under the write lock, and given the policy revision that is to come. */
  #change(
    from: From,
    record: RecordOf,
    make: (revision: number) => TuningRule | null,
    write: (row: Row) => void,
  ): TuningRule | null {
    const { connection, policies, suggestions, now } = this.deps;
    let made: TuningRule | null = null;
    connection.changeAs("policies", (changed) => {
      const latest = policies.newest();
      const next = latest === null ? null : make(latest.revision + 1);
      if (latest === null || next === null) return null;
      if (from !== null && !suggestions.replace(from.next, from.expected)) return null;
      policies.put({ revision: next.revision, source: latest.source, created_at: now() });
      write({ ...next, changed });
      made = next;
      return record(next.revision);
    });
    return made;
  }

  readonly #insert = (row: Row): void => {
    this.deps.connection.queries.insert(tuningRule).values(row).run();
  };

  readonly #update = ({ id, mode, status, expires_at, ended_at, change, match, revision, changed }: Row): void => {
    const set = { mode, status, expires_at, ended_at, change, match, revision, changed };
    this.deps.connection.queries.update(tuningRule).set(set).where(eq(tuningRule.id, id)).run();
  };

  #where(...conditions: (SQL | undefined)[]): TuningRule[] {
    const found = this.deps.connection.queries
      .select(columns)
      .from(tuningRule)
      .where(and(...conditions));
    const newest = [desc(tuningRule.created_at), desc(tuningRule.id)];
    return found
      .orderBy(...newest)
      .all()
      .map((row) => this.#reader.checked(row));
  }
}
