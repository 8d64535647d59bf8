import { publicUrlOf } from "#config/address";
import type { Config } from "#config/schema";
import { CLI_ACTOR } from "#core/change";
import { WebhookQueue } from "#engine/webhook-queue";
import { Webhooks } from "#engine/webhooks";
import type { IssuedWebhook, ShownWebhook } from "#modules/webhooks/schema";
import { WebhookService } from "#modules/webhooks/service";
import { systemClock } from "#platform/clock";
import { systemIds } from "#platform/ids";
import { jsonLog } from "#platform/log";
import { webhookSending } from "./adapters";
import { EXIT } from "./exit";
import { parseDuration, shortTime } from "./moments";
import { card, table } from "./output";
import { changing, reading, type Session } from "./session";
import type { Invocation, Run } from "./verb";

const serviceOf = ({ store, seal, unseal }: Session, config: Config): WebhookService => {
  const basics = { now: systemClock, ids: systemIds };
  const [webhooks, sealing] = [store.webhooks, { seal, unseal }];
  const log = jsonLog(config.log_level, (line) => void process.stderr.write(line), systemClock);
  return new WebhookService({
    ...{ store: webhooks, sealing, allowPrivate: config.webhooks.allow_private, ...basics },
    queue: new WebhookQueue({ webhooks, publicUrl: () => config.public_url || publicUrlOf(config.listen), ...basics }),
    deliverer: new Webhooks({
      webhooks,
      send: webhookSending(config),
      ...sealing,
      ...basics,
      random: Math.random,
      log,
    }),
  });
};

const changed = <T>(invocation: Invocation, work: (service: WebhookService) => Promise<T>): Promise<T> =>
  changing(invocation, (session) => work(serviceOf(session, invocation.config())));

const stateOf = ({ active, disabled_reason, failing_since }: ShownWebhook): string => {
  if (!active) return disabled_reason === null ? "off" : "switched off";
  return failing_since === null ? "on" : "failing";
};

const cardOf = ({ id, url, events, description }: ShownWebhook, more: Readonly<Record<string, string>> = {}): string =>
  card({ id, url, events: events.join(","), description, ...more });

const showSecret = async ({ out }: Invocation, issued: IssuedWebhook): Promise<void> => {
  await out.note("The secret is shown this once; nobody can look it up later.");
  await out.result(issued, cardOf(issued, { secret: issued.secret }));
};

export const addWebhook: Run = async (invocation) => {
  const { args } = invocation;
  const wanted = {
    url: args.needOperand(0),
    events: args.need("events").split(","),
    description: args.text("description") ?? null,
  };
  await showSecret(invocation, await changed(invocation, (service) => service.create(CLI_ACTOR, wanted)));
  return EXIT.ok;
};

export const listWebhooks: Run = async (invocation) => {
  const all = await reading(invocation, (session) => serviceOf(session, invocation.config()).list());
  const rows = all.map((one) => [
    one.id,
    stateOf(one),
    one.url,
    one.events.join(","),
    one.failing_since === null ? "-" : shortTime(Date.parse(one.failing_since)),
  ]);
  await invocation.out.result(all, table(["ID", "STATE", "URL", "EVENTS", "FAILING SINCE"], rows));
  return EXIT.ok;
};

export const testWebhook: Run = async (invocation) => {
  const id = invocation.args.needOperand(0);
  const delivery = await changed(invocation, (service) => service.test(CLI_ACTOR, id));
  const [attempt] = delivery.attempts;
  const answered = attempt?.error ?? `it answered ${attempt?.status}`;
  await invocation.out.result(delivery, `${delivery.state}: ${answered}, after ${attempt?.ms} ms`);
  return delivery.state === "delivered" ? EXIT.ok : EXIT.failure;
};

export const rotateWebhook: Run = async (invocation) => {
  const { args } = invocation;
  const id = args.needOperand(0);
  const grace = args.text("grace");
  const graceMs = grace === undefined ? undefined : parseDuration(grace, "grace");
  await showSecret(invocation, await changed(invocation, (service) => service.rotate(CLI_ACTOR, id, graceMs)));
  return EXIT.ok;
};

export const removeWebhook: Run = async (invocation) => {
  const id = invocation.args.needOperand(0);
  const removed = await changed(invocation, (service) => service.remove(CLI_ACTOR, id));
  await invocation.out.result({ ...removed, removed: true }, `${removed.url} is told nothing more.`);
  return EXIT.ok;
};
