import { type Actor, changeRecord } from "#core/change";
import { GuardError } from "#core/errors";
import type { HubEvent } from "#core/event";
import { type IpRange, parseRange } from "#core/ip-range";
import type { Webhook } from "#core/webhook";
import { addressProblem } from "#core/webhook-address";
import type { WebhookQueue } from "#engine/webhook-queue";
import { newWebhookSecret, rotated, sealWebhookSecret } from "#engine/webhook-secrets";
import type { Webhooks } from "#engine/webhooks";
import type { Clock } from "#platform/clock";
import { type Ids, isUuid } from "#platform/ids";
import type { Sealing } from "#platform/sealing";
import type { WebhookStore } from "#store/loop-port";
import { shownDelivery, shownWebhook } from "./presenter";
import {
  type IssuedWebhook,
  knownPatterns,
  type NewWebhook,
  type ShownDelivery,
  type ShownWebhook,
  type WebhookChange,
} from "./schema";

type Deps = {
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
const MOST_WEBHOOKS = 50;
const MOST_DELIVERIES = 1_000;
const GRACE_MS = 24 * 3_600_000;
/** When a job takes a trial up that somebody began and did not end: later than any attempt takes. */
const TRIAL_MS = 60_000;

/** Who is told what, for administrators. Records name the receiver's host: paths of URLs are often secrets. */
export class WebhookService {
  private readonly allowed: readonly IpRange[];

  constructor(private readonly deps: Deps) {
    this.allowed = deps.allowPrivate.flatMap((text) => parseRange(text) ?? []);
  }

  /** Newest first. */
  async list(): Promise<ShownWebhook[]> {
    return (await this.deps.store.list()).map(shownWebhook).reverse();
  }

  async get(id: string): Promise<ShownWebhook> {
    return shownWebhook(await this.known(id));
  }

  /** Throws `invalid_value`; `state_conflict` when there are too many. */
  async create(by: Actor, { url, events, description = null }: NewWebhook): Promise<IssuedWebhook> {
    const { store, sealing, now, ids } = this.deps;
    const good = { url: this.goodUrl(url), events: knownPatterns(events) };
    const [id, secret] = [ids(), newWebhookSecret()];
    const webhook: Webhook = {
      ...{ id, ...good, description },
      active: true,
      sealed_secrets: [sealWebhookSecret(id, secret, null, sealing)],
      disabled_reason: null,
      created_by: by.user_id,
      created_at: now(),
      failing_since: null,
    };
    const record = this.record(by, "add", id, { host: hostOf(good.url), events: good.events });
    if (!(await store.create(webhook, record, MOST_WEBHOOKS))) {
      throw new GuardError("state_conflict", `There are ${MOST_WEBHOOKS} webhooks already.`);
    }
    return { ...shownWebhook(webhook), secret };
  }

  /** What is switched on again begins anew. Throws `not_found`, `invalid_value`. */
  async change(by: Actor, id: string, { url, events, description, active }: WebhookChange): Promise<ShownWebhook> {
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
    return shownWebhook({ ...webhook, ...patch });
  }

  /** With its log of deliveries. Throws `not_found`. */
  async remove(by: Actor, id: string): Promise<ShownWebhook> {
    const webhook = await this.known(id);
    const record = this.record(by, "remove", webhook.id, { host: hostOf(webhook.url) });
    if (!(await this.deps.store.remove(webhook.id, record))) throw noWebhook();
    return shownWebhook(webhook);
  }

  /** A new secret; the old one signs beside it until the grace is over. Throws `not_found`. */
  async rotate(by: Actor, id: string, graceMs = GRACE_MS): Promise<IssuedWebhook> {
    const webhook = await this.known(id);
    const secret = newWebhookSecret();
    const sealed_secrets = rotated(webhook, secret, this.deps.now() + graceMs, this.deps.sealing);
    await this.update(by, "rotate", webhook, { sealed_secrets }, { grace_ms: graceMs });
    return { ...shownWebhook(webhook), secret };
  }

  /** Sends `webhook.test` once, at once, and says what came of it. Throws `not_found`. */
  async test(by: Actor, id: string): Promise<ShownDelivery> {
    const webhook = await this.known(id);
    const { queue, deliverer, now, ids } = this.deps;
    const about = { agent_id: null, user_id: by.user_id, subject: "webhook", subject_id: webhook.id };
    const event: HubEvent = { id: ids(), type: "webhook.test", at: now(), ...about };
    const delivery = await queue.send(webhook, event, now() + TRIAL_MS);
    return shownDelivery(await deliverer.once(webhook, delivery));
  }

  /** Newest first. Throws `not_found`. */
  async deliveries(id: string): Promise<ShownDelivery[]> {
    const webhook = await this.known(id);
    return (await this.deps.store.deliveries(webhook.id, MOST_DELIVERIES)).map(shownDelivery);
  }

  /** Queues the same message again, under its old id. Throws `not_found`; `state_conflict` where it could not be sent. */
  async replay(id: string): Promise<ShownDelivery> {
    const delivery = isUuid(id) ? await this.deps.store.delivery(id.toLowerCase()) : null;
    const webhook = delivery && (await this.deps.store.byId(delivery.webhook_id));
    if (!webhook) throw new GuardError("not_found", "There is no such delivery.", { param: "id" });
    if (!webhook.active) throw new GuardError("state_conflict", "The webhook is off. Switch it on first.");
    return shownDelivery(await this.deps.queue.again(webhook, delivery));
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
