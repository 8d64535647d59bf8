import { and, asc, desc, eq, inArray } from "drizzle-orm";
import type { Window } from "#core/page";
import { type Decision, OPEN_STATES, type Review, type ReviewComment, type ReviewState } from "#core/review/review";
import type { AgentPatch, Publication, ReviewStore } from "#store/governance-port";
import type { SerialisedRecord } from "#store/record";
import type { SqliteAgents } from "./agents";
import type { Connection } from "./connection";
import type { SqliteProfiles } from "./profiles";
import { columns, commentColumns, decisionColumns, decisionRow, ReviewReader, rowOf } from "./review-rows";
import { tables } from "./schema";
import { afterMoment, mergedNewest, newestFirst } from "./windows";

const { agent, review, reviewComment, reviewDecision } = tables;

const ORDERED = { table: review, at: review.createdAt, id: review.id };

type SavedWith = { readonly decision?: Decision; readonly publish?: Publication; readonly record: SerialisedRecord };

export class SqliteReviews implements ReviewStore {
  readonly #reader = new ReviewReader();

  constructor(
    private readonly connection: Connection,
    private readonly agents: SqliteAgents,
    private readonly profiles: SqliteProfiles,
  ) {}

  async create(it: Review, agent: AgentPatch, record: SerialisedRecord): Promise<boolean> {
    const { queries } = this.connection;
    return this.connection.change("all", record, (changed) => {
      const open = and(eq(review.agentId, it.agent_id), inArray(review.status, [...OPEN_STATES]));
      if (queries.select({ id: review.id }).from(review).where(open).get() !== undefined) return false;
      queries.insert(review).values(rowOf(it)).run();
      this.agents.mustPatch(it.agent_id, agent, changed);
      return true;
    });
  }

  async byId(id: string): Promise<Review | null> {
    const row = this.connection.queries.select(columns).from(review).where(eq(review.id, id)).get();
    return row === undefined ? null : this.#reader.checked(row);
  }

  async ofAgent(agentId: string): Promise<Review[]> {
    const found = this.connection.queries.select(columns).from(review).where(eq(review.agentId, agentId));
    return found
      .orderBy(desc(review.number))
      .all()
      .map((row) => this.#reader.checked(row));
  }

  async inStates(states: readonly ReviewState[]): Promise<Review[]> {
    const found = this.connection.queries
      .select(columns)
      .from(review)
      .where(inArray(review.status, [...states]));
    const newest = [desc(review.createdAt), desc(review.id)];
    return found
      .orderBy(...newest)
      .all()
      .map((row) => this.#reader.checked(row));
  }

  async page(states: readonly ReviewState[], ownerId: string | null, window: Window): Promise<Review[]> {
    const { queries } = this.connection;
    const own = queries
      .select({ id: agent.id })
      .from(agent)
      .where(eq(agent.ownerId, ownerId ?? ""));
    const whose = ownerId === null ? undefined : inArray(review.agentId, own);
    const after = afterMoment(this.connection, ORDERED, window);
    // A query a state: of several at once SQLite would sort all there are.
    const found = states.map((state) =>
      queries
        .select(columns)
        .from(review)
        .where(and(eq(review.status, state), whose, after))
        .orderBy(...newestFirst(ORDERED))
        .limit(window.limit)
        .all()
        .map((row) => this.#reader.checked(row)),
    );
    return [...mergedNewest(found, window.limit)];
  }

  async save(it: Review, expected: number, { decision, publish, record }: SavedWith): Promise<boolean> {
    // Two writers that both keep the number would both believe that they were first.
    if (it.revision <= expected) throw new Error(`Review ${it.id} is to be saved with its old revision`);
    const { queries } = this.connection;
    return this.connection.change("all", record, (changed) => {
      if (publish !== undefined && !this.profiles.follows(it.agent_id, publish)) return false;
      const asRead = and(eq(review.id, it.id), eq(review.agentId, it.agent_id), eq(review.revision, expected));
      const { id: _id, agentId: _agent, number: _number, createdAt: _made, ...set } = rowOf(it);
      const update = queries.update(review).set(set).where(asRead);
      if (update.returning({ id: review.id }).all().length === 0) return false;
      if (decision !== undefined) queries.insert(reviewDecision).values(decisionRow(decision)).run();
      if (publish !== undefined) this.profiles.put(it.agent_id, publish, changed);
      return true;
    });
  }

  async decisions(reviewId: string): Promise<Decision[]> {
    const found = this.connection.queries.select(decisionColumns).from(reviewDecision);
    const order = [asc(reviewDecision.at), asc(reviewDecision.id)];
    return found
      .where(eq(reviewDecision.reviewId, reviewId))
      .orderBy(...order)
      .all();
  }

  async comment(it: ReviewComment, record: SerialisedRecord): Promise<void> {
    const { review_id: reviewId, ...rest } = it;
    this.connection.change("all", record, () => {
      this.connection.queries
        .insert(reviewComment)
        .values({ reviewId, ...rest })
        .run();
      return true;
    });
  }

  async comments(reviewId: string): Promise<ReviewComment[]> {
    const found = this.connection.queries.select(commentColumns).from(reviewComment);
    const order = [asc(reviewComment.at), asc(reviewComment.id)];
    return found
      .where(eq(reviewComment.reviewId, reviewId))
      .orderBy(...order)
      .all();
  }
}
