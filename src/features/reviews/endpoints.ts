import type { ErrorCode } from "#core/errors";
import { GuardError } from "#core/errors";
import { Type } from "#core/schema";
import { Answered, type ClientTypes, endpoint, personRouter, type RouterNeeds } from "#http/endpoint";
import { PAGE_QUERY } from "#http/openapi/schemas";
import { pageOf, readPage } from "#http/page";
import { REVIEW_STATES, type ReviewState } from "#model/agent";
import { personActor } from "#model/change";
import type { Person } from "#model/session";
import type { Review } from "#policy/review/review";
import type { ReviewQueries } from "./queries";
import { CompiledPreview, NewComment, NewDecision, NewReview, ReviewChange, ReviewPage, WholeReview } from "./schema";
import type { Passage, ReviewActor, ReviewService } from "./service";

type ReviewEndpointNeeds = {
  readonly service: ReviewService;
  readonly queries: ReviewQueries;
};

/** What waits for a reviewer. */
const QUEUE: readonly ReviewState[] = ["submitted", "in_review"];

const MOVING: readonly ErrorCode[] = ["state_conflict", "stale_base", "no_eligible_approver", "invalid_value"];
const MOVED = { answers: { 200: WholeReview }, errors: MOVING } as const;
const ANSWERS = { purpose: { intended_use: "Answers customers.", audience: "customer" } };
const STATES = Type.String({
  description: `One or several of ${REVIEW_STATES.join(", ")}, with commas between.`,
  examples: ["submitted,in_review"],
});

/** Agent Review, for signed-in people. For no gateway token: no agent approves itself. */
const reviewEndpoints = ({ service, queries }: ReviewEndpointNeeds) => {
  const whole = async ({ user }: Person, id: string): Promise<WholeReview> =>
    queries.whole(user, await service.passage(user, id));
  const moving = async (
    person: Person,
    id: string,
    work: (acting: ReviewActor, passage: Passage) => Promise<Review>,
  ): Promise<WholeReview> => {
    const review = await work(actingAs(person), await service.passage(person.user, id));
    // Read again: the agent may have changed with it.
    return whole(person, review.id);
  };
  return [
    endpoint("GET /api/agents/:id/reviews", {
      summary: "List reviews of an agent",
      query: PAGE_QUERY,
      answers: { 200: ReviewPage },
      handler: async ({ person, params, query }) => {
        const agent = await service.agent(person.user, params.id);
        return pageOf(await queries.ofAgent(agent), query);
      },
    }),
    endpoint("POST /api/agents/:id/reviews", {
      summary: "Create a review of an agent, or submit it at once",
      body: { schema: NewReview, example: { answers: ANSWERS } },
      answers: { 201: WholeReview },
      errors: MOVING,
      handler: async ({ person, params, body: { answers, submit = false } }) => {
        const agent = await service.agent(person.user, params.id);
        const review = await service.create(actingAs(person), agent, answers, submit);
        return queries.whole(person.user, { review, agent });
      },
    }),
    endpoint("GET /api/reviews", {
      summary: "List reviews",
      query: { status: STATES, ...PAGE_QUERY },
      answers: { 200: ReviewPage },
      handler: ({ person, query }) => {
        const states = statesIn(query.status);
        return readPage(query, (window) => queries.queue(person.user, states, window));
      },
    }),
    endpoint("GET /api/reviews/:id", {
      summary: "Get a review",
      answers: { 200: { schema: WholeReview, headers: { etag: "Goes into If-Match." } } },
      handler: async ({ person, params }) => {
        const review = await whole(person, params.id);
        return new Answered(review, { headers: { etag: `"${review.revision}"` } });
      },
    }),
    endpoint("GET /api/reviews/:id/profile", {
      summary: "Preview the profile the answers compile into, and its changes",
      answers: { 200: CompiledPreview },
      errors: ["invalid_value"],
      handler: async ({ person, params }) => service.preview(await service.passage(person.user, params.id)),
    }),
    endpoint("PATCH /api/reviews/:id", {
      summary: "Update the answers of a review",
      headers: {
        "if-match": Type.String({ description: "ETag that was read; fails if the review has changed since." }),
      },
      body: { schema: ReviewChange, example: { answers: ANSWERS } },
      ...MOVED,
      handler: ({ person, params, body: { answers }, request }) =>
        moving(person, params.id, async (acting, passage) => {
          const read = request.headers.get("if-match");
          if (read !== null && read !== `"${passage.review.revision}"`) {
            throw new GuardError("stale_base", "The review changed since it was read. Read it again.");
          }
          return service.edit(acting, passage, answers);
        }),
    }),
    endpoint("POST /api/reviews/:id/submit", {
      summary: "Submit a review",
      ...MOVED,
      handler: ({ person, params }) => moving(person, params.id, (acting, passage) => service.submit(acting, passage)),
    }),
    endpoint("POST /api/reviews/:id/withdraw", {
      summary: "Withdraw a review",
      ...MOVED,
      handler: ({ person, params }) =>
        moving(person, params.id, (acting, passage) => service.withdraw(acting, passage)),
    }),
    endpoint("POST /api/reviews/:id/start", {
      summary: "Start a review",
      ...MOVED,
      handler: ({ person, params }) => moving(person, params.id, (acting, passage) => service.start(acting, passage)),
    }),
    endpoint("POST /api/reviews/:id/decisions", {
      summary: "Approve or reject a review, or request changes",
      body: NewDecision,
      ...MOVED,
      handler: ({ person, params, body }) =>
        moving(person, params.id, (acting, passage) => service.decide(acting, passage, body)),
    }),
    endpoint("POST /api/reviews/:id/comments", {
      summary: "Add a comment to a review",
      body: NewComment,
      ...MOVED,
      handler: ({ person, params, body }) =>
        moving(person, params.id, async (acting, passage) => {
          await service.comment(acting, passage, body);
          return passage.review;
        }),
    }),
  ] as const;
};

const actingAs = (person: Person): ReviewActor => ({ user: person.user, by: personActor(person) });

const isState = (text: string): text is ReviewState => REVIEW_STATES.some((state) => state === text);

/** `?status=submitted,in_review`; what waits for a reviewer unless said. Throws `invalid_value`. */
const statesIn = (text: string | undefined): readonly ReviewState[] => {
  if (text === undefined) return QUEUE;
  const states = text.split(",").filter(isState);
  if (states.length > 0 && states.length === text.split(",").length) return states;
  throw new GuardError("invalid_value", `status must be one or several of ${REVIEW_STATES.join(", ")}.`, {
    param: "status",
  });
};

export type ReviewClient = ClientTypes<ReturnType<typeof reviewEndpoints>[number]>;

export const reviewRoutes = (needs: ReviewEndpointNeeds & Omit<RouterNeeds, "tag">) =>
  personRouter({ ...needs, tag: "Agent Review" }, reviewEndpoints(needs));
