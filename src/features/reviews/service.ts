import { GuardError } from "#core/errors";
import { canonicalJson } from "#core/json/json";
import type { Agent, ReviewState } from "#model/agent";
import { type Actor, changeRecord } from "#model/change";
import { mayChange, maySee, mustNotBeRetired, noAgent } from "#model/ownership";
import type { User } from "#model/person";
import type { Clock } from "#platform/clock";
import { sha256Hex } from "#platform/hash";
import { type Ids, isUuid } from "#platform/ids";
import { assertMayDecide, changedSinceRead, decisionOf, hasApproved, mustMove } from "#policy/approval/decisions";
import { rulingOnReview } from "#policy/approval/matters";
import { DECIDING_ROLES } from "#policy/approval/ruling";
import { compileProfile } from "#policy/profile/compile";
import { diffProfiles } from "#policy/profile/diff";
import { AnswersCheck } from "#policy/review/answers";
import { progressOf } from "#policy/review/approvals";
import type { Answers } from "#policy/review/questionnaire";
import type { Review, ReviewComment, ReviewDecision } from "#policy/review/review";
import { riskOf } from "#policy/review/risk";
import { MOVES, type ReviewMove } from "#policy/review/states";
import type { AgentPatch, ProfileStore, Publication, ReviewStore } from "#store/governance-port";
import type { AgentStore, UserStore } from "#store/port";
import { publicationOf } from "./publication";
import type { CompiledPreview, NewComment, NewDecision } from "./schema";
import { submissionOf } from "./submission";

/** Who acts, and how the record names them. */
export type ReviewActor = { readonly user: User; readonly by: Actor };
/** A review with the agent it is about. */
export type Passage = { readonly review: Review; readonly agent: Agent };

type ReviewServiceNeeds = {
  readonly reviews: ReviewStore;
  readonly profiles: Pick<ProfileStore, "byVersion" | "ofAgent">;
  readonly agents: Pick<AgentStore, "byId">;
  readonly users: Pick<UserStore, "byEmail" | "byId" | "byIds" | "ofRoles" | "page">;
  readonly now: Clock;
  readonly ids: Ids;
};

/** What was handed in and lies untouched for so long is withdrawn. */
const IDLE_MS = 30 * 86_400_000;
const WAITING: readonly ReviewState[] = ["submitted", "in_review", "changes_requested"];
const SYSTEM: Actor = { via: "system", user_id: null, agent_id: null, token_id: null };

/**
 * Agent Review: answers, who decides on them, and the profile that comes into force with the last approval, in the same
 * step. Every change writes its audit record; records hold hashes and counts, never answers.
 */
export class ReviewService {
  private readonly check = new AnswersCheck();

  constructor(private readonly deps: ReviewServiceNeeds) {}

  /** Throws `not_found` for a review of an agent one may not see. */
  async passage(user: User, id: string): Promise<Passage> {
    const review = isUuid(id) ? await this.deps.reviews.byId(id.toLowerCase()) : null;
    const agent = review && (await this.deps.agents.byId(review.agent_id));
    if (!review || !agent || !maySee(user, agent)) throw noReview();
    return { review, agent };
  }

  /** An agent one may see. Throws `not_found`. */
  async agent(user: User, id: string): Promise<Agent> {
    const agent = isUuid(id) ? await this.deps.agents.byId(id.toLowerCase()) : null;
    if (!agent || !maySee(user, agent)) throw noAgent();
    return agent;
  }

  /**
   * A new review. Sections that are not given are those that were approved last, so that a change says only what
   * changes. Throws `invalid_value`, `state_conflict` when one is going on, `no_eligible_approver`.
   */
  async create(acting: ReviewActor, agent: Agent, given: unknown, submit: boolean): Promise<Review> {
    mustOwn(acting.user, agent);
    mustNotBeRetired(agent);
    const earlier = await this.deps.reviews.ofAgent(agent.id);
    const now = this.deps.now();
    const draft: Review = {
      id: this.deps.ids(),
      agent_id: agent.id,
      number: (earlier[0]?.number ?? 0) + 1,
      status: "draft",
      answers: { ...approvedIn(earlier)?.answers, ...this.check.ofDraft(given ?? {}) },
      content_hash: null,
      risk: null,
      changes: [],
      submitted_by: null,
      submitted_at: null,
      required: null,
      eligible: [],
      created_at: now,
      updated_at: now,
      revision: 1,
    };
    const { review, patch } = submit
      ? await this.handedIn(acting, { review: draft, agent }, "submitted")
      : { review: draft, patch: {} };
    const record = this.record(acting.by, submit ? "review.submit" : "review.create", review);
    if (await this.deps.reviews.create(review, { ...patch, ...mirrored(agent, review.status) }, record)) return review;
    throw new GuardError("state_conflict", "The agent has an open review. Continue that one, or withdraw it.");
  }

