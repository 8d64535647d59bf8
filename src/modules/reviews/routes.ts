import { Elysia } from "elysia";
import { personActor } from "#core/change";
import type { ErrorCode } from "#core/errors";
import { GuardError } from "#core/errors";
import { REVIEW_STATES, type Review, type ReviewState } from "#core/review/review";
import { Type } from "#core/schema";
import type { Person } from "#core/session";
import { ShapeCheck } from "#core/shape-check";
import { bodyOf } from "#http/body";
import { type About, detailOf } from "#http/openapi/about";
import { PAGE_QUERY } from "#http/openapi/shapes";
import { pageOf, readPage } from "#http/page";
import type { signedInPerson } from "#http/person";
import type { ReviewPresenter } from "./presenter";
import { NewComment, NewDecision, NewReview, ReviewChange } from "./schema";
import type { Acting, Passage, ReviewService } from "./service";
import { ReviewPage, WholeReview } from "./shown";

type Deps = {
  readonly service: ReviewService;
  readonly presenter: ReviewPresenter;
  readonly door: ReturnType<typeof signedInPerson>;
  readonly bodyBytes: number;
  /** Throws while nothing can be recorded, or the hub is stopping. */
  readonly admit: () => void;
  /** Takes a change in, so that it holds from the next request on. */
  readonly onChanged: () => Promise<void>;
};

type Query = Readonly<Record<string, string | undefined>>;

/** What waits for a reviewer. */
const QUEUE: readonly ReviewState[] = ["submitted", "in_review"];

/** What the addresses of Agent Review do. */
class ReviewDoors {
  private readonly checks = {
    create: new ShapeCheck(NewReview),
    change: new ShapeCheck(ReviewChange),
    decision: new ShapeCheck(NewDecision),
    comment: new ShapeCheck(NewComment),
  };

  constructor(private readonly deps: Deps) {}

  async queue({ user }: Person, query: Query): Promise<Response> {
    const states = statesIn(query["status"]);
    return Response.json(await readPage(query, (window) => this.deps.presenter.queue(user, states, window)));
  }

  async ofAgent({ user }: Person, agentId: string, query: Query): Promise<Response> {
    const agent = await this.deps.service.agent(user, agentId);
    return Response.json(pageOf(await this.deps.presenter.ofAgent(agent), query));
  }

  create(person: Person, agentId: string, request: Request): Promise<Response> {
    return this.changing(async () => {
      const agent = await this.deps.service.agent(person.user, agentId);
      const { answers, submit } = this.checks.create.check(await this.read(request));
      const review = await this.deps.service.create(actingAs(person), agent, answers, submit ?? false);
      return Response.json(await this.deps.presenter.whole(person.user, { review, agent }), { status: 201 });
    });
  }

  async get({ user }: Person, id: string): Promise<Response> {
    const whole = await this.deps.presenter.whole(user, await this.deps.service.passage(user, id));
    return Response.json(whole, { headers: { etag: `"${whole.revision}"` } });
  }

  /** With `If-Match`, only when nobody changed it since it was read. */
  change(person: Person, id: string, request: Request): Promise<Response> {
    return this.moving(person, id, async (acting, passage) => {
      const read = request.headers.get("if-match");
      if (read !== null && read !== `"${passage.review.revision}"`) {
        throw new GuardError("stale_base", "The review changed since it was read. Read it again.");
      }
      const { answers } = this.checks.change.check(await this.read(request));
      return this.deps.service.edit(acting, passage, answers);
    });
  }

  move(person: Person, id: string, move: "submit" | "withdraw" | "start"): Promise<Response> {
    return this.moving(person, id, (acting, passage) => this.deps.service[move](acting, passage));
  }

  decide(person: Person, id: string, request: Request): Promise<Response> {
    return this.moving(person, id, async (acting, passage) =>
      this.deps.service.decide(acting, passage, this.checks.decision.check(await this.read(request))),
    );
  }

  comment(person: Person, id: string, request: Request): Promise<Response> {
    return this.moving(person, id, async (acting, passage) => {
      await this.deps.service.comment(acting, passage, this.checks.comment.check(await this.read(request)));
      return passage.review;
    });
  }

