import { commandParts, type HubParts } from "#app";
import { publicUrlOf } from "#config/address";
import type {
  AlertDestinationView,
  AlertRuleChange,
  AlertRuleView,
  AlertView,
  NewAlertDestination,
} from "#features/alerts/schema";
import { DESTINATION_KINDS, MAIL_SECURITY, SEVERITIES } from "#model/alert";
import { CLI_ACTOR } from "#model/change";
import { systemClock, timestamp } from "#platform/clock";
import { jsonLog } from "#platform/log";
import { alertSending } from "./adapters";
import type { Arguments } from "./arguments";
import { CliExit, EXIT, usage } from "./exit";
import { readSecret } from "./input";
import { parseDuration, shortTime } from "./moments";
import { card } from "./output";
import { type CliSession, changing, reading } from "./session";
import type { Invocation, RunVerb } from "./verb";

type Services = Pick<HubParts, "alertService" | "alertRuleService" | "alertDestinationService">;

const servicesOf = ({ inputs }: CliSession, invocation: Invocation): Services => {
  const config = invocation.config();
  const log = jsonLog(config.log_level, (line) => invocation.host.writeLine("stderr", line), systemClock);
  const publicUrl = () => config.public_url || publicUrlOf(config.listen);
  return commandParts({ ...inputs, publicUrl, log, random: Math.random, alertOptions: alertSending(config) });
};

const reads = <T>(invocation: Invocation, work: (services: Services) => Promise<T>): Promise<T> =>
  reading(invocation, (session) => work(servicesOf(session, invocation)));

const changes = <T>(invocation: Invocation, work: (services: Services) => Promise<T>): Promise<T> =>
  changing(invocation, (session) => work(servicesOf(session, invocation)));

/** Alerts that are over and shown. */
const LAST = 50;
const MAX_FIRING = 1_000;

const timeOf = (text: string | null): string => (text === null ? "-" : shortTime(Date.parse(text)));

const stateOf = ({ state, silenced }: AlertView): string => (silenced ? `${state}, silenced` : state);

export const listAlerts: RunVerb = async (invocation) => {
  const { args, out } = invocation;
  const found = await reads(invocation, async ({ alertService }) => {
    const page = (state: AlertView["state"], limit: number) => alertService.page([state], { after: null, limit });
    const firing = await page("firing", MAX_FIRING);
    const others = args.on("all") ? [...(await page("pending", MAX_FIRING)), ...(await page("resolved", LAST))] : [];
    return { alerts: [...firing, ...others], silences: await alertService.silences() };
  });
  const rows = found.alerts.map((one) => [
    stateOf(one),
    one.severity,
    one.rule_id,
    one.subject,
    timeOf(one.since),
    one.text,
  ]);
  const silent = found.silences.map((one) => [
    one.id,
    one.rule_id ?? "all",
    one.subject ?? "all",
    timeOf(one.until),
    one.reason,
  ]);
  const tables = [
    rows.length === 0
      ? "Nothing fires."
      : out.table(["STATE", "SEVERITY", "RULE", "SUBJECT", "SINCE (UTC)", "WHAT"], rows),
    ...(silent.length === 0 ? [] : ["", out.table(["SILENCE", "RULE", "SUBJECT", "UNTIL (UTC)", "REASON"], silent)]),
  ];
  await out.result(found, tables.join("\n"));
  return EXIT.ok;
};

const secondsOf = (seconds: number): string => (seconds % 60 === 0 ? `${seconds / 60}m` : `${seconds}s`);

