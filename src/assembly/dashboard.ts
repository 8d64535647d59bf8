import { canDecide } from "#core/review/decide";
import type { Person } from "#core/session";
import type { Directory } from "#engine/directory";
import type { Governor } from "#engine/governance/governor";
import type { LiveEvents } from "#engine/live-events";
import type { ReportsLeft } from "#engine/report-quota";
import type { ToolRoster } from "#engine/tools/roster";
import type { GuardAnswers } from "#http/guard-answers";
import type { signedInPerson } from "#http/person";
import { auditRoutes } from "#modules/audit/routes";
import { AuditDesk } from "#modules/audit/service";
import { callRoutes } from "#modules/calls/routes";
import { CallService } from "#modules/calls/service";
import { eventRoutes } from "#modules/events/routes";
import { inboxRoutes } from "#modules/inbox/routes";
import { InboxService } from "#modules/inbox/service";
import {
  type SourceDeps,
  waitingDefinitions,
  waitingHolds,
  waitingProposals,
  waitingRebaselines,
  waitingReports,
  waitingReviews,
  waitingSuggestions,
} from "#modules/inbox/sources";
import { mapRoutes } from "#modules/map/routes";
import { MapService } from "#modules/map/service";
import { overviewRoutes } from "#modules/overview/routes";
import { OverviewService } from "#modules/overview/service";
import { personReportRoutes } from "#modules/reports/routes";
import type { ReportService } from "#modules/reports/service";
import { decidable } from "#modules/reviews/submission";
import type { Clock } from "#platform/clock";
import type { Ids } from "#platform/ids";
import type { Log } from "#platform/log";
import type { Store } from "#store/port";

export type DashboardDeps = {
  readonly store: Pick<
    Store,
    | "audit"
    | "calls"
    | "content"
    | "holds"
    | "killSwitches"
    | "policies"
    | "profiles"
    | "reports"
    | "restrictions"
    | "reviews"
    | "suggestions"
    | "tuning"
    | "users"
    | "watch"
  >;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly limits: { readonly bodyBytes: number };
  /** The hub's own version. */
  readonly tools: { readonly version: string };
  /** Lifts the server's idle limit from one request. */
  readonly keepOpen: (request: Request) => void;
};

/** Between two pieces of a check of the chain: half of the time is the calls'. */
const PAUSE_MS = 2;

type Around = {
  readonly directory: Directory;
  readonly governor: Governor;
  readonly roster: ToolRoster;
  readonly live: LiveEvents;
  readonly rulingOnSuggestion: SourceDeps["rulingOnSuggestion"];
  /** Who asks, by key or browser. */
  readonly personOf: (request: Request) => Promise<Person | null>;
  readonly door: ReturnType<typeof signedInPerson>;
  /** Where reports are taken. */
  readonly loop: {
    readonly reports: ReportService;
    readonly answers: GuardAnswers;
    readonly leftOf: (userId: string) => ReportsLeft | null;
  };
  readonly writeRecord: (line: string) => Promise<void>;
  /** Throws while nothing can be recorded, or the hub is stopping. */
  readonly admit: () => void;
};

/** What people look at: the addresses the dashboard reads. */
export const assembleDashboard = (deps: DashboardDeps, around: Around) => {
  const { store, clock: now, keepOpen } = deps;
  const { directory, governor, roster, live, loop, personOf, door } = around;
  const inbox = inboxOf(deps, around);
  const restrictionsOf = (id: string) => governor.restrictionsOf(id);
  const calls = new CallService({
    ...{ ...store, people: directory, restrictionsOf, now },
    rulesOfAgent: (id) => governor.rulesOfAgent(id),
    rulesOfUser: (id) => governor.rulesOfUser(id),
  });
  const overview = new OverviewService({
    ...{ ...store, restrictionsOf, now },
    agents: () => directory.allAgents(),
    async turnOf(user) {
      const { counts } = await inbox.of(user);
      return {
        total: counts.total,
        reviews: counts.review,
        tuning: counts.tuning,
        policy: counts.policy,
        held_calls: counts.held_call,
        rebaselines: counts.rebaseline,
        tool_definitions: counts.tool_definition,
        reports: counts.report,
      };
    },
  });
  const map = new MapService({
    agents: () => directory.allAgents(),
    user: (id) => directory.user(id),
    servers: () => roster.all(),
    pinsOf: (id) => roster.pinsOf(id),
    assignmentsOf: (id) => roster.assignmentsOf(id),
  });
  const auditDesk = new AuditDesk({
    ...{ audit: store.audit, people: directory, version: deps.tools.version, writeRecord: around.writeRecord },
    ...{ now, ids: deps.ids, log: deps.log, pause: () => Bun.sleep(PAUSE_MS) },
  });
  return {
    routes: [
      callRoutes({ service: calls, door }),
      personReportRoutes({
        ...{ service: loop.reports, answers: loop.answers, leftOf: loop.leftOf, door, now },
        ownCall: (user, id) => calls.own(user, id),
        bodyBytes: deps.limits.bodyBytes,
      }),
      overviewRoutes({ service: overview, door }),
      inboxRoutes({ service: inbox, door }),
      mapRoutes({ service: map, door }),
      auditRoutes({ desk: auditDesk, door, keepOpen, admit: around.admit }),
      eventRoutes({ live, personOf, door, keepOpen }),
    ],
  };
};

const inboxOf = ({ store, clock: now }: DashboardDeps, { directory, roster, rulingOnSuggestion }: Around) => {
  const { reviews, suggestions, policies, holds, watch, reports, users } = store;
  const deps: SourceDeps = {
    ...{ reviews, suggestions, policies, holds, watch, reports, rulingOnSuggestion },
    agent: (id) => directory.agent(id),
    people: users,
    servers: () => roster.all(),
    pinsOf: (id) => roster.pinsOf(id),
    rulingOnReview: (user, review, agent, people) => canDecide(user, decidable(review, agent, people)),
  };
  const sources = [
    waitingReviews(deps),
    waitingSuggestions(deps),
    waitingProposals(deps),
    waitingHolds(deps),
    waitingRebaselines(deps),
    waitingDefinitions(deps),
    waitingReports(deps),
  ];
  return new InboxService({ sources, people: directory, now });
};
