import { readFileSync } from "node:fs";
import { commandParts } from "#app";
import { publicUrlOf } from "#config/address";
import { sourcesIn } from "#config/hook-sources";
import { GuardError } from "#core/errors";
import { SourceCallers } from "#features/verdicts/sources/callers";
import type { HookSourceView, IssuedHookSource } from "#features/verdicts/sources/schema";
import type { SourceService } from "#features/verdicts/sources/service";
import { CLI_ACTOR } from "#model/change";
import { MAX_BUDGET_MS, MIN_BUDGET_MS, REDACT_BECOMES } from "#model/hook-source";
import { SOURCE_KINDS } from "#model/verdict";
import { systemClock } from "#platform/clock";
import { jsonLog } from "#platform/log";
import { askHub } from "#upstream/ask-hub";
import { EXIT, usage } from "./exit";
import { readStdin } from "./input";
import { parseDuration, shortTime } from "./moments";
import { card } from "./output";
import { type CliSession, changing, reading } from "./session";
import type { Invocation, RunVerb } from "./verb";
import { VERSION } from "./version";

type Hub = { readonly service: SourceService; readonly callers: SourceCallers };

/** With everybody there is, as a serving hub has them. */
const hubOf = async ({ inputs, store }: CliSession, invocation: Invocation): Promise<Hub> => {
  const config = invocation.config();
  const log = jsonLog(config.log_level, (line) => invocation.host.writeLine("stderr", line), systemClock);
  const { sources } = sourcesIn(config, invocation.environment);
  const { sourceService, principals } = commandParts({
    ...inputs,
    publicUrl: () => config.public_url || publicUrlOf(config.listen),
    log,
    hookOptions: { configured: sources, ask: askHub(VERSION) },
  });
  principals.apply(await store.changes.changesSince(0));
  return { service: sourceService, callers: new SourceCallers(principals) };
};

const changed = <T>(invocation: Invocation, work: (hub: Hub) => Promise<T>): Promise<T> =>
  changing(invocation, async (session) => work(await hubOf(session, invocation)));

const read = <T>(invocation: Invocation, work: (hub: Hub) => Promise<T>): Promise<T> =>
  reading(invocation, async (session) => work(await hubOf(session, invocation)));

const oneOf = <T extends string>(flag: string, text: string, known: readonly T[]): T => {
  const found = known.find((one) => one === text);
  if (found === undefined) throw usage(`--${flag}: ${text} is none of ${known.join(", ")}`);
  return found;
};

const secretIn = async (invocation: Invocation): Promise<string | undefined> => {
  const { args, environment } = invocation;
  const file = args.text("secret-file");
  const variable = args.text("secret-env");
  if (file !== undefined && variable !== undefined) throw usage("--secret-file or --secret-env, not both");
  if (file !== undefined) {
    return (file === "-" ? await readStdin(invocation, "the secret") : readFileSync(file, "utf8")).trim();
  }
  if (variable === undefined) return undefined;
  const secret = environment[variable]?.trim() ?? "";
  if (secret === "") throw usage(`--secret-env: variable ${variable} is not set, or empty`);
  return secret;
};

const agentId = ({ callers }: Hub, named: string, email: string | undefined): string => {
  const user = email === undefined ? null : callers.userOf({ user: email, agent: null });
  const [only = null, ...others] = callers.agentsNamed(named);
  const agent = callers.agentNamed(named, user) ?? (others.length === 0 ? only : null);
  if (agent) return agent.id;
  throw new GuardError("not_found", `There is no agent ${named}, or there are several: give its id`, {
    param: "agent",
  });
};

const userId = ({ callers }: Hub, email: string): string => {
  const user = callers.userOf({ user: email, agent: null });
  if (user) return user.id;
  throw new GuardError("not_found", `There is no user ${email}`, { param: "user" });
};

const applicationsIn = (hub: Hub, texts: readonly string[], email: string | undefined): Record<string, string> =>
  Object.fromEntries(
    texts.map((text) => {
      const [, application, agent] = /^([^=]+)=(.+)$/.exec(text) ?? [];
      if (application === undefined || agent === undefined) throw usage(`--application: ${text} is not APP=AGENT`);
      return [application, agentId(hub, agent, email)];
    }),
  );

