import type { ToolRegistryCache } from "#guard/tools/registry-cache";
import { type PersonRouteParts, personRoutes } from "#http/authentication";
import { feature } from "#hub/feature";
import type { PrincipalCache } from "#identity/principal-cache";
import type { AuditRecord } from "#model/audit";
import type { Person } from "#model/session";
import type { Clock } from "#platform/clock";
import type { OutboxStore } from "#store/loop-port";
import type { NodeStore } from "#store/node-port";
import { eventRoutes } from "./endpoints";
import { LiveEvents } from "./live-events";
import { PageChanges } from "./page-changes";

/** How often pages are looked at that wait for something to be told. Milliseconds. */
const BEAT_MS = 100;
/** How often it is looked for what another process has changed or told. Milliseconds. */
const CHANGES_MS = 200;

type Live = { readonly live: LiveEvents };
type LiveParts = { readonly principals: PrincipalCache; readonly toolRegistry: ToolRegistryCache; readonly now: Clock };
type ChangeParts = {
  readonly outbox: Pick<OutboxStore, "after" | "newest">;
  readonly nodes: Pick<NodeStore, "self">;
};
type RouteParts = PersonRouteParts &
  Live & {
    readonly personOf: (request: Request) => Promise<Person | null>;
    readonly disableIdleTimeout: (request: Request) => void;
  };

/** Pages are told what happens while it happens. */
export const events = feature({
  provides: {
    live: ({ principals, toolRegistry, now }: LiveParts) =>
      new LiveEvents({
        ownerOf: (agentId) => principals.agent(agentId)?.owner_id ?? null,
        nameOfAgent: (agentId) => principals.agent(agentId)?.name ?? null,
        emailOf: (userId) => principals.user(userId)?.email ?? null,
        ownerOfServer: (serverId) => toolRegistry.server(serverId)?.owner_id ?? null,
        now,
      }),
    /** Told of every change of governance, whatever comes of it. */
    onRecord: (c: Live) => (record: AuditRecord) => c.live.changed(record),
  },
  routes: (c: RouteParts) => [
    eventRoutes({ ...personRoutes(c), live: c.live, personOf: c.personOf, disableIdleTimeout: c.disableIdleTimeout }),
  ],
  onCallEnded: (c: Live) => (record) => c.live.note(record),
  onEvent: (c: Live) => async (event) => c.live.happened(event),
  jobs: ({ live, outbox, nodes }: Live & ChangeParts) => {
    const beat = { name: "live events", everyMs: BEAT_MS, run: () => live.tick() };
    // Who serves alone is told as receivers are.
    if (nodes.self?.isAlone !== false) return [beat];
    const pages = new PageChanges(outbox, (record) => live.changed(record));
    return [beat, { name: "changes for pages", everyMs: CHANGES_MS, run: () => pages.runOnce() }];
  },
  quiesce: (c: Live) => () => c.live.close(),
});
