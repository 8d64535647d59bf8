import { GuardError } from "#core/errors";
import { addressProblem, type IpRange, parseRange } from "#core/ip-range";
import type { WebhookQueue } from "#features/webhooks/webhook-queue";
import { rotated, sealWebhookSecret } from "#features/webhooks/webhook-secrets";
import type { Webhooks } from "#features/webhooks/webhooks";
import { type Actor, changeRecord } from "#model/change";
import type { HubEvent } from "#model/event";
import type { Webhook } from "#model/webhook";
import type { Clock } from "#platform/clock";
import { type Ids, isUuid } from "#platform/ids";
import type { Sealing } from "#platform/sealing";
import { newSigningSecret } from "#platform/signing-secret";
import type { WebhookStore } from "#store/loop-port";
import {
  type DeliveryResponse,
  deliveryResponse,
  type IssuedWebhook,
  knownPatterns,
  type NewWebhook,
  type WebhookChange,
  type WebhookResponse,
  webhookResponse,
} from "./schema";

type WebhookServiceNeeds = {
  readonly store: WebhookStore;
  readonly queue: Pick<WebhookQueue, "send" | "again">;
  readonly deliverer: Pick<Webhooks, "once">;
  readonly sealing: Sealing;
  /** `webhooks.allow_private`. */
  readonly allowPrivate: readonly string[];
  readonly now: Clock;
  readonly ids: Ids;
};

/** Each is sent every event it subscribes to: more would be a way to send much for little. */
const MAX_WEBHOOKS = 50;
const MAX_DELIVERIES = 1_000;
const GRACE_MS = 24 * 3_600_000;
/** When a job takes a trial up that somebody began and did not end: later than any attempt takes. */
const TRIAL_MS = 60_000;

/** Who is told what, for administrators. Records name the receiver's host: paths of URLs are often secrets. */
export class WebhookService {
  private readonly allowed: readonly IpRange[];

  constructor(private readonly deps: WebhookServiceNeeds) {
    this.allowed = deps.allowPrivate.flatMap((text) => parseRange(text) ?? []);
  }

  /** Newest first. */
  async list(): Promise<WebhookResponse[]> {
    return (await this.deps.store.list()).map(webhookResponse).reverse();
  }

  async get(id: string): Promise<WebhookResponse> {
    return webhookResponse(await this.known(id));
  }

  /** Throws `invalid_value`; `state_conflict` when there are too many. */
  async create(
    by: Actor,
    { url, events, description = null, active = true }: NewWebhook & { readonly active?: boolean },
    secret = newSigningSecret(),
  ): Promise<IssuedWebhook> {
    const { store, sealing, now, ids } = this.deps;
    const good = { url: this.goodUrl(url), events: knownPatterns(events) };
    const id = ids();
    const webhook: Webhook = {
      id,
      ...good,
      description,
      active,
      sealed_secrets: [sealWebhookSecret(id, secret, null, sealing)],
      disabled_reason: null,
      created_by: by.user_id,
      created_at: now(),
      failing_since: null,
    };
    const record = this.record(by, "add", id, {
      host: hostOf(good.url),
      events: good.events,
      ...(!active && { active }),
    });
    if (!(await store.create(webhook, record, MAX_WEBHOOKS))) {
      throw new GuardError("state_conflict", `The limit of ${MAX_WEBHOOKS} webhooks is reached. Remove one first.`);
    }
    return { ...webhookResponse(webhook), secret };
  }

  /** What is switched on again begins anew. Throws `not_found`, `invalid_value`. */
  async change(by: Actor, id: string, { url, events, description, active }: WebhookChange): Promise<WebhookResponse> {
    const webhook = await this.known(id);
    const patch = {
      ...(url !== undefined && { url: this.goodUrl(url) }),
      ...(events !== undefined && { events: knownPatterns(events) }),
      ...(description !== undefined && { description }),
      ...(active !== undefined && { active }),
      ...(active === true && !webhook.active && { disabled_reason: null, failing_since: null }),
    };
    const detail = {
      ...(patch.url !== undefined && { host: hostOf(patch.url) }),
      ...(patch.events && { events: patch.events }),
      ...(active !== undefined && { active }),
      changed: Object.keys(patch),
    };
    await this.update(by, "update", webhook, patch, detail);
    return webhookResponse({ ...webhook, ...patch });
  }

