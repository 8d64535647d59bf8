import { and, asc, desc, eq, inArray } from "drizzle-orm";
import type { PageWindow } from "#core/page";
import type { ReviewState } from "#model/agent";
import { OPEN_STATES, type Review, type ReviewComment, type ReviewDecision } from "#policy/review/review";
import type { AgentPatch, Publication, ReviewStore } from "#store/governance-port";
import type { SerialisedRecord } from "#store/record";
import type { SqliteAgents } from "./agents";
import type { Connection } from "./connection";
import type { SqliteProfiles } from "./profiles";
import { ReviewReader } from "./review-rows";
import { tables } from "./schema";
import { afterMoment, mergedNewest, newestFirst } from "./windows";

const { agent, review, reviewComment, reviewDecision } = tables;

const ORDERED = { table: review, at: review.created_at, id: review.id };

type SavedWith = {
  readonly decision?: ReviewDecision;
  readonly publish?: Publication;
  readonly record: SerialisedRecord;
};

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
      const open = and(eq(review.agent_id, it.agent_id), inArray(review.status, [...OPEN_STATES]));
      if (queries.select({ id: review.id }).from(review).where(open).get() !== undefined) return false;
      queries.insert(review).values(it).run();
      this.agents.mustPatch(it.agent_id, agent, changed);
      return true;
    });
  }

  async byId(id: string): Promise<Review | null> {
    const row = this.connection.queries.select().from(review).where(eq(review.id, id)).get();
    return row === undefined ? null : this.#reader.checked(row);
  }

  async ofAgent(agentId: string): Promise<Review[]> {
    const found = this.connection.queries.select().from(review).where(eq(review.agent_id, agentId));
    return found
      .orderBy(desc(review.number))
      .all()
      .map((row) => this.#reader.checked(row));
  }

  async inStates(states: readonly ReviewState[]): Promise<Review[]> {
    const found = this.connection.queries
      .select()
      .from(review)
      .where(inArray(review.status, [...states]));
    const newest = [desc(review.created_at), desc(review.id)];
    return found
      .orderBy(...newest)
      .all()
      .map((row) => this.#reader.checked(row));
  }

  async page(states: readonly ReviewState[], ownerId: string | null, window: PageWindow): Promise<Review[]> {
    const { queries } = this.connection;
    const own = queries
      .select({ id: agent.id })
      .from(agent)
      .where(eq(agent.owner_id, ownerId ?? ""));
    const whose = ownerId === null ? undefined : inArray(review.agent_id, own);
    const after = afterMoment(this.connection, ORDERED, window);
    // A query a state: of several at once SQLite would sort all there are.
    const found = states.map((state) =>
      queries
        .select()
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
      const asRead = and(eq(review.id, it.id), eq(review.agent_id, it.agent_id), eq(review.revision, expected));
      const { id: _id, agent_id: _agent, number: _number, created_at: _made, ...set } = it;
      const update = queries.update(review).set(set).where(asRead);
      if (update.returning({ id: review.id }).all().length === 0) return false;
      if (decision !== undefined) queries.insert(reviewDecision).values(decision).run();
      if (publish !== undefined) this.profiles.put(it.agent_id, publish, changed);
      return true;
    });
  }

  async decisions(reviewId: string): Promise<ReviewDecision[]> {
    const found = this.connection.queries.select().from(reviewDecision);
    const order = [asc(reviewDecision.at), asc(reviewDecision.id)];
    return found
      .where(eq(reviewDecision.review_id, reviewId))
      .orderBy(...order)
      .all();
  }

  async comment(it: ReviewComment, record: SerialisedRecord): Promise<void> {
    this.connection.change("all", record, () => {
      this.connection.queries.insert(reviewComment).values(it).run();
      return true;
    });
  }

  async comments(reviewId: string): Promise<ReviewComment[]> {
    const found = this.connection.queries.select().from(reviewComment);
    const order = [asc(reviewComment.at), asc(reviewComment.id)];
    return found
      .where(eq(reviewComment.review_id, reviewId))
      .orderBy(...order)
      .all();
  }
}
