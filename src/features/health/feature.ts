import { type CallerRouteParts, callerRoutes, type PersonRouteParts, personRoutes } from "#http/authentication";
import { feature } from "#hub/feature";
import type { NeedsOf } from "#hub/graph";
import type { PrincipalCache } from "#identity/principal-cache";
import type { HubEvent } from "#model/event";
import type { Clock } from "#platform/clock";
import type { Ids } from "#platform/ids";
import type { Restriction } from "#policy/restrictions/restriction";
import type { NodeStore } from "#store/node-port";
import type { AgentStore } from "#store/port";
import { confirmedBy } from "./confirmed";
import { agentHealthRoutes, agentWatchRoutes } from "./endpoints";
import { HealthMonitor } from "./health-monitor";
import { HealthService } from "./service";

/** How often it is computed how agents fare. Milliseconds. */
const WATCH_MS = 300_000;

type WatchParts = Omit<NeedsOf<typeof HealthMonitor>, "facts" | "onChanged"> & {
  readonly reports: Parameters<typeof confirmedBy>[0];
  readonly principals: PrincipalCache;
  readonly restrictionsOf: (agentId: string) => readonly Restriction[];
  readonly emit: (event: HubEvent) => Promise<void>;
  readonly nodes: Pick<NodeStore, "self" | "holds">;
  readonly now: Clock;
  readonly ids: Ids;
};
type Watching = { readonly healthMonitor: HealthMonitor };
type ServiceParts = Watching & Omit<NeedsOf<typeof HealthService>, "watch">;
type RouteParts = CallerRouteParts &
  PersonRouteParts & { readonly healthService: HealthService; readonly agents: Pick<AgentStore, "byId"> };

/** How agents fare. */
export const health = feature({
  provides: {
    healthMonitor: (c: WatchParts) =>
      new HealthMonitor({
        agents: c.agents,
        tokens: c.tokens,
        usage: c.usage,
        watch: c.watch,
        recorder: c.recorder,
        log: c.log,
        nodes: c.nodes,
        onChanged: (type, { id, owner_id }, at) =>
          c.emit({ id: c.ids(), type, at, agent_id: id, user_id: owner_id, subject: "agent", subject_id: id }),
        facts: {
          restrictionsOf: c.restrictionsOf,
          confirmedOf: confirmedBy(c.reports, c.now),
          isActive: (userId) => c.principals.activeUser(userId) !== null,
        },
      }),
    healthSummary: (c: Watching) => (agentId: string) => c.healthMonitor.healthSummary(agentId),
    healthService: ({ guard, principals, users, healthMonitor }: ServiceParts) =>
      new HealthService({ guard, principals, users, watch: healthMonitor }),
  },
  routes: (c: RouteParts) => [
    agentHealthRoutes({ ...callerRoutes(c), service: c.healthService }),
    agentWatchRoutes({ ...personRoutes(c), service: c.healthService, agents: c.agents }),
  ],
  jobs: (c: Watching & { readonly now: Clock }) => [
    { name: "watch", everyMs: WATCH_MS, run: () => c.healthMonitor.runOnce(c.now()) },
  ],
});