  /** The sections that are given replace what was answered there. Throws as `submit` does when it was submitted. */
  async edit(acting: ReviewActor, { review, agent }: Passage, given: unknown): Promise<Review> {
    mustOwn(acting.user, agent);
    const to = this.after(review, agent, "edit");
    const edited: Review = { ...review, answers: { ...review.answers, ...this.check.ofDraft(given) } };
    if (to !== "submitted") {
      return this.save(review, { ...edited, status: to }, this.record(acting.by, "review.edit", review));
    }
    const { review: next, patch } = await this.handedIn(acting, { review: edited, agent }, to);
    return this.save(review, next, this.record(acting.by, "review.edit", next), publishing(agent, to, patch));
  }

  /** Throws `invalid_value` with the JSON path of what is missing, `state_conflict`, `no_eligible_approver`. */
  async submit(acting: ReviewActor, { review, agent }: Passage): Promise<Review> {
    mustOwn(acting.user, agent);
    const to = this.after(review, agent, "submit");
    const { review: next, patch } = await this.handedIn(acting, { review, agent }, to);
    return this.save(review, next, this.record(acting.by, "review.submit", next), publishing(agent, to, patch));
  }

  async withdraw(acting: ReviewActor, { review, agent }: Passage): Promise<Review> {
    mustOwn(acting.user, agent);
    return this.move(acting.by, { review, agent }, "withdraw");
  }

  /** A reviewer starts the review. Throws `insufficient_scope` for users who may not decide. */
  async start(acting: ReviewActor, passage: Passage): Promise<Review> {
    await this.ruling(acting.user, passage);
    return this.move(acting.by, passage, "start");
  }

  /**
   * Throws `insufficient_scope` for users who are involved, `stale_base` when the answers are others than those read,
   * `invalid_value` when an administrator who decides alone gives no reason, `state_conflict`.
   */
  async decide(acting: ReviewActor, passage: Passage, wanted: NewDecision): Promise<Review> {
    const { review, agent } = passage;
    const { alone, isAdmin } = await this.ruling(acting.user, passage);
    this.after(review, agent, wanted.decision);
    const comment = wanted.comment?.trim() || null;
    const decided = { by: acting.user.id, decision: wanted.decision, comment, alone, at: this.deps.now() };
    const decision: ReviewDecision = {
      id: this.deps.ids(),
      review_id: review.id,
      ...decisionOf({ ...decided, read: wanted.content_hash }, review.content_hash, "comment"),
    };
    const earlier = await this.deps.reviews.decisions(review.id);
    if (wanted.decision === "approve" && hasApproved(acting.user.id, progressOf(review, earlier, isAdmin).given)) {
      throw new GuardError("state_conflict", "You have already approved this. Another person's approval is required.");
    }
    const { complete, given, required } = progressOf(review, [...earlier, decision], isAdmin);
    const move = wanted.decision !== "approve" ? wanted.decision : complete ? "approve" : "endorse";
    const status = this.after(review, agent, move);
    const published = move === "approve" ? await this.publication(review, given) : null;
    const detail = {
      decision: wanted.decision,
      alone,
      approvals: given.length,
      required,
      ...(published && {
        profile: { version: published.profile.version, content_hash: published.profile.content_hash },
      }),
    };
    const next = { ...review, status };
    const record = this.record(acting.by, "review.decide", next, detail);
    return this.save(review, next, record, published ?? publishing(agent, status, {}), decision);
  }

  /**
   * What these answers compile into, beside the profile in force; nothing is kept. Throws `invalid_value` for answers that
   * are not complete.
   */
  async preview({ review, agent }: Passage): Promise<CompiledPreview> {
    const answers = this.check.ofSubmission(review.answers);
    const profile = compileProfile(answers, review.risk ?? riskOf(answers));
    const version = agent.review_status === "revoked" ? null : agent.profile_version;
    const inForce = version === null ? null : await this.deps.profiles.byVersion(agent.id, version);
    return {
      profile,
      content_hash: sha256Hex(canonicalJson(profile)),
      in_force: inForce && { version: inForce.version, content_hash: inForce.content_hash },
      changes: inForce ? diffProfiles(inForce.body, profile) : [],
    };
  }

  /** Throws `insufficient_scope` for auditors, who read and leave nothing. */
  async comment(
    { user, by }: ReviewActor,
    { review, agent }: Passage,
    { text, section }: NewComment,
  ): Promise<ReviewComment> {
    if (user.role === "auditor" && !mayChange(user, agent)) {
      throw new GuardError("insufficient_scope", "Auditors only read reviews.");
    }
    const comment: ReviewComment = {
      id: this.deps.ids(),
      review_id: review.id,
      by: user.id,
      section: section ?? null,
      text,
      at: this.deps.now(),
    };
    const record = this.record(by, "review.comment", review, { comment_id: comment.id, section: comment.section });
    await this.deps.reviews.comment(comment, record);
    return comment;
  }

