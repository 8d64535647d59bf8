import { commandParts } from "#app";
import { publicUrlOf } from "#config/address";
import type { IssuedWebhook, WebhookResponse } from "#features/webhooks/schema";
import type { WebhookService } from "#features/webhooks/service";
import { CLI_ACTOR } from "#model/change";
import { systemClock } from "#platform/clock";
import { jsonLog } from "#platform/log";
import { webhookSending } from "./adapters";
import { EXIT } from "./exit";
import { parseDuration, shortTime } from "./moments";
import { card } from "./output";
import { type CliSession, changing, reading } from "./session";
import type { Invocation, RunVerb } from "./verb";

const serviceOf = ({ inputs }: CliSession, invocation: Invocation): WebhookService => {
  const config = invocation.config();
  const log = jsonLog(config.log_level, (line) => invocation.host.writeLine("stderr", line), systemClock);
  const publicUrl = () => config.public_url || publicUrlOf(config.listen);
  const webhookOptions = { send: webhookSending(config), allowPrivate: config.webhooks.allow_private };
  return commandParts({ ...inputs, publicUrl, log, random: Math.random, webhookOptions }).webhookService;
};

const changed = <T>(invocation: Invocation, work: (service: WebhookService) => Promise<T>): Promise<T> =>
  changing(invocation, (session) => work(serviceOf(session, invocation)));

const stateOf = ({ active, disabled_reason, failing_since }: WebhookResponse): string => {
  if (!active) return disabled_reason === null ? "paused" : "disabled";
  return failing_since === null ? "on" : "failing";
};

const cardOf = (
  { id, url, events, description }: WebhookResponse,
  more: Readonly<Record<string, string>> = {},
): string => card({ id, url, events: events.join(","), description, ...more });

const showSecret = async ({ out }: Invocation, issued: IssuedWebhook): Promise<void> => {
  await out.note("The secret is shown only once; it cannot be retrieved later.");
  await out.result(issued, cardOf(issued, { secret: issued.secret }));
};

export const addWebhook: RunVerb = async (invocation) => {
  const { args } = invocation;
  const wanted = {
    url: args.needOperand(0),
    events: args.need("events").split(","),
    description: args.text("description") ?? null,
  };
  await showSecret(invocation, await changed(invocation, (service) => service.create(CLI_ACTOR, wanted)));
  return EXIT.ok;
};

export const listWebhooks: RunVerb = async (invocation) => {
  const all = await reading(invocation, (session) => serviceOf(session, invocation).list());
  const rows = all.map((one) => [
    one.id,
    stateOf(one),
    one.url,
    one.events.join(","),
    one.failing_since === null ? "-" : shortTime(Date.parse(one.failing_since)),
  ]);
  await invocation.out.result(all, invocation.out.table(["ID", "STATE", "URL", "EVENTS", "FAILING SINCE (UTC)"], rows));
  return EXIT.ok;
};

export const testWebhook: RunVerb = async (invocation) => {
  const id = invocation.args.needOperand(0);
  const delivery = await changed(invocation, (service) => service.test(CLI_ACTOR, id));
  const [attempt] = delivery.attempts;
  const answered = attempt?.error ?? `it answered ${attempt?.status}`;
  await invocation.out.result(delivery, `${delivery.state}: ${answered}, after ${attempt?.ms} ms`);
  return delivery.state === "delivered" ? EXIT.ok : EXIT.failure;
};

export const rotateWebhook: RunVerb = async (invocation) => {
  const { args } = invocation;
  const id = args.needOperand(0);
  const grace = args.text("grace");
  const graceMs = grace === undefined ? undefined : parseDuration(grace, "grace");
  await showSecret(invocation, await changed(invocation, (service) => service.rotate(CLI_ACTOR, id, graceMs)));
  return EXIT.ok;
};

export const removeWebhook: RunVerb = async (invocation) => {
  const id = invocation.args.needOperand(0);
  const removed = await changed(invocation, (service) => service.remove(CLI_ACTOR, id));
  await invocation.out.result({ ...removed, removed: true }, `Removed the webhook ${removed.url}.`);
  return EXIT.ok;
};
