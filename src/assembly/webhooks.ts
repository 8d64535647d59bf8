import type { AuditRecord } from "#core/audit";
import { BlockedSummary } from "#engine/blocked-summary";
import { Events, OutboxReader } from "#engine/events";
import type { JobHandler } from "#engine/job-runner";
import { WebhookQueue } from "#engine/webhook-queue";
import { Webhooks } from "#engine/webhooks";
import type { signedInPerson } from "#http/person";
import { webhookRoutes } from "#modules/webhooks/routes";
import { WebhookService } from "#modules/webhooks/service";
import type { Clock } from "#platform/clock";
import type { Ids } from "#platform/ids";
import type { Log } from "#platform/log";
import type { Sealing } from "#platform/sealing";
import type { Store } from "#store/port";
import type { WebhookSender } from "#upstream/webhook-port";

export type WebhookDeps = {
  readonly webhooks: {
    readonly send: WebhookSender;
    /** Networks in CIDR notation that receivers may be in although they are not public. */
    readonly allowPrivate: readonly string[];
  };
  readonly store: Pick<Store, "webhooks" | "outbox">;
  readonly tools: Sealing;
  readonly publicUrl: () => string;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly limits: { readonly bodyBytes: number };
};

type Around = {
  readonly door: ReturnType<typeof signedInPerson>;
  readonly admit: () => void;
  /** Told of every change of governance, whatever comes of it. */
  readonly onRecord: (record: AuditRecord) => void;
};

/** What happened, told to whoever subscribed: inside the hub, and to receivers outside. */
export const assembleWebhooks = (deps: WebhookDeps, { door, admit, onRecord }: Around) => {
  const { store, tools: sealing, publicUrl, clock: now, ids, log, limits } = deps;
  const { send, allowPrivate } = deps.webhooks;
  const events = new Events();
  const outbox = new OutboxReader({ outbox: store.outbox, events, onRecord });
  const queue = new WebhookQueue({ webhooks: store.webhooks, publicUrl, now, ids });
  const deliverer = new Webhooks({ webhooks: store.webhooks, send, ...sealing, now, ids, random: Math.random, log });
  const blocked = new BlockedSummary({ emit: (event) => events.emit(event), now, ids });
  events.subscribe((event) => queue.take(event));
  const service = new WebhookService({ store: store.webhooks, queue, deliverer, sealing, allowPrivate, now, ids });
  const handler: JobHandler = deliverer;
  return {
    events,
    blocked,
    handler,
    routes: webhookRoutes({ service, door, bodyBytes: limits.bodyBytes, admit }),
    /** To be called several times a second. */
    tend: () => outbox.tend(),
    /** To be called every five minutes. */
    summarise: () => blocked.tend(),
    /** To be called a few times a day. */
    retain: () => deliverer.retain(),
  };
};
