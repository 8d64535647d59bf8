import { matchesGlob } from "#core/glob";
import type { PageWindow } from "#core/page";
import { emailsFor } from "#identity/names";
import type { Agent, ReviewState } from "#model/agent";
import { mayChange, READING_ROLES } from "#model/ownership";
import type { User } from "#model/person";
import type { Clock } from "#platform/clock";
import { counts, hasApproved } from "#policy/approval/decisions";
import { rulingOnReview } from "#policy/approval/matters";
import { decidingOf } from "#policy/approval/ruling";
import { declaredName } from "#policy/profile/compile";
import { names } from "#policy/profile/permits";
import { changesBetween } from "#policy/review/answers";
import { progressOf, versionOf } from "#policy/review/approvals";
import type { Review } from "#policy/review/review";
import { movesFrom } from "#policy/review/states";
import type { ReviewStore, UsageStore } from "#store/governance-port";
import type { AgentStore, UserStore } from "#store/port";
import type { ReviewSummary, WholeReview } from "./schema";
import type { Passage } from "./service";

type ReviewQueriesNeeds = {
  readonly reviews: ReviewStore;
  readonly agents: Pick<AgentStore, "byIds">;
  readonly users: Pick<UserStore, "byIds">;
  readonly usage: Pick<UsageStore, "read">;
  readonly now: Clock;
};

const OBSERVED_MS = 7 * 86_400_000;

/** Reviews as people are shown them, with what helps them decide. */
export class ReviewQueries {
  constructor(private readonly deps: ReviewQueriesNeeds) {}

  /** In these states, of agents the user may see. Newest first. */
  async queue(user: User, states: readonly ReviewState[], window: PageWindow) {
    const owner = READING_ROLES.includes(user.role) ? null : user.id;
    const reviews = await this.deps.reviews.page(states, owner, window);
    const found = await this.deps.agents.byIds(reviews.map(({ agent_id }) => agent_id));
    const agents = new Map(found.map((agent) => [agent.id, agent]));
    return this.summaries(
      reviews.flatMap((review) => {
        const agent = agents.get(review.agent_id);
        return agent ? [{ review, agent }] : [];
      }),
    );
  }

  async ofAgent(agent: Agent) {
    return this.summaries((await this.deps.reviews.ofAgent(agent.id)).map((review) => ({ review, agent })));
  }

  private async summaries(passages: readonly Passage[]): Promise<ReviewSummary[]> {
    const emails = await emailsFor(this.deps.users, passages.flatMap(peopleOf));
    return passages.map((passage) => summary(passage, emails));
  }

  /** All of a review: answers, arithmetic, what changed, who said what, and what the reader may do with it. */
  async whole(user: User, { review, agent }: Passage): Promise<WholeReview> {
    const [decisions, comments] = [
      await this.deps.reviews.decisions(review.id),
      await this.deps.reviews.comments(review.id),
    ];
    const others = [...review.eligible, ...decisions.map(({ by }) => by), ...comments.map(({ by }) => by)];
    const users = await this.deps.users.byIds([...peopleOf({ review, agent }), ...others].filter((id) => id !== null));
    const emails = emailsOf(users);
    const isAdmin = (id: string): boolean => users.some((one) => one.id === id && one.role === "admin");
    const approvals = progressOf(review, decisions, isAdmin);
    const ruling = rulingOnReview(user, review, agent, users);
    return {
      ...summary({ review, agent }, emails),
      answers: review.answers,
      risk: review.risk,
      changes: await this.changes(review),
      approvals: {
        required: approvals.required,
        given: approvals.given.map(({ by }) => emails(by)),
        needs_admin: approvals.needs_admin,
        eligible: review.eligible.map(emails),
      },
      decisions: decisions.map((one) => ({
        ...one,
        by: emails(one.by),
        counts: counts(one, versionOf(review)),
        at: timeOf(one.at),
      })),
      comments: comments.map((one) => ({ ...one, by: emails(one.by), at: timeOf(one.at) })),
      moves: movesOf(user, { review, agent }, ruling.ok && !hasApproved(user.id, approvals.given), ruling.ok),
      deciding: decidingOf(ruling),
      observed: await this.observed(review),
    };
  }

  /** Against the answers approved before this review. */
  private async changes(review: Review) {
    const earlier = await this.deps.reviews.ofAgent(review.agent_id);
    const approved = earlier.find(({ status, number }) => status === "approved" && number < review.number);
    return approved ? changesBetween(approved.answers, review.answers) : [];
  }

  /** What the agent really used in the last seven days, and whether these answers declare it. */
  private async observed({ agent_id, answers }: Review) {
    const now = this.deps.now();
    const hours = await this.deps.usage.read(agent_id, now - OBSERVED_MS, now + 1);
    const used = (prefix: string): [name: string, calls: number][] => {
      const calls = new Map<string, number>();
      for (const [counter, count] of hours.flatMap(({ counts }) => Object.entries(counts))) {
        if (!counter.startsWith(prefix)) continue;
        const name = counter.slice(prefix.length);
        calls.set(name, (calls.get(name) ?? 0) + count);
      }
      return [...calls].sort(([one, few], [other, many]) => many - few || (one < other ? -1 : 1));
    };
    const models = answers.models?.models ?? [];
    const tools = (answers.tools?.tools ?? []).map(declaredName);
    const shown = (isDeclared: (name: string) => boolean, [name, calls]: [string, number]) => ({
      name,
      calls,
      declared: isDeclared(name),
    });
    return {
      since: timeOf(now - OBSERVED_MS),
      models: used("model.").map((one) => shown((name) => models.some((glob) => matchesGlob(glob, name)), one)),
      tools: used("tool.").map((one) => shown((name) => names(tools, name), one)),
    };
  }
}

const emailsOf = (users: readonly User[]) => {
  const known = new Map(users.map(({ id, email }) => [id, email]));
  return (userId: string): string => known.get(userId) ?? userId;
};

const timeOf = (at: number): string => new Date(at).toISOString();

/** Whom `summary` names. */
const peopleOf = ({ review, agent }: Passage): (string | null)[] => [agent.owner_id, review.submitted_by];

const summary = ({ review, agent }: Passage, emails: (userId: string) => string): ReviewSummary => ({
  id: review.id,
  agent_id: agent.id,
  agent: agent.name,
  owner: emails(agent.owner_id),
  number: review.number,
  status: review.status,
  content_hash: review.content_hash,
  tier: review.risk?.tier ?? null,
  points: review.risk?.points ?? null,
  material: review.changes.some(({ material }) => material),
  required: review.required,
  submitted_by: review.submitted_by === null ? null : emails(review.submitted_by),
  submitted_at: review.submitted_at === null ? null : timeOf(review.submitted_at),
  created_at: timeOf(review.created_at),
  updated_at: timeOf(review.updated_at),
  revision: review.revision,
});

const OWNERS_MOVES: readonly string[] = ["edit", "submit", "withdraw"];

/** What this person may do with it now. An approval is one move, whether or not it is the last that is needed. */
const movesOf = (user: User, { review, agent }: Passage, mayApprove: boolean, mayDecide: boolean): string[] =>
  movesFrom(review.status)
    .filter((move) => move !== "endorse" && agent.lifecycle !== "retired")
    .filter((move) => {
      if (OWNERS_MOVES.includes(move)) return mayChange(user, agent);
      return move === "approve" ? mayApprove : mayDecide;
    });
