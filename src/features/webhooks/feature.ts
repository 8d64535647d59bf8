import { BlockedSummary } from "#audit/blocked-summary";
import { type PersonRouteParts, personRoutes } from "#http/authentication";
import { feature } from "#hub/feature";
import { type NeedsOf, single } from "#hub/graph";
import type { AuditRecord } from "#model/audit";
import type { HubEvent } from "#model/event";
import type { Sealing } from "#platform/sealing";
import type { WebhookStore } from "#store/loop-port";
import type { NodeStore } from "#store/node-port";
import type { SharedStore } from "#store/shared-port";
import type { WebhookSender } from "#upstream/outbound-port";
import { webhookRoutes } from "./endpoints";
import { Events, OutboxReader } from "./events";
import { WebhookService } from "./service";
import { WebhookQueue } from "./webhook-queue";
import { Webhooks } from "./webhooks";

/** How often what has changed is told of. Milliseconds. */
const EVENTS_MS = 200;
/** How often it is told whose calls were blocked. Milliseconds. */
const BLOCKED_MS = 300_000;
/** How often other processes learn of it. Milliseconds. */
const SHARED_MS = 1_000;

export type WebhookOptions = {
  readonly send: WebhookSender;
  /** Networks in CIDR notation that receivers may be in although they are not public. */
  readonly allowPrivate: readonly string[];
};

type DelivererParts = Omit<NeedsOf<typeof Webhooks>, "send"> & { readonly webhookOptions: WebhookOptions };
type ServiceParts = Sealing &
  Pick<NeedsOf<typeof WebhookService>, "now" | "ids"> & {
    readonly webhooks: WebhookStore;
    readonly webhookQueue: WebhookQueue;
    readonly webhookDeliverer: Webhooks;
    readonly webhookOptions: WebhookOptions;
  };
type ReaderParts = NeedsOf<typeof OutboxReader> & {
  readonly onRecord: (record: AuditRecord) => void;
  readonly nodes: Pick<NodeStore, "self">;
};
type SummaryParts = Omit<NeedsOf<typeof BlockedSummary>, "shared"> & {
  readonly shared: SharedStore;
  readonly nodes: Pick<NodeStore, "self">;
};
type Telling = { readonly outboxReader: OutboxReader; readonly blockedSummary: BlockedSummary };
type RouteParts = PersonRouteParts & { readonly webhookService: WebhookService };

/** Events, for subscribers inside the hub and for receivers outside. */
export const webhooks = feature({
  provides: {
    events: () => new Events(),
    emit: (c: { readonly events: Events }) => (event: HubEvent) => c.events.emit(event),
    outboxReader: ({ outbox, events, onRecord, nodes }: ReaderParts) =>
      // Where several processes serve, one reads for receivers, and each for its own pages: see the events feature.
      new OutboxReader({ outbox, events, ...(nodes.self?.isAlone !== false && { onRecord }) }),
    blockedSummary: ({ emit, shared, nodes, now, ids }: SummaryParts) =>
      new BlockedSummary({ emit, shared: nodes.self?.isAlone === false ? shared : null, now, ids }),
    webhookQueue: single(WebhookQueue),
    webhookDeliverer: ({ webhooks, webhookOptions, seal, unseal, now, ids, random, log }: DelivererParts) =>
      new Webhooks({ webhooks, send: webhookOptions.send, seal, unseal, now, ids, random, log }),
    webhookService: (c: ServiceParts) =>
      new WebhookService({
        store: c.webhooks,
        queue: c.webhookQueue,
        deliverer: c.webhookDeliverer,
        sealing: { seal: c.seal, unseal: c.unseal },
        allowPrivate: c.webhookOptions.allowPrivate,
        now: c.now,
        ids: c.ids,
      }),
  },
  routes: (c: RouteParts) => [webhookRoutes({ ...personRoutes(c), service: c.webhookService })],
  onCallEnded: (c: Telling) => (record) => c.blockedSummary.note(record),
  onEvent: (c: { readonly webhookQueue: WebhookQueue }) => (event) => c.webhookQueue.enqueue(event),
  jobs: (c: Telling & Pick<SummaryParts, "nodes">) => [
    { name: "events", everyMs: EVENTS_MS, singleton: true, run: () => c.outboxReader.runOnce() },
    { name: "blocked calls", everyMs: BLOCKED_MS, singleton: true, run: () => c.blockedSummary.runOnce() },
    ...(c.nodes.self?.isAlone === false
      ? [{ name: "blocked callers", everyMs: SHARED_MS, run: () => c.blockedSummary.share() }]
      : []),
  ],
  stop: (c: Telling) => () => c.blockedSummary.share(),
});
