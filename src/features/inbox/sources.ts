import { Shape } from "#core/schema";
import type { Agent } from "#model/agent";
import { driftsUnanswered, WatchState } from "#model/health/watch-state";
import { reportLikeness } from "#model/likeness";
import type { User } from "#model/person";
import { awaitsApproval, type ToolPin, type ToolServer } from "#model/tools/tool";
import { approvalsOf, hasApproved } from "#policy/approval/decisions";
import { rulingOnDrift, rulingOnProposal, rulingOnReport, rulingOnReview } from "#policy/approval/matters";
import { DECIDING_ROLES, REPORT_ROLES, type Ruling } from "#policy/approval/ruling";
import { versionOf } from "#policy/review/approvals";
import { approvalsGiven, currentState } from "#policy/tuning/states";
import type { Suggestion } from "#policy/tuning/suggestion";
import type { HoldStore, ReviewStore, WatchStore } from "#store/governance-port";
import type { ReportStore, SuggestionStore, WaitingReport } from "#store/loop-port";
import type { PolicyStore } from "#store/policy-port";
import type { UserStore } from "#store/port";
import type { WaitingFor, WaitingItem } from "./service";

/* Pending decisions, one source each. Who may decide is asked of the service that decides. */

export type SourceNeeds = {
  readonly reviews: Pick<ReviewStore, "inStates" | "decisions">;
  readonly suggestions: Pick<SuggestionStore, "list">;
  readonly policies: Pick<PolicyStore, "waiting">;
  readonly holds: Pick<HoldStore, "waiting">;
  readonly watch: Pick<WatchStore, "drifting">;
  readonly reports: Pick<ReportStore, "waiting">;
  readonly agent: (id: string) => Agent | null;
  readonly people: Pick<UserStore, "byIds" | "ofRoles">;
  readonly servers: () => Iterable<ToolServer>;
  readonly pinsOf: (serverId: string) => readonly ToolPin[];
  readonly rulingOnSuggestion: (user: User, suggestion: Suggestion) => Promise<Ruling>;
};

