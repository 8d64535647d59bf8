import { and, desc, eq, inArray, isNull, type SQL } from "drizzle-orm";
import type { PageWindow } from "#core/page";
import { OPEN_STATES } from "#policy/tuning/states";
import type { Suggestion, SuggestionState } from "#policy/tuning/suggestion";
import { all, anyRow, type Db, run, type Steps } from "#store/db";
import type { SuggestionStore, SuggestionsSeen } from "#store/loop-port";
import type { SerialisedRecord } from "#store/record";
import type { Tables } from "#store/tables";
import { changing, SuggestionReader } from "./suggestion-rows";
import {
  afterMoment,
  counted,
  isOver,
  mergedNewest,
  newestFirst,
  notOver,
  type Ordered,
  seenBy,
  startOf,
} from "./windows";

type Where = (tables: Tables) => SQL | undefined;

const ordered = ({ suggestion }: Tables): Ordered => ({
  table: suggestion,
  at: suggestion.created_at,
  id: suggestion.id,
});

/** What `standingOf` of `core/tuning/states.ts` calls a state, as conditions of one kept state each. */
const inState = (state: SuggestionState, now: number): readonly Where[] => {
  const kept: Where = ({ suggestion }) => eq(suggestion.status, state);
  const approved: Where = ({ suggestion: it }) => and(eq(it.status, "approved"), notOver(it.expires_at, now));
  const lapsed: Where = ({ suggestion: it }) => and(eq(it.status, "approved"), isOver(it.expires_at, now));
  if (state === "approved") return [approved];
  return state === "expired" ? [kept, lapsed] : [kept];
};

export class Suggestions implements SuggestionStore {
  readonly #reader = new SuggestionReader();

  constructor(private readonly db: Db) {}

  create(it: Suggestion, record: SerialisedRecord, most = Number.POSITIVE_INFINITY): Promise<boolean> {
    const { agent_id: agent, user_id: user } = it;
    const suggestions = this;
    return this.db.change("all", record, function* () {
      const open = yield* counted(({ suggestion }) => {
        const theirs = and(eq(suggestion.user_id, user), isNull(suggestion.agent_id));
        const whose = agent === null ? theirs : eq(suggestion.agent_id, agent);
        return [suggestion, and(whose, inArray(suggestion.status, [...OPEN_STATES]))];
      });
      if (open >= most) return false;
      yield* suggestions.put(it);
      return true;
    });
  }

  async byId(id: string): Promise<Suggestion | null> {
    return (await this.#where(({ suggestion }) => eq(suggestion.id, id)))[0] ?? null;
  }

  list(filter: Parameters<SuggestionStore["list"]>[0]): Promise<Suggestion[]> {
    const { user_id: user, agent_id: agent, states } = filter;
    return this.#where(({ suggestion }) =>
      and(
        user === undefined ? undefined : eq(suggestion.user_id, user),
        agent === undefined ? undefined : eq(suggestion.agent_id, agent),
        states === undefined ? undefined : inArray(suggestion.status, [...states]),
      ),
    );
  }

  async page(seen: SuggestionsSeen, window: PageWindow): Promise<Suggestion[]> {
    const { states, now } = seen;
    const inStates: readonly Where[] = states?.flatMap((state) => inState(state, now)) ?? [() => undefined];
    const lists = await this.db.read(function* () {
      const start = yield* startOf(ordered, window);
      const found: (readonly Raw[])[] = [];
      for (const here of inStates) {
        const rows = yield* all((q, t) => {
          const which = and(whose(t, seen), afterMoment(ordered(t), start), here(t));
          const newest = newestFirst(ordered(t));
          return q
            .select()
            .from(t.suggestion)
            .where(which)
            .orderBy(...newest)
            .limit(window.limit);
        });
        found.push(rows);
      }
      return found;
    });
    return mergedNewest(lists, window.limit).map((row) => this.#reader.checked(row));
  }

  save(it: Suggestion, expected: number, record: SerialisedRecord): Promise<boolean> {
    return this.db.change("all", record, () => this.replace(it, expected));
  }

  /** Within a change. */
  *put(it: Suggestion): Steps<void> {
    yield* run((q, { suggestion }) => q.insert(suggestion).values(it));
  }

  /** Within a change. False, and nothing is written, when its revision is no longer `expected`. */
  *replace(it: Suggestion, expected: number): Steps<boolean> {
    // Two writers that both keep the number would both believe that they were first.
    if (it.revision <= expected) throw new Error(`Suggestion ${it.id} is to be saved with its old revision`);
    return yield* anyRow((q, { suggestion }) => {
      const asRead = and(eq(suggestion.id, it.id), eq(suggestion.revision, expected));
      return q.update(suggestion).set(changing(it)).where(asRead).returning({ id: suggestion.id });
    });
  }

  async #where(where: Where): Promise<Suggestion[]> {
    const rows = await this.db.all((q, t) => {
      const newest = [desc(t.suggestion.created_at), desc(t.suggestion.id)];
      return q
        .select()
        .from(t.suggestion)
        .where(where(t))
        .orderBy(...newest);
    });
    return rows.map((row) => this.#reader.checked(row));
  }
}

type Raw = Tables["suggestion"]["$inferSelect"];

const whose = (tables: Tables, { user_id, agent_id, seen_by, effect }: SuggestionsSeen): SQL | undefined => {
  const { suggestion } = tables;
  const of = { agent: suggestion.agent_id, user: suggestion.user_id };
  return and(
    user_id === undefined ? undefined : eq(suggestion.user_id, user_id),
    agent_id === undefined ? undefined : eq(suggestion.agent_id, agent_id),
    effect === undefined ? undefined : eq(suggestion.effect, effect),
    seen_by === undefined ? undefined : seenBy(tables, seen_by, of),
  );
};
