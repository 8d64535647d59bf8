import type { Agent } from "#core/agent";
import { rulingOn } from "#core/baseline/proposal";
import type { Role, User } from "#core/person";
import type { Ruling } from "#core/review/decide";
import type { Review } from "#core/review/review";
import { Shape } from "#core/shape";
import { pinState, type ToolPin, type ToolServer } from "#core/tool";
import { standingOf } from "#core/tuning/states";
import type { Suggestion } from "#core/tuning/suggestion";
import { WatchState } from "#core/watch-state";
import type { HoldStore, ReviewStore, WatchStore } from "#store/governance-port";
import type { ReportStore, SuggestionStore } from "#store/loop-port";
import type { PolicyStore } from "#store/policy-port";
import type { UserStore } from "#store/port";
import type { Waiting, WaitingFor } from "./service";

/* What waits for somebody, one source each. Who may decide is asked of whoever decides it at the place itself. */

export type SourceDeps = {
  readonly reviews: Pick<ReviewStore, "inStates" | "decisions">;
  readonly suggestions: Pick<SuggestionStore, "list">;
  readonly policies: Pick<PolicyStore, "waiting">;
  readonly holds: Pick<HoldStore, "waiting">;
  readonly watch: Pick<WatchStore, "drifting">;
  readonly reports: Pick<ReportStore, "list">;
  readonly agent: (id: string) => Agent | null;
  readonly people: Pick<UserStore, "byIds" | "ofRoles">;
  readonly servers: () => Iterable<ToolServer>;
  readonly pinsOf: (serverId: string) => readonly ToolPin[];
  readonly rulingOnReview: (user: User, review: Review, agent: Agent, users: readonly User[]) => Ruling;
  readonly rulingOnSuggestion: (user: User, suggestion: Suggestion) => Promise<Ruling>;
};

const DECIDERS: readonly Role[] = ["admin", "reviewer"];
const DESK: readonly Role[] = ["admin", "reviewer", "analyst"];

export const waitingReviews =
  ({ reviews, agent: agentOf, people, rulingOnReview }: SourceDeps): WaitingFor =>
  async (user) => {
    if (!DECIDERS.includes(user.role)) return [];
    const open = await reviews.inStates(["submitted", "in_review"]);
    const askers = await people.byIds(open.flatMap(({ submitted_by }) => submitted_by ?? []));
    const found = open.map(async (review): Promise<Waiting[]> => {
      const agent = agentOf(review.agent_id);
      if (!agent || agent.lifecycle === "retired") return [];
      const ruling = rulingOnReview(user, review, agent, askers);
      if (!ruling.ok) return [];
      const mine = (await reviews.decisions(review.id)).some(
        ({ by, decision, content_hash, at }) =>
          by === user.id &&
          decision === "approve" &&
          content_hash === review.content_hash &&
          at >= (review.submitted_at ?? 0),
      );
      if (mine) return [];
      const title = `Review ${review.number} of ${agent.name}${review.risk ? `, tier ${review.risk.tier}` : ""}`;
      return [
        {
          ...{ id: review.id, kind: "review", title, subject: review.id, agent_id: agent.id },
          requested_by: review.submitted_by,
          since: review.submitted_at ?? review.updated_at,
          expires_at: null,
          url: `/reviews/${review.id}`,
          alone: ruling.alone,
        },
      ];
    });
    return (await Promise.all(found)).flat();
  };

export const waitingSuggestions =
  ({ suggestions, rulingOnSuggestion }: SourceDeps): WaitingFor =>
  async (user, now) => {
    if (!DECIDERS.includes(user.role)) return [];
    const asked = await suggestions.list({ states: ["pending_approval"] });
    const found = asked.map(async (one): Promise<Waiting[]> => {
      if (standingOf(one, now) !== "pending_approval") return [];
      const ruling = await rulingOnSuggestion(user, one);
      const mine = one.approvals.some(
        ({ by, content_hash, at }) =>
          by === user.id && content_hash === one.content_hash && at >= (one.requested_at ?? 0),
      );
      if (!ruling.ok || mine) return [];
      return [
        {
          ...{ id: one.id, kind: "tuning", subject: one.id, agent_id: one.agent_id },
          title: `${one.effect === "loosen" ? "Loosen" : "Tighten"}: ${one.kind.replaceAll("_", " ")}`,
          requested_by: one.requested_by,
          since: one.requested_at ?? one.updated_at,
          expires_at: one.expires_at,
          url: `/tuning/${one.id}`,
          alone: ruling.alone,
        },
      ];
    });
    return (await Promise.all(found)).flat();
  };