const cardOf = (view: HookSourceView, more: Readonly<Record<string, string>> = {}): string => {
  const { name, kind, user, agent, applications, redact, budget_ms, url } = view;
  const apps = Object.entries(applications).map(([application, one]) => `${application}=${one.name}`);
  return card({
    ...{ name, kind, user, agent, url, redact, budget: `${budget_ms} ms` },
    ...(apps.length > 0 && { applications: apps.join(",") }),
    ...more,
  });
};

const showSecret = async ({ out }: Invocation, issued: IssuedHookSource): Promise<void> => {
  const { secret, ...view } = issued;
  if (secret === null) {
    await out.result(view, cardOf(view));
    return;
  }
  await out.note("The secret is shown only once; it cannot be retrieved later.");
  await out.result(issued, cardOf(view, { secret }));
};

const millisecondsIn = (text: string): number => {
  const ms = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
  if (ms >= MIN_BUDGET_MS && ms <= MAX_BUDGET_MS) return ms;
  throw usage(`--budget-ms: a whole number from ${MIN_BUDGET_MS} to ${MAX_BUDGET_MS}, got "${text}"`);
};

export const addSource: RunVerb = async (invocation) => {
  const { args } = invocation;
  const secret = await secretIn(invocation);
  const email = args.text("user");
  const named = args.text("agent");
  const budget = args.text("budget-ms");
  const issued = await changed(invocation, async (hub) =>
    hub.service.add(CLI_ACTOR, {
      name: args.needOperand(0),
      kind: oneOf("kind", args.need("kind"), SOURCE_KINDS),
      ...(email !== undefined && { user_id: userId(hub, email) }),
      ...(named !== undefined && { agent_id: agentId(hub, named, email) }),
      applications: applicationsIn(hub, args.texts("application"), email),
      redact: oneOf("redact", args.text("redact") ?? "deny", REDACT_BECOMES),
      ...(budget !== undefined && { budget_ms: millisecondsIn(budget) }),
      ...(secret !== undefined && { secret }),
    }),
  );
  await showSecret(invocation, issued);
  return EXIT.ok;
};

export const listSources: RunVerb = async (invocation) => {
  const all = await read(invocation, ({ service }) => service.list());
  const rows = all.map(({ name, kind, user, agent, given_by, activity: { last, decisions } }) => [
    ...[name, kind, user ?? "-", agent ?? "-", given_by === "set" ? "-" : "configuration"],
    last === null ? "-" : shortTime(Date.parse(last.at)),
    last === null ? "-" : `${Math.round(last.ms)} ms`,
    decisions.map(({ decision, calls }) => `${calls} ${decision}`).join(", ") || "-",
  ]);
  const headings = ["NAME", "KIND", "USER", "AGENT", "FROM", "LAST (UTC)", "TOOK", "IN 24 H"];
  await invocation.out.result(all, invocation.out.table(headings, rows));
  return EXIT.ok;
};

export const testSource: RunVerb = async (invocation) => {
  const name = invocation.args.needOperand(0);
  const tested = await read(invocation, ({ service }) => service.test(name));
  const { ok, url, answer, problem, status, ms } = tested;
  const said = ok ? `ok: ${answer}` : `failed: ${problem}${status === null ? "" : ` (${status})`}`;
  await invocation.out.result(tested, `${said}, after ${ms} ms at ${url}`);
  return ok ? EXIT.ok : EXIT.failure;
};

export const rotateSource: RunVerb = async (invocation) => {
  const { args } = invocation;
  const secret = await secretIn(invocation);
  const graceMs = parseDuration(args.text("grace") ?? "1h", "grace");
  const wanted = { grace: Math.round(graceMs / 1_000), ...(secret !== undefined && { secret }) };
  const name = args.needOperand(0);
  await showSecret(invocation, await changed(invocation, ({ service }) => service.rotate(CLI_ACTOR, name, wanted)));
  return EXIT.ok;
};

export const removeSource: RunVerb = async (invocation) => {
  const name = invocation.args.needOperand(0);
  const removed = await changed(invocation, ({ service }) => service.remove(CLI_ACTOR, name));
  await invocation.out.result({ ...removed, removed: true }, `Removed the hook source ${name}.`);
  return EXIT.ok;
};
