import { and, desc, eq, inArray, isNull, type SQL } from "drizzle-orm";
import type { PageWindow } from "#core/page";
import { OPEN_STATES } from "#policy/tuning/states";
import type { Suggestion, SuggestionState } from "#policy/tuning/suggestion";
import type { SuggestionStore, SuggestionsSeen } from "#store/loop-port";
import type { SerialisedRecord } from "#store/record";
import { type Connection, counted } from "./connection";
import { tables } from "./schema";
import { changing, SuggestionReader } from "./suggestion-rows";
import { afterMoment, isOver, mergedNewest, newestFirst, notOver, seenBy } from "./windows";

const { suggestion } = tables;

const ORDERED = { table: suggestion, at: suggestion.created_at, id: suggestion.id };

/** What `standingOf` of `core/tuning/states.ts` calls a state, as conditions of one kept state each. */
const inState = (state: SuggestionState, now: number): readonly (SQL | undefined)[] => {
  const approved = eq(suggestion.status, "approved");
  if (state === "approved") return [and(approved, notOver(suggestion.expires_at, now))];
  const kept = eq(suggestion.status, state);
  return state === "expired" ? [kept, and(approved, isOver(suggestion.expires_at, now))] : [kept];
};

export class SqliteSuggestions implements SuggestionStore {
  readonly #reader = new SuggestionReader();

  constructor(private readonly connection: Connection) {}

  async create(it: Suggestion, record: SerialisedRecord, most = Number.POSITIVE_INFINITY): Promise<boolean> {
    return this.connection.change("all", record, () => {
      const { agent_id: agent, user_id: user } = it;
      const whose =
        agent === null
          ? and(eq(suggestion.user_id, user), isNull(suggestion.agent_id))
          : eq(suggestion.agent_id, agent);
      const open = and(whose, inArray(suggestion.status, [...OPEN_STATES]));
      if (counted(this.connection.queries, suggestion, open) >= most) return false;
      this.put(it);
      return true;
    });
  }

  async byId(id: string): Promise<Suggestion | null> {
    return this.#where(eq(suggestion.id, id))[0] ?? null;
  }

  async list(filter: Parameters<SuggestionStore["list"]>[0]): Promise<Suggestion[]> {
    const { user_id: user, agent_id: agent, states } = filter;
    return this.#where(
      user === undefined ? undefined : eq(suggestion.user_id, user),
      agent === undefined ? undefined : eq(suggestion.agent_id, agent),
      states === undefined ? undefined : inArray(suggestion.status, [...states]),
    );
  }

  async page(
    { user_id, agent_id, states, seen_by, effect, now }: SuggestionsSeen,
    window: PageWindow,
  ): Promise<Suggestion[]> {
    const whose = and(
      user_id === undefined ? undefined : eq(suggestion.user_id, user_id),
      agent_id === undefined ? undefined : eq(suggestion.agent_id, agent_id),
      effect === undefined ? undefined : eq(suggestion.effect, effect),
      seen_by === undefined ? undefined : seenBy(seen_by, { agent: suggestion.agent_id, user: suggestion.user_id }),
      afterMoment(this.connection, ORDERED, window),
    );
    const inStates = states === undefined ? [undefined] : states.flatMap((state) => inState(state, now));
    const found = inStates.map((here) => {
      const rows = this.connection.queries.select().from(suggestion).where(and(whose, here));
      const newest = rows.orderBy(...newestFirst(ORDERED)).limit(window.limit);
      return newest.all().map((row) => this.#reader.checked(row));
    });
    return [...mergedNewest(found, window.limit)];
  }

  async save(it: Suggestion, expected: number, record: SerialisedRecord): Promise<boolean> {
    return this.connection.change("all", record, () => this.replace(it, expected));
  }

  /** Within a change. */
  put(it: Suggestion): void {
    this.connection.queries.insert(suggestion).values(it).run();
  }

  /** Within a change. False, and nothing is written, when its revision is no longer `expected`. */
  replace(it: Suggestion, expected: number): boolean {
    // Two writers that both keep the number would both believe that they were first.
    if (it.revision <= expected) throw new Error(`Suggestion ${it.id} is to be saved with its old revision`);
    const asRead = and(eq(suggestion.id, it.id), eq(suggestion.revision, expected));
    const update = this.connection.queries.update(suggestion).set(changing(it)).where(asRead);
    return update.returning({ id: suggestion.id }).all().length === 1;
  }

  #where(...conditions: (SQL | undefined)[]): Suggestion[] {
    const found = this.connection.queries
      .select()
      .from(suggestion)
      .where(and(...conditions));
    const newest = [desc(suggestion.created_at), desc(suggestion.id)];
    return found
      .orderBy(...newest)
      .all()
      .map((row) => this.#reader.checked(row));
  }
}
