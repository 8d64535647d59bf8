import { isRecord } from "#core/json/json";
import type { ReviewActor } from "#features/reviews/service";
import type { Agent } from "#model/agent";
import { CLI_ACTOR } from "#model/change";
import { AnswersCheck } from "#policy/review/answers";
import { OPEN_STATES } from "#policy/review/review";
import { agentFields, agentNamed, agentsOf } from "./agents";
import { CliExit, EXIT, usage } from "./exit";
import { readDocument } from "./input";
import { card } from "./output";
import { type CliSession, changing } from "./session";
import type { Invocation, RunVerb } from "./verb";

const reviewsOf = ({ parts }: CliSession) => ({ service: parts.reviewService, queries: parts.reviewQueries });

/** The user named by `--as`, under the same rules as under `/api`. */
const actingAs = async ({ access }: CliSession, { args }: Invocation): Promise<ReviewActor> => {
  const user = await access.userByEmail(args.need("as"));
  return { user, by: { ...CLI_ACTOR, user_id: user.id } };
};

/** The agent as it is now, and how far its review is. */
const result = async (session: CliSession, acting: ReviewActor, agentId: string, reviewId: string) => {
  const { service, queries } = reviewsOf(session);
  const { agent, review } = await service.passage(acting.user, reviewId);
  const { tier, points, status, number, approvals, content_hash } = await queries.whole(acting.user, {
    review,
    agent,
  });
  const shown = await agentsOf(session).shown(agent);
  return { ...shown, review: { id: reviewId, number, status, tier, points, content_hash, approvals }, id: agentId };
};
type Result = Awaited<ReturnType<typeof result>>;

const show = async ({ out }: Invocation, { review, ...agent }: Result): Promise<void> => {
  const { required, given, needs_admin } = review.approvals;
  const approvals = `${given.length} of ${required}${needs_admin ? ", one of them an administrator's" : ""}`;
  const risk = review.tier === null ? null : `${review.tier}, ${review.points} of 20 points`;
  const name = `no. ${review.number}, ${review.status}, ${review.id}`;
  await out.result({ ...agent, review }, card({ ...agentFields(agent), review: name, risk, approvals }));
};

const openReview = async ({ store }: CliSession, agent: Agent) =>
  (await store.reviews.ofAgent(agent.id)).find(({ status }) => OPEN_STATES.includes(status)) ?? null;

/** Throws a usage `CliExit` that names everything at once, so that a file is not mended one answer at a time. */
const mustBeComplete = async ({ store }: CliSession, agent: Agent, given: unknown): Promise<void> => {
  const earlier = (await store.reviews.ofAgent(agent.id)).find(
    ({ status }) => OPEN_STATES.includes(status) || status === "approved",
  );
  const problems = new AnswersCheck().problems(isRecord(given) ? { ...earlier?.answers, ...given } : given);
  if (problems.length > 0)
    throw usage(`The answers cannot be submitted:\n${problems.map((line) => `  ${line}`).join("\n")}`);
};

export const submitAgent: RunVerb = async (invocation) => {
  const { args } = invocation;
  const answers = await readDocument(invocation, "answers");
  const done = await changing(invocation, async (session) => {
    const acting = await actingAs(session, invocation);
    const agent = await agentNamed(session, args, acting.user.email);
    const { service } = reviewsOf(session);
    const open = await openReview(session, agent);
    await mustBeComplete(session, agent, answers);
    if (!open) {
      const review = await service.create(acting, await service.agent(acting.user, agent.id), answers, true);
      return result(session, acting, agent.id, review.id);
    }
    const passage = await service.passage(acting.user, open.id);
    const edited = await service.edit(acting, passage, answers);
    // One that was submitted before is submitted anew by the change itself.
    if (edited.status !== "submitted") await service.submit(acting, { ...passage, review: edited });
    return result(session, acting, agent.id, open.id);
  });
  await show(invocation, done);
  return EXIT.ok;
};

export const approveAgent: RunVerb = async (invocation) => {
  const { args, out } = invocation;
  const done = await changing(invocation, async (session) => {
    const acting = await actingAs(session, invocation);
    const agent = await agentNamed(session, args);
    const open = await openReview(session, agent);
    if (!open?.content_hash) throw new CliExit(EXIT.failure, `${agent.name} has no pending review`);
    const { service } = reviewsOf(session);
    const passage = await service.passage(acting.user, open.id);
    const comment = args.text("note") ?? null;
    await service.decide(acting, passage, { decision: "approve", comment, content_hash: open.content_hash });
    return result(session, acting, agent.id, open.id);
  });
  if (done.review.status !== "approved") await out.note("note: another approval is required, by a different person");
  await show(invocation, done);
  return EXIT.ok;
};