/** Looser baselines that somebody else asked for. */
export const waitingProposals =
  ({ policies }: SourceDeps): WaitingFor =>
  async (user) => {
    if (!DECIDERS.includes(user.role)) return [];
    return (await policies.waiting()).flatMap((proposal): Waiting[] => {
      const ruling = rulingOn(user, proposal);
      if (!ruling.ok) return [];
      const { id, restored, proposed_by, proposed_at } = proposal;
      const title = restored === null ? "A looser baseline policy" : `The baseline policy of revision ${restored}`;
      return [
        {
          ...{ id, kind: "policy", title, subject: id, agent_id: null },
          ...{ requested_by: proposed_by, since: proposed_at, expires_at: null },
          url: "/settings/policy",
          alone: ruling.alone,
        },
      ];
    });
  };

export const waitingHolds =
  ({ holds }: SourceDeps): WaitingFor =>
  async (user, now) => {
    const waiting = await holds.waiting(DESK.includes(user.role) ? null : user.id, now);
    return waiting.map((hold) => ({
      ...{ id: hold.id, kind: "held_call", title: `Call of ${hold.tool}`, subject: hold.tool, agent_id: hold.agent_id },
      ...{ requested_by: hold.user_id, since: hold.created_at, expires_at: hold.expires_at },
      url: `/inbox?hold=${hold.id}`,
      alone: false,
    }));
  };

/** Agents that drift, and nobody has answered for it. */
export const waitingRebaselines = ({ watch, agent: agentOf, people }: SourceDeps): WaitingFor => {
  const shape = new Shape(WatchState);
  return async (user, now) => {
    if (!DECIDERS.includes(user.role)) return [];
    const others = (await people.ofRoles(DECIDERS)).some(({ id }) => id !== user.id);
    return (await watch.drifting()).flatMap(({ agent_id, state }): Waiting[] => {
      const agent = agentOf(agent_id);
      if (!agent || agent.lifecycle === "retired" || !shape.fits(state)) return [];
      const { status, acknowledged, judged_at } = state.drift;
      if (status !== "drifting" || (acknowledged !== null && now < acknowledged.until)) return [];
      const isOwn = agent.owner_id === user.id;
      if (isOwn && others) return [];
      return [
        {
          ...{ id: agent.id, kind: "rebaseline", title: `${agent.name} drifts from its baseline`, subject: agent.id },
          ...{ agent_id: agent.id, requested_by: null, since: judged_at ?? state.judged_at, expires_at: null },
          url: `/agents/${agent.id}`,
          alone: isOwn,
        },
      ];
    });
  };
};

/** Definitions of tools that callers are not shown until the server's owner, and nobody else, has approved them. */
export const waitingDefinitions =
  ({ servers, pinsOf }: SourceDeps): WaitingFor =>
  async (user) =>
    [...servers()].flatMap((server): Waiting[] => {
      if (!server.active || server.owner_id !== user.id) return [];
      const waiting = pinsOf(server.id).filter((pin) => {
        const state = pinState(pin);
        return pin.present && state !== "approved" && state !== "refused";
      });
      if (waiting.length === 0) return [];
      const title = `${waiting.length} ${waiting.length === 1 ? "tool" : "tools"} of ${server.slug} to approve`;
      return [
        {
          ...{ id: server.id, kind: "tool_definition", title, subject: server.slug, agent_id: null },
          ...{ requested_by: null, since: Math.min(...waiting.map(({ seen_at }) => seen_at)), expires_at: null },
          url: `/tool-servers/${server.id}`,
          alone: false,
        },
      ];
    });

export const waitingReports =
  ({ reports, people }: SourceDeps): WaitingFor =>
  async (user) => {
    if (!DESK.includes(user.role)) return [];
    const desk = await people.ofRoles(DESK);
    const others = desk.some(({ id, state }) => id !== user.id && state === "active");
    const isSole = user.role === "admin" && !others;
    return (await reports.list({ statuses: ["needs_human"] }))
      .filter(({ user_id }) => user_id !== user.id || isSole)
      .map((report) => ({
        ...{ id: report.id, kind: "report", subject: report.id, agent_id: report.agent_id },
        title: report.direction === "false_positive" ? "A block is disputed" : "Something was let pass",
        ...{ requested_by: report.user_id, since: report.created_at, expires_at: null },
        url: `/reports/${report.id}`,
        alone: report.user_id === user.id,
      }));
  };
