import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { bodyOf, flagTypes } from "#audit/audit-rows";
import { publicUrlOf } from "#config/address";
import type { Config } from "#config/schema";
import { COMMANDS, commandLine } from "#core/command-line";
import { systemClock } from "#platform/clock";
import { jsonLog } from "#platform/log";
import { DemoLoop } from "./demo-loop";
import { REVIEWER_MODEL, startReviewer } from "./demo-reviewer";
import { type Cast, freeAddress, type LoopCast, REVIEWER_PROVIDER, setUpCast } from "./demo-set-up";
import { call, curlOf, type Station, type TourSighting, tourFor } from "./demo-tour";
import { EXIT } from "./exit";
import type { CliOutput } from "./output";
import type { Paint } from "./paint";
import { openSession } from "./session";
import { toolServersOf } from "./tool-servers";
import type { Invocation, RunVerb } from "./verb";

type Place = { readonly config: Config; readonly isTemporary: boolean };

const placeOf = async ({ settings }: Invocation): Promise<Place> => {
  const { config, settings: all } = settings();
  const isDefault = (path: string): boolean => all.some(({ key, origin }) => key.path === path && origin === "default");
  const listen = await freeAddress(config.listen, isDefault("listen"));
  const isTemporary = isDefault("data_dir");
  const data_dir = isTemporary ? mkdtempSync(join(tmpdir(), "guardhouse-demo-")) : resolve(config.data_dir);
  const derived = config.public_url === publicUrlOf(config.listen);
  const public_url = derived ? publicUrlOf(listen) : config.public_url;
  return { config: { ...config, listen, data_dir, public_url }, isTemporary };
};

/** The call's last record, as the tour shows it. */
const auditLine = async (config: Config, requestId: string): Promise<string> => {
  const session = await openSession(config);
  try {
    const row = (await session.store.audit.tail(20)).find((each) => {
      const { call_id, phase } = bodyOf(each);
      return call_id === requestId && phase === "final";
    });
    if (!row) return "no audit record found";
    const record = bodyOf(row);
    const { outcome, kind, call: facts } = record;
    const ms = facts ? `${facts.ms.total.toFixed(1)} ms, guard ${facts.ms.guard.toFixed(1)} ms` : "";
    return [`#${row.seq}`, kind, outcome, facts?.action, flagTypes(record), ms, `hash ${row.hash.slice(0, 12)}…`]
      .filter(Boolean)
      .join(" · ");
  } finally {
    await session.store.close();
  }
};

type Shown = TourSighting & { readonly title: string; readonly curl: string; readonly audit: string };

const visit = async (url: string, config: Config, station: Station): Promise<Shown> => {
  const seen = await call(url, station);
  return { title: station.title, curl: curlOf(url, station), ...seen, audit: await auditLine(config, seen.requestId) };
};

const pictured = ({ title, curl, status, answer, action, audit }: Shown, number: number, paint: Paint): string => {
  const colour = status < 400 ? paint.good : paint.bad;
  const verdict = `${status}${action ? ` ${action}` : ""}`;
  return [
    "",
    `${paint.accent(`${number}.`)} ${paint.strong(title)}`,
    "",
    curl,
    "",
    `   ${colour(verdict.padEnd(10))} ${answer}`,
    `   ${paint.dim(`audit      ${audit}`)}`,
  ].join("\n");
};

const greeting = (url: string, { config, isTemporary }: Place, cast: Cast, paint: Paint): string =>
  [
    "",
    `${paint.strong("Guardhouse")} is listening on ${paint.accent(url)}`,
    paint.dim(`data      ${config.data_dir}${isTemporary ? " (temporary; --data-dir DIR keeps it)" : ""}`),
    paint.dim(`dashboard ${config.public_url}`),
    paint.dim(`admin     ${cast.admin}  password ${cast.password}`),
    paint.dim("model     guardhouse/echo: built in, no key, no network"),
    paint.dim("tools     demo: two tools of a small MCP server, behind the tool gateway"),
  ].join("\n");

