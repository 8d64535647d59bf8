import type { ToolRegistryCache } from "#guard/tools/registry-cache";
import { type PersonRouteParts, personRoutes } from "#http/authentication";
import { feature } from "#hub/feature";
import type { PrincipalCache } from "#identity/principal-cache";
import type { Clock } from "#platform/clock";
import type { Ids } from "#platform/ids";
import { causeOf, type Log } from "#platform/log";
import type { ReportStore } from "#store/loop-port";
import type { UserStore } from "#store/port";
import type { AssigneeStore } from "#store/triage-port";
import { BulkDecisions, type DecidingServices } from "./decisions";
import { inboxRoutes } from "./endpoints";
import { InboxService } from "./service";
import { MAX_REPORTS, type SourceNeeds, sourcesOf } from "./sources";

/** How often assignees are looked at that nobody has decided on. Milliseconds. */
const FORGETTING_MS = 86_400_000;

type ServiceParts = Omit<SourceNeeds, "reports" | "agent" | "people" | "servers" | "pinsOf"> & {
  readonly reports: Pick<ReportStore, "waiting" | "countWaiting">;
  readonly users: SourceNeeds["people"] & Pick<UserStore, "byEmail">;
  readonly assignees: AssigneeStore;
  readonly principals: PrincipalCache;
  readonly toolRegistry: ToolRegistryCache;
  readonly log: Log;
  readonly now: Clock;
  readonly ids: Ids;
};
type RouteParts = PersonRouteParts & { readonly inboxService: InboxService; readonly bulkDecisions: BulkDecisions };

const unexpected = (log: Log) => (error: unknown) => log.error("inbox.unexpected", causeOf(error));

/** What waits for a person. */
export const inbox = feature({
  provides: {
    inboxService: (c: ServiceParts) =>
      new InboxService({
        sources: sourcesOf({
          reviews: c.reviews,
          suggestions: c.suggestions,
          policies: c.policies,
          holds: c.holds,
          watch: c.watch,
          reports: c.reports,
          people: c.users,
          rulingOnSuggestion: c.rulingOnSuggestion,
          agent: (id) => c.principals.agent(id),
          servers: () => c.toolRegistry.all(),
          pinsOf: (id) => c.toolRegistry.allPinsOf(id),
        }),
        reportsBeyond: async () => Math.max(0, (await c.reports.countWaiting()) - MAX_REPORTS),
        assignees: c.assignees,
        users: c.users,
        people: c.principals,
        onUnexpected: unexpected(c.log),
        now: c.now,
        ids: c.ids,
      }),
    bulkDecisions: (c: DecidingServices & { readonly log: Log }) => new BulkDecisions(c, unexpected(c.log)),
  },
  routes: (c: RouteParts) => [inboxRoutes({ ...personRoutes(c), service: c.inboxService, decisions: c.bulkDecisions })],
  jobs: (c: { readonly inboxService: InboxService; readonly now: Clock }) => [
    { name: "assignees", everyMs: FORGETTING_MS, singleton: true, run: () => c.inboxService.forget(c.now()) },
  ],
});