  private moving(
    person: Person,
    id: string,
    work: (acting: Acting, passage: Passage) => Promise<Review>,
  ): Promise<Response> {
    return this.changing(async () => {
      const review = await work(actingAs(person), await this.deps.service.passage(person.user, id));
      // Read again: the agent may have changed with it.
      return Response.json(
        await this.deps.presenter.whole(person.user, await this.deps.service.passage(person.user, review.id)),
      );
    });
  }

  private async changing(work: () => Promise<Response>): Promise<Response> {
    this.deps.admit();
    const answer = await work();
    await this.deps.onChanged();
    return answer;
  }

  private async read(request: Request): Promise<unknown> {
    return (await bodyOf(request, this.deps.bodyBytes))();
  }
}

const actingAs = (person: Person): Acting => ({ user: person.user, by: personActor(person) });

const isState = (text: string): text is ReviewState => REVIEW_STATES.some((state) => state === text);

/** `?status=submitted,in_review`; what waits for a reviewer unless said. Throws `invalid_value`. */
const statesIn = (text: string | undefined): readonly ReviewState[] => {
  if (text === undefined) return QUEUE;
  const states = text.split(",").filter(isState);
  if (states.length > 0 && states.length === text.split(",").length) return states;
  throw new GuardError("invalid_value", `status is one or several of ${REVIEW_STATES.join(", ")}.`, {
    param: "status",
  });
};

const MOVING: readonly ErrorCode[] = ["state_conflict", "stale_base", "no_eligible_approver", "invalid_value"];
const MOVED: About = { answers: { 200: WholeReview }, errors: MOVING };
const ANSWERS = { purpose: { intended_use: "Answers customers.", audience: "customer" } };
const STATES = Type.String({
  description: `One or several of ${REVIEW_STATES.join(", ")}, with commas between.`,
  examples: ["submitted,in_review"],
});

/** Agent Review, for signed-in people. A gateway token never gets here: no agent approves itself. */
export const reviewRoutes = (deps: Deps) => {
  const doors = new ReviewDoors(deps);
  const about = (summary: string, told: About) => ({
    role: "person" as const,
    parse: "none" as const,
    detail: detailOf("Agent Review", summary, told),
  });
  return new Elysia({ name: "reviews", prefix: "/api" })
    .use(deps.door)
    .get(
      "/agents/:id/reviews",
      ({ person, params, query }) => doors.ofAgent(person, params.id, query),
      about("An agent's reviews", { query: PAGE_QUERY, answers: { 200: ReviewPage } }),
    )
    .post(
      "/agents/:id/reviews",
      ({ person, params, request }) => doors.create(person, params.id, request),
      about("Begin a review of an agent, or submit it at once", {
        body: { schema: NewReview, example: { answers: ANSWERS } },
        answers: { 201: WholeReview },
        errors: MOVING,
      }),
    )
    .get(
      "/reviews",
      ({ person, query }) => doors.queue(person, query),
      about("Reviews that wait", { query: { status: STATES, ...PAGE_QUERY }, answers: { 200: ReviewPage } }),
    )
    .get(
      "/reviews/:id",
      ({ person, params }) => doors.get(person, params.id),
      about("One review", { answers: { 200: { schema: WholeReview, headers: { etag: "Goes into If-Match." } } } }),
    )
    .patch(
      "/reviews/:id",
      ({ person, params, request }) => doors.change(person, params.id, request),
      about("Change its answers", {
        headers: { "if-match": Type.String({ description: "Only when nobody changed it since it was read." }) },
        body: { schema: ReviewChange, example: { answers: ANSWERS } },
        ...MOVED,
      }),
    )
    .post(
      "/reviews/:id/submit",
      ({ person, params }) => doors.move(person, params.id, "submit"),
      about("Submit it", MOVED),
    )
    .post(
      "/reviews/:id/withdraw",
      ({ person, params }) => doors.move(person, params.id, "withdraw"),
      about("Withdraw it", MOVED),
    )
    .post(
      "/reviews/:id/start",
      ({ person, params }) => doors.move(person, params.id, "start"),
      about("Take it up", MOVED),
    )
    .post(
      "/reviews/:id/decisions",
      ({ person, params, request }) => doors.decide(person, params.id, request),
      about("Approve it, reject it, or ask for changes", { body: NewDecision, ...MOVED }),
    )
    .post(
      "/reviews/:id/comments",
      ({ person, params, request }) => doors.comment(person, params.id, request),
      about("Comment on it", { body: NewComment, ...MOVED }),
    );
};