const farewell = (url: string, cast: Cast, config: Config, paint: Paint): string =>
  [
    "",
    `${paint.accent("→")} ${paint.strong("Connect your own agent with any OpenAI client")}`,
    "",
    `export OPENAI_BASE_URL=${url}/v1 OPENAI_API_KEY=${cast.agentToken}`,
    "",
    `${paint.accent("→")} ${paint.strong("And any MCP client:")} ${url}/mcp/gateway with the same token`,
    "",
    commandLine(COMMANDS.tailAudit(), { config: null, data_dir: config.data_dir }),
    "",
  ].join("\n");

const tour = async (url: string, place: Place, cast: Cast, out: CliOutput): Promise<void> => {
  const { paint } = out;
  const shown: Shown[] = [];
  if (!out.json) await out.write(`${greeting(url, place, cast, paint)}\n`);
  for (const [index, station] of tourFor(cast).entries()) {
    const each = await visit(url, place.config, station);
    shown.push(each);
    if (!out.json) await out.write(`${pictured(each, index + 1, paint)}\n`);
  }
  await out.result({ url, data_dir: place.config.data_dir, tour: shown }, farewell(url, cast, place.config, paint));
};

/** The loop from a wrong block to a scanner that judges better, and back; then the audit log is verified. */
const loop = async (url: string, place: Place, cast: LoopCast, out: CliOutput): Promise<void> => {
  const steps = await new DemoLoop(url, cast, out).play();
  const session = await openSession(place.config);
  try {
    const { ok, records } = await session.store.audit.verify();
    if (!ok) throw new Error("Audit log verification failed");
    const { paint } = out;
    await out.result({ url, steps, audit: { ok, records } }, `\n${paint.good("✓")} audit verified: ${records} records`);
  } finally {
    await session.store.close();
  }
};

const reviewedBy = (config: Config): Config => ({
  ...config,
  reviewer: { ...config.reviewer, model: REVIEWER_MODEL, provider: REVIEWER_PROVIDER },
});

const run = async (place: Place, invocation: Invocation): Promise<number> => {
  const { args, out, environment, host } = invocation;
  const session = await openSession(place.config);
  const tools = toolServersOf(session, { ...invocation, config: () => place.config });
  const reviewer = args.on("loop") ? startReviewer() : null;
  const cast = await setUpCast(session, tools, reviewer).finally(() => session.store.close());
  const { serve } = await import("./serve");
  const stop = Promise.withResolvers<void>();
  const listening = Promise.withResolvers<string>();
  // The operator's log would drown the tour; what goes wrong is shown.
  const log = jsonLog("warn", (line) => host.writeLine("stderr", line), systemClock);
  const serving = serve({
    config: reviewer ? reviewedBy(place.config) : place.config,
    log,
    environment,
    host,
    stop: stop.promise,
    onListening: listening.resolve,
  });
  try {
    const url = await Promise.race([listening.promise, serving]);
    if (typeof url === "number") return url;
    if (args.on("loop")) await loop(url, place, cast, out);
    else await tour(url, place, cast, out);
    if (!args.on("once")) await out.note("Serving until Ctrl-C.");
    if (!args.on("once")) return await serving;
  } finally {
    stop.resolve();
    reviewer?.stop();
    await serving;
  }
  return EXIT.ok;
};

/** `demo`: everything in a minute, in a directory of its own. */
export const demo: RunVerb = async (invocation) => {
  invocation.settings(); // what is wrong with the settings is told before anything begins
  const place = await placeOf(invocation);
  const cleanUp = (): void => {
    if (place.isTemporary) rmSync(place.config.data_dir, { recursive: true, force: true });
  };
  // A reader that goes (`| head`) and a second Ctrl-C end the process where it stands.
  process.once("exit", cleanUp);
  try {
    return await run(place, invocation);
  } finally {
    process.off("exit", cleanUp);
    cleanUp();
  }
};
