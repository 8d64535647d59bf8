import { and, asc, desc, eq, inArray, type SQL } from "drizzle-orm";
import type { PageWindow } from "#core/page";
import type { ReviewState } from "#model/agent";
import { OPEN_STATES, type Review, type ReviewComment, type ReviewDecision } from "#policy/review/review";
import { all, anyRow, type Db, run } from "#store/db";
import type { AgentPatch, Publication, ReviewStore } from "#store/governance-port";
import type { SerialisedRecord } from "#store/record";
import type { Tables } from "#store/tables";
import type { Agents } from "./agents";
import type { Profiles } from "./profiles";
import { ReviewReader } from "./review-rows";
import { afterMoment, mergedNewest, newestFirst, type Ordered, startOf } from "./windows";

type ReviewTable = Tables["review"];
type Where = (review: ReviewTable) => SQL | undefined;

const ordered = ({ review }: Tables): Ordered => ({ table: review, at: review.created_at, id: review.id });

const newest = (review: ReviewTable): SQL[] => [desc(review.created_at), desc(review.id)];

type SavedWith = {
  readonly decision?: ReviewDecision;
  readonly publish?: Publication;
  readonly record: SerialisedRecord;
};

export class Reviews implements ReviewStore {
  readonly #reader = new ReviewReader();

  constructor(
    private readonly db: Db,
    private readonly agents: Agents,
    private readonly profiles: Profiles,
  ) {}

  create(it: Review, agent: AgentPatch, record: SerialisedRecord): Promise<boolean> {
    const { agents } = this;
    return this.db.change("all", record, function* (changed) {
      const isOpen = yield* anyRow((q, { review }) => {
        const open = and(eq(review.agent_id, it.agent_id), inArray(review.status, [...OPEN_STATES]));
        return q.select({ id: review.id }).from(review).where(open).limit(1);
      });
      if (isOpen) return false;
      yield* run((q, { review }) => q.insert(review).values(it));
      yield* agents.mustPatch(it.agent_id, agent, changed);
      return true;
    });
  }

  async byId(id: string): Promise<Review | null> {
    return (await this.#list((review) => eq(review.id, id)))[0] ?? null;
  }

  ofAgent(agentId: string): Promise<Review[]> {
    return this.#list(
      (review) => eq(review.agent_id, agentId),
      (review) => [desc(review.number)],
    );
  }

  inStates(states: readonly ReviewState[]): Promise<Review[]> {
    return this.#list((review) => inArray(review.status, [...states]));
  }

  async page(states: readonly ReviewState[], ownerId: string | null, window: PageWindow): Promise<Review[]> {
    const lists = await this.db.read(function* () {
      const start = yield* startOf(ordered, window);
      const found: Raw[][] = [];
      // A query a state: of several at once SQLite would sort all there are.
      for (const state of states) {
        const rows = yield* all((q, t) => {
          const { agent, review } = t;
          const own = q
            .select({ id: agent.id })
            .from(agent)
            .where(eq(agent.owner_id, ownerId ?? ""));
          const whose = ownerId === null ? undefined : inArray(review.agent_id, own);
          return q
            .select()
            .from(review)
            .where(and(eq(review.status, state), whose, afterMoment(ordered(t), start)))
            .orderBy(...newestFirst(ordered(t)))
            .limit(window.limit);
        });
        found.push(rows);
      }
      return found;
    });
    return mergedNewest(lists, window.limit).map((row) => this.#reader.checked(row));
  }

  async save(it: Review, expected: number, { decision, publish, record }: SavedWith): Promise<boolean> {
    // Two writers that both keep the number would both believe that they were first.
    if (it.revision <= expected) throw new Error(`Review ${it.id} is to be saved with its old revision`);
    const { profiles } = this;
    return this.db.change("all", record, function* (changed) {
      if (publish !== undefined && !(yield* profiles.follows(it.agent_id, publish))) return false;
      const isSaved = yield* anyRow((q, { review }) => {
        const asRead = and(eq(review.id, it.id), eq(review.agent_id, it.agent_id), eq(review.revision, expected));
        const { id: _id, agent_id: _agent, number: _number, created_at: _made, ...set } = it;
        return q.update(review).set(set).where(asRead).returning({ id: review.id });
      });
      if (!isSaved) return false;
      if (decision !== undefined) yield* run((q, { reviewDecision }) => q.insert(reviewDecision).values(decision));
      if (publish !== undefined) yield* profiles.put(it.agent_id, publish, changed);
      return true;
    });
  }

  decisions(reviewId: string): Promise<ReviewDecision[]> {
    return this.db.all((q, { reviewDecision: it }) => {
      const found = q.select().from(it).where(eq(it.review_id, reviewId));
      return found.orderBy(asc(it.at), asc(it.id));
    });
  }

  async comment(it: ReviewComment, record: SerialisedRecord): Promise<void> {
    await this.db.change("all", record, function* () {
      yield* run((q, { reviewComment }) => q.insert(reviewComment).values(it));
      return true;
    });
  }

  comments(reviewId: string): Promise<ReviewComment[]> {
    return this.db.all((q, { reviewComment: it }) => {
      const found = q.select().from(it).where(eq(it.review_id, reviewId));
      return found.orderBy(asc(it.at), asc(it.id));
    });
  }

  async #list(where: Where, order = newest): Promise<Review[]> {
    const rows = await this.db.all((q, { review }) =>
      q
        .select()
        .from(review)
        .where(where(review))
        .orderBy(...order(review)),
    );
    return rows.map((row) => this.#reader.checked(row));
  }
}

type Raw = ReviewTable["$inferSelect"];