export const waitingReviews =
  ({ reviews, agent: agentOf, people }: SourceNeeds): WaitingFor =>
  async (user) => {
    if (!DECIDING_ROLES.includes(user.role)) return [];
    const open = await reviews.inStates(["submitted", "in_review"]);
    const askers = await people.byIds(open.flatMap(({ submitted_by }) => submitted_by ?? []));
    const found = open.map(async (review): Promise<WaitingItem[]> => {
      const agent = agentOf(review.agent_id);
      if (!agent || agent.lifecycle === "retired") return [];
      const ruling = rulingOnReview(user, review, agent, askers);
      if (!ruling.ok) return [];
      const approvals = approvalsOf(await reviews.decisions(review.id), versionOf(review));
      if (hasApproved(user.id, approvals)) return [];
      const title = `Review ${review.number} of ${agent.name}${review.risk ? `, tier ${review.risk.tier}` : ""}`;
      return [
        {
          id: review.id,
          kind: "review",
          title,
          subject: review.id,
          agent_id: agent.id,
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
  ({ suggestions, rulingOnSuggestion }: SourceNeeds): WaitingFor =>
  async (user, now) => {
    if (!DECIDING_ROLES.includes(user.role)) return [];
    const asked = await suggestions.list({ states: ["pending_approval"] });
    const found = asked.map(async (one): Promise<WaitingItem[]> => {
      if (currentState(one, now) !== "pending_approval") return [];
      const ruling = await rulingOnSuggestion(user, one);
      if (!ruling.ok || hasApproved(user.id, approvalsGiven(one))) return [];
      return [
        {
          id: one.id,
          kind: "tuning",
          subject: one.id,
          agent_id: one.agent_id,
          content_hash: one.content_hash,
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
  ({ policies }: SourceNeeds): WaitingFor =>
  async (user) => {
    if (!DECIDING_ROLES.includes(user.role)) return [];
    return (await policies.waiting()).flatMap((proposal): WaitingItem[] => {
      const ruling = rulingOnProposal(user, proposal);
      if (!ruling.ok) return [];
      const { id, restored, proposed_by, proposed_at } = proposal;
      const title = restored === null ? "A looser baseline policy" : `The baseline policy of revision ${restored}`;
      return [
        {
          id,
          kind: "policy",
          title,
          subject: id,
          agent_id: null,
          requested_by: proposed_by,
          since: proposed_at,
          expires_at: null,
          url: "/settings/policy",
          alone: ruling.alone,
        },
      ];
    });
  };

export const waitingHolds =
  ({ holds }: SourceNeeds): WaitingFor =>
  async (user, now) => {
    const waiting = await holds.waiting(REPORT_ROLES.includes(user.role) ? null : user.id, now);
    return waiting.map((hold) => ({
      id: hold.id,
      kind: "held_call",
      title: `Call of ${hold.tool}`,
      subject: hold.tool,
      agent_id: hold.agent_id,
      requested_by: hold.user_id,
      since: hold.created_at,
      expires_at: hold.expires_at,
      url: `/inbox?hold=${hold.id}`,
      alone: false,
    }));
  };

/** Agents that drift, and nobody has answered for it. */
export const waitingRebaselines = ({ watch, agent: agentOf, people }: SourceNeeds): WaitingFor => {
  const shape = new Shape(WatchState);
  return async (user, now) => {
    if (!DECIDING_ROLES.includes(user.role)) return [];
    const deciders = await people.ofRoles(DECIDING_ROLES);
    return (await watch.drifting()).flatMap(({ agent_id, state }): WaitingItem[] => {
      const agent = agentOf(agent_id);
      if (!agent || agent.lifecycle === "retired" || !shape.fits(state)) return [];
      if (!driftsUnanswered(state, now)) return [];
      const ruling = rulingOnDrift(user, agent, deciders);
      if (!ruling.ok) return [];
      return [
        {
          id: agent.id,
          kind: "rebaseline",
          title: `${agent.name} drifts from its baseline`,
          subject: agent.id,
          agent_id: agent.id,
          requested_by: null,
          since: state.drift.judged_at ?? state.judged_at,
          expires_at: null,
          url: `/agents/${agent.id}`,
          alone: ruling.alone,
        },
      ];
    });
  };
};

/** Definitions of tools that callers are not shown until the server's owner, and nobody else, has approved them. */
export const waitingDefinitions =
  ({ servers, pinsOf }: SourceNeeds): WaitingFor =>
  async (user) =>
    [...servers()].flatMap((server): WaitingItem[] => {
      if (!server.active || server.owner_id !== user.id) return [];
      const waiting = pinsOf(server.id).filter(awaitsApproval);
      if (waiting.length === 0) return [];
      const title = `${waiting.length} ${waiting.length === 1 ? "tool" : "tools"} of ${server.slug} to approve`;
      return [
        {
          id: server.id,
          kind: "tool_definition",
          title,
          subject: server.slug,
          agent_id: null,
          requested_by: null,
          since: Math.min(...waiting.map(({ seen_at }) => seen_at)),
          expires_at: null,
          url: `/tool-servers/${server.id}`,
          alone: false,
        },
      ];
    });

/** More than a list can be gone through: the oldest are first. */
export const MAX_REPORTS = 2_000;

export const waitingReports =
  ({ reports, people }: SourceNeeds): WaitingFor =>
  async (user) => {
    if (!REPORT_ROLES.includes(user.role)) return [];
    const readers = await people.ofRoles(REPORT_ROLES);
    // It depends on who reported it alone, and there may be many of one user.
    const rulings = new Map<string, Ruling>();
    const rulingOn = (report: WaitingReport): Ruling => {
      const ruling = rulings.get(report.user_id) ?? rulingOnReport(user, report, readers);
      rulings.set(report.user_id, ruling);
      return ruling;
    };
    return (await reports.waiting(MAX_REPORTS)).flatMap((report): WaitingItem[] => {
      const ruling = rulingOn(report);
      if (!ruling.ok) return [];
      return [
        {
          id: report.id,
          kind: "report",
          subject: report.id,
          agent_id: report.agent_id,
          title: report.direction === "false_positive" ? "A block is disputed" : "Something was let pass",
          requested_by: report.user_id,
          since: report.created_at,
          expires_at: null,
          url: `/reports/${report.id}`,
          alone: ruling.alone,
          report: { direction: report.direction, flag_types: report.flag_types, likeness: reportLikeness(report) },
        },
      ];
    });
  };

/** All of them. */
export const sourcesOf = (deps: SourceNeeds): WaitingFor[] => [
  waitingReviews(deps),
  waitingSuggestions(deps),
  waitingProposals(deps),
  waitingHolds(deps),
  waitingRebaselines(deps),
  waitingDefinitions(deps),
  waitingReports(deps),
];