export const listRules: RunVerb = async (invocation) => {
  const [rules, destinations] = await reads(invocation, ({ alertRuleService, alertDestinationService }) =>
    Promise.all([alertRuleService.list(), alertDestinationService.list()]),
  );
  const names = new Map(destinations.map(({ id, name }) => [id, name]));
  const rows = rules.map((rule) => [
    rule.id,
    rule.enabled ? "on" : "off",
    rule.severity,
    String(rule.threshold),
    String(rule.clear_at),
    rule.unit,
    secondsOf(rule.for_seconds),
    rule.destinations === null ? "all" : rule.destinations.map((id) => names.get(id) ?? id).join(","),
    rule.name,
  ]);
  const headings = ["RULE", "STATE", "SEVERITY", "ABOVE", "CLEAR AT", "UNIT", "FOR", "SENT TO", "NAME"];
  await invocation.out.result(rules, invocation.out.table(headings, rows));
  return EXIT.ok;
};

const numberIn = (args: Arguments, flag: string): number | undefined => {
  const text = args.text(flag);
  if (text === undefined) return undefined;
  if (!/^\d+(\.\d+)?$/.test(text)) throw usage(`--${flag}: expected a number, got "${text}"`);
  return Number(text);
};

const secondsIn = (args: Arguments, flag: string): number | undefined => {
  const text = args.text(flag);
  return text === undefined ? undefined : parseDuration(text, flag) / 1_000;
};

const choiceIn = <T extends string>(args: Arguments, flag: string, choices: readonly T[]): T | undefined => {
  const text = args.text(flag);
  const choice = choices.find((one) => one === text);
  if (text !== undefined && choice === undefined) throw usage(`--${flag}: one of ${choices.join(", ")}, got "${text}"`);
  return choice;
};

/** By id, or by a name that only one has. Throws a `CliExit`. */
const destinationBy = (all: readonly AlertDestinationView[], text: string): AlertDestinationView => {
  const found = all.filter(({ id, name }) => id === text || name === text);
  const [first, second] = found;
  if (first === undefined) throw new CliExit(EXIT.notFound, `There is no destination ${text}`);
  if (second !== undefined) throw new CliExit(EXIT.failure, `Several destinations are called ${text}: name its id`);
  return first;
};

type Known<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

const known = <T extends Record<string, unknown>>(parts: T): Known<T> =>
  Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined)) as Known<T>;

export const setRule: RunVerb = async (invocation) => {
  const { args, out } = invocation;
  if (args.on("enable") && args.on("disable")) throw usage("--enable or --disable, not both");
  const to = args.text("to");
  const parts = known({
    threshold: numberIn(args, "threshold"),
    clear_at: numberIn(args, "clear-at"),
    window_seconds: secondsIn(args, "window"),
    min_calls: numberIn(args, "min-calls"),
    for_seconds: secondsIn(args, "for"),
    resolve_seconds: secondsIn(args, "resolve-after"),
    severity: choiceIn(args, "severity", SEVERITIES),
    enabled: args.on("enable") ? true : args.on("disable") ? false : undefined,
  });
  if (Object.keys(parts).length === 0 && to === undefined) throw usage("Say what is to change, e.g. --threshold 30");
  const rule = await changes(invocation, async ({ alertRuleService, alertDestinationService }) => {
    const all = to === undefined ? [] : await alertDestinationService.list();
    const destinations = to === "all" ? null : to?.split(",").map((one) => destinationBy(all, one).id);
    const change: AlertRuleChange = { ...parts, ...(destinations !== undefined && { destinations }) };
    return alertRuleService.change(CLI_ACTOR, args.needOperand(0), change);
  });
  await out.result(rule, ruleCard(rule));
  return EXIT.ok;
};

const ruleCard = (rule: AlertRuleView): string =>
  card({
    rule: rule.id,
    name: rule.name,
    state: rule.enabled ? "on" : "off",
    severity: rule.severity,
    above: `${rule.threshold} (${rule.unit})`,
    "clear at": String(rule.clear_at),
    for: secondsOf(rule.for_seconds),
    "resolved after": secondsOf(rule.resolve_seconds),
    window: secondsOf(rule.window_seconds),
  });

