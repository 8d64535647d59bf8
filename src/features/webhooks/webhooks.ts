import { type JobHandler, NotTaken } from "#hub/job-runner";
import { type Actor, changeRecord } from "#model/change";
import type { Webhook, WebhookDelivery } from "#model/webhook";
import type { Clock } from "#platform/clock";
import type { Ids } from "#platform/ids";
import type { Log } from "#platform/log";
import type { Sealing } from "#platform/sealing";
import type { Job, WebhookStore } from "#store/loop-port";
import type { WebhookAnswer, WebhookSender } from "#upstream/outbound-port";
import { signingSecrets } from "./webhook-secrets";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Waits after a failed attempt, in milliseconds: the schedule Standard Webhooks suggests. Then it is given up. */
export const RETRY_AFTER_MS: readonly number[] = [
  5_000,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];
/** Waits are up to a tenth longer, so that what failed together does not come back together. */
const JITTER = 0.1;
/** A receiver that has taken nothing for so long is not sent anything any more. */
const FAILING_MS = 5 * DAY_MS;
/** How long the log of deliveries goes back. */
const KEPT_MS = 30 * DAY_MS;

/** The receiver wants nothing any more. */
const GONE = 410;

const SYSTEM: Actor = { via: "system", user_id: null, agent_id: null, token_id: null };

type WebhooksNeeds = Sealing & {
  readonly webhooks: WebhookStore;
  readonly send: WebhookSender;
  readonly now: Clock;
  readonly ids: Ids;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly log: Log;
};

/**
 * Sends what is queued, at least once: what a crash interrupts between the sending and the noting of it is sent again,
 * under the same id. A receiver that is gone (410), or that takes nothing for five days, is switched off.
 */
export class Webhooks implements JobHandler {
  readonly kind = "webhook.deliver";
  readonly attempts = RETRY_AFTER_MS.length + 1;
  readonly atOnce = 16;
  /** An attempt takes 20 seconds at most. */
  readonly leaseMs = MINUTE_MS / 2;

  constructor(private readonly deps: WebhooksNeeds) {}

  pauseAfter(attempts: number): number {
    return Math.round(waitAfter(attempts) * (1 + JITTER * this.deps.random()));
  }

  /** One attempt. Throws `NotTaken`. */
  async run(job: Job, signal: AbortSignal): Promise<void> {
    const { webhooks, now } = this.deps;
    const delivery = await webhooks.delivery(job.ref);
    const webhook = delivery?.state === "pending" ? await webhooks.byId(delivery.webhook_id) : null;
    if (!delivery || !webhook) return;
    if (!webhook.active) return webhooks.saveDelivery({ ...delivery, state: "failed", next_at: null });
    const { answer, after } = await this.attempt(webhook, delivery, signal);
    // Cut off by the hub's end: what the receiver would have said is not known.
    if (signal.aborted && after.state === "failed") throw new NotTaken("hub_stopping");
    const isOver = after.state === "delivered" || answer.status === GONE || job.attempts >= this.attempts;
    const next_at = isOver ? null : now() + waitAfter(job.attempts);
    await webhooks.saveDelivery({ ...after, state: isOver ? after.state : "pending", next_at });
    await this.judge(webhook, after.state === "delivered", answer.status);
    if (!isOver) throw new NotTaken(answer.error ?? `status_${answer.status}`);
  }

  /** It ended its process each time. */
  async gaveUp({ ref }: Job): Promise<void> {
    const delivery = await this.deps.webhooks.delivery(ref);
    if (delivery?.state !== "pending") return;
    await this.deps.webhooks.saveDelivery({ ...delivery, state: "failed", next_at: null });
  }

  /** Sends it once and notes how that went, whatever comes of it: to try a webhook out. */
  async once(webhook: Webhook, delivery: WebhookDelivery): Promise<WebhookDelivery> {
    const { after } = await this.attempt(webhook, delivery, new AbortController().signal);
    await this.deps.webhooks.saveDelivery(after);
    return after;
  }

  /** Forgets deliveries of more than 30 days ago; says how many. */
  retain(): Promise<number> {
    return this.deps.webhooks.dropDeliveries(this.deps.now() - KEPT_MS);
  }

  private async attempt(
    webhook: Webhook,
    delivery: WebhookDelivery,
    signal: AbortSignal,
  ): Promise<{ answer: WebhookAnswer; after: WebhookDelivery }> {
    const { send, now } = this.deps;
    const at = now();
    const secrets = signingSecrets(webhook, at, this.deps);
    const answer = await send(webhook.url, { id: delivery.event_id, body: delivery.payload, secrets }, signal);
    const attempts = [...delivery.attempts, { at, ...answer, ms: Math.max(0, now() - at) }];
    const isTaken = answer.status !== null && answer.status >= 200 && answer.status < 300;
    return { answer, after: { ...delivery, attempts, state: isTaken ? "delivered" : "failed", next_at: null } };
  }

  /** Notes since when a receiver takes nothing, and ends it in the end. Several deliveries may do so at once. */
  private async judge({ id }: Webhook, isTaken: boolean, status: number | null): Promise<void> {
    const webhook = await this.deps.webhooks.byId(id);
    if (!webhook?.active) return;
    const { failing_since } = webhook;
    const now = this.deps.now();
    if (isTaken) {
      if (failing_since !== null) await this.change(webhook, "webhook.recover", { failing_since: null }, {});
    } else if (status === GONE) {
      await this.disable(webhook, "Its receiver answered that it is gone (410).", "gone");
    } else if (failing_since === null) {
      await this.change(webhook, "webhook.fail", { failing_since: now }, {});
    } else if (now - failing_since >= FAILING_MS) {
      await this.disable(webhook, "Its receiver has accepted nothing for five days.", "failing");
    }
  }

  private async disable(webhook: Webhook, disabled_reason: string, why: string): Promise<void> {
    await this.change(webhook, "webhook.disable", { active: false, disabled_reason }, { why });
    this.deps.log.warn("webhook.disabled", { webhook_id: webhook.id, why });
  }

  private async change(
    { id }: Webhook,
    kind: string,
    patch: Partial<Omit<Webhook, "id" | "created_at">>,
    detail: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    const { webhooks, ids, now } = this.deps;
    const change = { kind, by: SYSTEM, subject: "webhook", subject_id: id, detail };
    await webhooks.update(id, patch, changeRecord(change, { id: ids(), at: now() }));
  }
}

/** The first wait for what was begun once. */
const waitAfter = (attempts: number): number => RETRY_AFTER_MS[attempts - 1] ?? DAY_MS;
