import { type HubEvent, isSubscribed } from "#model/event";
import type { Webhook, WebhookDelivery } from "#model/webhook";
import { type Clock, timestamp } from "#platform/clock";
import type { Ids } from "#platform/ids";
import type { WebhookStore } from "#store/loop-port";

type WebhookQueueNeeds = {
  readonly webhooks: Pick<WebhookStore, "list" | "queue">;
  readonly publicUrl: () => string;
  readonly now: Clock;
  readonly ids: Ids;
};

/** Writes down what is to be sent to whom. Sending is a job of its own, so that no event waits for a receiver. */
export class WebhookQueue {
  constructor(private readonly deps: WebhookQueueNeeds) {}

  /** One delivery for each webhook that subscribes to it, is on, and was there when it happened. */
  async enqueue(event: HubEvent): Promise<void> {
    for (const webhook of await this.deps.webhooks.list()) {
      const { active, events, created_at } = webhook;
      if (!active || created_at > event.at || !isSubscribed(events, event.type)) continue;
      await this.add(webhook, messageOf(event, this.deps.publicUrl()), this.deps.now(), "once");
    }
  }

  /** `runAt` is when a job takes it up, if nobody has sent it by then. */
  send(webhook: Webhook, event: HubEvent, runAt = this.deps.now()): Promise<WebhookDelivery> {
    return this.add(webhook, messageOf(event, this.deps.publicUrl()), runAt);
  }

  /** The same message again, under the same id. */
  again(webhook: Webhook, { event_id, type, payload }: WebhookDelivery): Promise<WebhookDelivery> {
    return this.add(webhook, { event_id, type, payload }, this.deps.now());
  }

  private async add(webhook: Webhook, message: Message, runAt: number, once?: "once"): Promise<WebhookDelivery> {
    const { webhooks, now, ids } = this.deps;
    const delivery: WebhookDelivery = {
      id: ids(),
      webhook_id: webhook.id,
      ...message,
      state: "pending",
      attempts: [],
      next_at: runAt,
      created_at: now(),
    };
    const job = { id: ids(), kind: "webhook.deliver", ref: delivery.id, run_at: runAt, attempts: 0 } as const;
    await webhooks.queue(delivery, job, once);
    return delivery;
  }
}

type Message = Pick<WebhookDelivery, "event_id" | "type" | "payload">;

const messageOf = (event: HubEvent, publicUrl: string): Message => ({
  event_id: event.id,
  type: event.type,
  payload: payloadOf(event, publicUrl),
});

/** Thin: receivers ask for the rest, with a session of their own. */
const payloadOf = ({ type, at, subject_id, ...event }: HubEvent, publicUrl: string): string => {
  const path = pathOf({ type, at, subject_id, ...event });
  const url = path === null ? null : publicUrl.replace(/\/$/, "") + path;
  // Who is told is what a notice is about.
  const whose = type === "notice.created" ? { user_id: event.user_id } : {};
  return JSON.stringify({
    type,
    timestamp: timestamp(at),
    data: { id: subject_id, agent_id: event.agent_id, url, ...whose },
  });
};

/** Where one looks at what an event is about; null where there is no such address. */
const pathOf = ({ subject, subject_id, agent_id, type }: HubEvent): string | null => {
  const [of, address] = [`/api/agents/${subject_id}`, ADDRESSES.get(subject)];
  if (subject === "agent") return type.startsWith("health.") || type.startsWith("drift.") ? `${of}/health` : of;
  if (subject === "restriction") {
    return agent_id === null ? null : `/api/agents/${agent_id}/restrictions/${subject_id}`;
  }
  if (subject === "kill_switch") return "/api/killswitch";
  if (subject === "policy" || subject === "policy_proposal") return "/api/policy";
  if (subject === "tuning_rule") return "/api/tuning/rules";
  return address === undefined ? null : `${address}/${subject_id}`;
};

const ADDRESSES: ReadonlyMap<string, string> = new Map([
  ["alert", "/api/alerts"],
  ["hold", "/api/holds"],
  ["report", "/api/reports"],
  ["review", "/api/reviews"],
  ["suggestion", "/api/tuning"],
  ["tool_server", "/api/tool-servers"],
  ["webhook", "/api/webhooks"],
]);