  /**
   * Withdraws what nobody touched for 30 days, and reviews of agents that were retired. Says how many. To be called
   * from time to time.
   */
  async runOnce(now: number): Promise<number> {
    let withdrawn = 0;
    for (const review of await this.deps.reviews.inStates(["draft", ...WAITING])) {
      const agent = await this.deps.agents.byId(review.agent_id);
      if (!agent) continue;
      const isIdle = WAITING.includes(review.status) && now - review.updated_at >= IDLE_MS;
      if (!isIdle && agent.lifecycle !== "retired") continue;
      const next: Review = { ...review, status: "withdrawn", updated_at: now, revision: review.revision + 1 };
      const record = this.record(SYSTEM, "review.withdraw", next, { idle: isIdle });
      const publish = publishing(agent, "withdrawn", {});
      // Somebody who was quicker keeps it alive.
      if (await this.deps.reviews.save(next, review.revision, { publish, record })) withdrawn += 1;
    }
    return withdrawn;
  }

  private async handedIn(acting: ReviewActor, { review, agent }: Passage, status: ReviewState) {
    const answers = this.check.ofSubmission(review.answers);
    const [users, earlier] = [await this.peopleFor(answers), await this.deps.reviews.ofAgent(agent.id)];
    const approved = approvedIn(earlier)?.answers ?? null;
    const at = { agent, users, answers, approved, by: acting.user, now: this.deps.now() };
    const { frozen, sponsor_id } = submissionOf(review, at);
    const patch: AgentPatch = sponsor_id === agent.sponsor_id ? {} : { sponsor_id };
    return { review: { ...review, ...frozen, status }, patch };
  }

  /** Who could decide, who is named as the sponsor, and one more than the owner, if there is anybody. */
  private async peopleFor({ ownership }: Answers): Promise<User[]> {
    const { users } = this.deps;
    const deciders = await users.ofRoles(DECIDING_ROLES);
    const sponsor = ownership.sponsor ? await users.byEmail(ownership.sponsor.trim()) : null;
    const [one, other] = await users.page({ after: null, limit: 2 });
    const found = [...deciders, sponsor, one, other].filter((user) => user !== null && user !== undefined);
    return [...new Map(found.map((user) => [user.id, user])).values()];
  }

  private async publication(review: Review, given: readonly ReviewDecision[]) {
    const { risk } = review;
    if (risk === null) throw new Error(`Review ${review.id} was submitted without a tier`);
    const [newest = null] = await this.deps.profiles.ofAgent(review.agent_id);
    return publicationOf({
      review,
      answers: this.check.ofSubmission(review.answers),
      risk,
      approved_by: given.map(({ by }) => by),
      newest,
      id: this.deps.ids(),
      now: this.deps.now(),
    });
  }

  private async move(by: Actor, { review, agent }: Passage, move: ReviewMove): Promise<Review> {
    const next: Review = { ...review, status: this.after(review, agent, move) };
    return this.save(review, next, this.record(by, `review.${move}`, next), publishing(agent, next.status, {}));
  }

  /** The state a move leads to. Throws `state_conflict`. */
  private after(review: Review, agent: Agent, move: ReviewMove): ReviewState {
    if (move !== "withdraw") mustNotBeRetired(agent);
    return mustMove("review", MOVES, review.status, move);
  }

  /** Throws `insufficient_scope`. */
  private async ruling(user: User, { review, agent }: Passage) {
    const asked = await this.deps.users.byIds(review.submitted_by === null ? [] : [review.submitted_by]);
    const alone = assertMayDecide(rulingOnReview(user, review, agent, asked));
    const admins = new Set((await this.deps.users.ofRoles(["admin"])).map(({ id }) => id));
    return { alone, isAdmin: (id: string) => admins.has(id) };
  }

  private async save(
    before: Review,
    after: Review,
    record: string,
    publish?: Publication,
    decision?: ReviewDecision,
  ): Promise<Review> {
    const next: Review = { ...after, updated_at: this.deps.now(), revision: before.revision + 1 };
    const change = { record, ...(publish && { publish }), ...(decision && { decision }) };
    if (await this.deps.reviews.save(next, before.revision, change)) return next;
    throw changedSinceRead();
  }

  private record(by: Actor, kind: string, review: Review, more: Readonly<Record<string, unknown>> = {}): string {
    const { id, agent_id, number, status, content_hash, risk } = review;
    const detail = { agent_id, number, status, content_hash, tier: risk?.tier ?? null, points: risk?.points ?? null };
    const change = { kind, by, subject: "review", subject_id: id, detail: { ...detail, ...more } };
    return changeRecord(change, { id: this.deps.ids(), at: this.deps.now() });
  }
}

/** While a profile is in force the agent stays approved, whatever further review goes on. */
const mirrored = (agent: Agent, status: ReviewState): AgentPatch =>
  agent.profile_version === null ? { review_status: status } : {};

const publishing = (agent: Agent, status: ReviewState, patch: AgentPatch): Publication => ({
  profile: null,
  agent: { ...patch, ...mirrored(agent, status) },
});

/** The review whose answers were approved last. Newest first. */
const approvedIn = (reviews: readonly Review[]): Review | undefined =>
  reviews.find(({ status }) => status === "approved");

const mustOwn = (user: User, agent: Agent): void => {
  if (mayChange(user, agent)) return;
  throw new GuardError("insufficient_scope", "Only the agent's owner and administrators may do this.");
};

const noReview = (): GuardError => new GuardError("not_found", "There is no such review.", { param: "id" });