export const listDestinations: RunVerb = async (invocation) => {
  const all = await reads(invocation, ({ alertDestinationService }) => alertDestinationService.list());
  const rows = all.map((one) => [
    one.id,
    one.name,
    one.kind,
    one.active ? (one.failing_since === null ? "on" : "failing") : "paused",
    one.host,
    timeOf(one.failing_since),
  ]);
  const headings = ["ID", "NAME", "KIND", "STATE", "HOST", "FAILING SINCE (UTC)"];
  await invocation.out.result(all, rows.length === 0 ? "No destinations." : invocation.out.table(headings, rows));
  return EXIT.ok;
};

/** What of a kind is in the file. */
const secretOf = (kind: NewAlertDestination["kind"], secret: string | undefined): Partial<NewAlertDestination> => {
  if (secret === undefined) return {};
  if (kind === "email") return { password: secret };
  return kind === "pagerduty" ? { routing_key: secret } : { url: secret };
};

export const addDestination: RunVerb = async (invocation) => {
  const { args, out } = invocation;
  const named = args.needOperand(0);
  const kind = DESTINATION_KINDS.find((one) => one === named);
  if (kind === undefined) throw usage(`one of ${DESTINATION_KINDS.join(", ")}, got "${named}"`);
  const wanted: NewAlertDestination = {
    name: args.need("name"),
    kind,
    ...known({
      url: args.text("url"),
      host: args.text("host"),
      port: numberIn(args, "port"),
      security: choiceIn(args, "security", MAIL_SECURITY),
      username: args.text("username"),
      from: args.text("from"),
      to: args.text("to")?.split(","),
    }),
    ...secretOf(kind, await readSecret(invocation, "secret-file")),
  };
  const made = await changes(invocation, (services) => services.alertDestinationService.create(CLI_ACTOR, wanted));
  const { id, name, host, secret } = made;
  if (secret !== null) await out.note("The secret is shown only once; it cannot be retrieved later.");
  await out.result(made, card({ id, name, kind, host, ...(secret !== null && { secret }) }));
  return EXIT.ok;
};

export const removeDestination: RunVerb = async (invocation) => {
  const { args, out } = invocation;
  const removed = await changes(invocation, async ({ alertDestinationService: service }) => {
    const destination = destinationBy(await service.list(), args.needOperand(0));
    await service.remove(CLI_ACTOR, destination.id);
    return destination;
  });
  await out.result({ ...removed, removed: true }, `Removed the destination ${removed.name}.`);
  return EXIT.ok;
};

export const testDestination: RunVerb = async (invocation) => {
  const { args, out } = invocation;
  const result = await reads(invocation, async ({ alertDestinationService: service }) =>
    service.test(destinationBy(await service.list(), args.needOperand(0)).id),
  );
  const answered = result.error ?? `it answered ${result.status}`;
  await out.result(result, `${result.delivered ? "delivered" : "failed"}: ${answered}, after ${result.ms} ms`);
  return result.delivered ? EXIT.ok : EXIT.failure;
};

export const silence: RunVerb = async (invocation) => {
  const { args, out } = invocation;
  const until = timestamp(systemClock() + parseDuration(args.need("for"), "for"));
  const wanted = {
    until,
    reason: args.need("reason"),
    rule_id: args.text("rule") ?? null,
    subject: args.text("subject") ?? null,
  };
  const made = await changes(invocation, ({ alertService }) => alertService.silence(CLI_ACTOR, wanted));
  const { id, rule_id, subject, reason } = made;
  await out.result(made, card({ id, rule: rule_id ?? "all", subject: subject ?? "all", until: made.until, reason }));
  return EXIT.ok;
};

export const unsilence: RunVerb = async (invocation) => {
  const id = invocation.args.needOperand(0);
  const ended = await changes(invocation, ({ alertService }) => alertService.unsilence(CLI_ACTOR, id));
  await invocation.out.result(ended, `Ended the silence of ${ended.rule_id ?? "all rules"}.`);
  return EXIT.ok;
};