  /** With its log of deliveries. Throws `not_found`. */
  async remove(by: Actor, id: string): Promise<WebhookResponse> {
    const webhook = await this.known(id);
    const record = this.record(by, "remove", webhook.id, { host: hostOf(webhook.url) });
    if (!(await this.deps.store.remove(webhook.id, record))) throw noWebhook();
    return webhookResponse(webhook);
  }

  /** A new secret; the old one signs beside it until the grace is over. Throws `not_found`. */
  async rotate(by: Actor, id: string, graceMs = GRACE_MS, secret = newSigningSecret()): Promise<IssuedWebhook> {
    const webhook = await this.known(id);
    const sealed_secrets = rotated(webhook, secret, this.deps.now() + graceMs, this.deps.sealing);
    await this.update(by, "rotate", webhook, { sealed_secrets }, { grace_ms: graceMs });
    return { ...webhookResponse(webhook), secret };
  }

  /** Sends `webhook.test` once, at once, and says what came of it. Throws `not_found`. */
  async test(by: Actor, id: string): Promise<DeliveryResponse> {
    const webhook = await this.known(id);
    const { queue, deliverer, now, ids } = this.deps;
    const about = { agent_id: null, user_id: by.user_id, subject: "webhook", subject_id: webhook.id };
    const event: HubEvent = { id: ids(), type: "webhook.test", at: now(), ...about };
    const delivery = await queue.send(webhook, event, now() + TRIAL_MS);
    return deliveryResponse(await deliverer.once(webhook, delivery));
  }

  /** Newest first. Throws `not_found`. */
  async deliveries(id: string): Promise<DeliveryResponse[]> {
    const webhook = await this.known(id);
    return (await this.deps.store.deliveries(webhook.id, MAX_DELIVERIES)).map(deliveryResponse);
  }

  /** Queues the same message again, under its old id. Throws `not_found`; `state_conflict` where it could not be sent. */
  async replay(id: string): Promise<DeliveryResponse> {
    const delivery = isUuid(id) ? await this.deps.store.delivery(id.toLowerCase()) : null;
    const webhook = delivery && (await this.deps.store.byId(delivery.webhook_id));
    if (!webhook) throw new GuardError("not_found", "There is no such delivery.", { param: "id" });
    if (!webhook.active) throw new GuardError("state_conflict", "The webhook is disabled. Enable it first.");
    return deliveryResponse(await this.deps.queue.again(webhook, delivery));
  }

  private goodUrl(text: string): string {
    const problem = addressProblem(text, this.allowed);
    if (problem !== null) throw new GuardError("invalid_value", problem, { param: "url" });
    return new URL(text).href;
  }

  private async known(id: string): Promise<Webhook> {
    const webhook = isUuid(id) ? await this.deps.store.byId(id.toLowerCase()) : null;
    if (webhook) return webhook;
    throw noWebhook();
  }

  private async update(
    by: Actor,
    what: string,
    { id }: Webhook,
    patch: Parameters<WebhookStore["update"]>[1],
    detail: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    if (await this.deps.store.update(id, patch, this.record(by, what, id, detail))) return;
    throw noWebhook();
  }

  private record(by: Actor, what: string, id: string, detail: Readonly<Record<string, unknown>>): string {
    const change = { kind: `webhook.${what}`, by, subject: "webhook", subject_id: id, detail };
    return changeRecord(change, { id: this.deps.ids(), at: this.deps.now() });
  }
}

const hostOf = (url: string): string => new URL(url).host;

const noWebhook = (): GuardError => new GuardError("not_found", "There is no such webhook.", { param: "id" });
