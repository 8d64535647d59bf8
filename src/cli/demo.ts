import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { publicUrlOf } from "#config/address";
import type { Config } from "#config/schema";
import { systemClock } from "#platform/clock";
import { jsonLog } from "#platform/log";
import { bodyOf, flagTypes } from "./audit-rows";
import { type Cast, freeAddress, setUpCast } from "./demo-set-up";
import { call, curlOf, type Seen, type Station, tourFor } from "./demo-tour";
import { EXIT } from "./exit";
import { makeRoomForConnections } from "./many-connections";
import type { Output } from "./output";
import { type Paint, paintFor } from "./paint";
import { openSession } from "./session";
import { toolServersOf } from "./tool-servers";
import type { Invocation, Run } from "./verb";

const LOOP_PAUSE_MS = 3_000;

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

type Shown = Seen & { readonly title: string; readonly curl: string; readonly audit: string };

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

const welcome = (url: string, { config, isTemporary }: Place, cast: Cast, paint: Paint): string =>
  [
    "",
    `${paint.strong("Guardhouse")} is listening on ${paint.accent(url)}`,
    paint.dim(`data      ${config.data_dir}${isTemporary ? " (removed at the end; --data-dir DIR keeps it)" : ""}`),
    paint.dim(`admin     ${cast.admin}  password ${cast.password}`),
    paint.dim("model     guardhouse/echo: built in, no key, no network"),
    paint.dim("tools     demo: two tools of a small MCP server, behind the tool gateway"),
  ].join("\n");

const farewell = (url: string, cast: Cast, config: Config, paint: Paint): string =>
  [
    "",
    `${paint.accent("→")} ${paint.strong("Now your own agent: any OpenAI client works")}`,
    "",
    `export OPENAI_BASE_URL=${url}/v1 OPENAI_API_KEY=${cast.agentToken}`,
    "",
    `${paint.accent("→")} ${paint.strong("And any MCP client:")} ${url}/mcp/gateway with the same token`,
    "",
    `guardhouse audit tail --data-dir ${config.data_dir}`,
    "",
  ].join("\n");

const tour = async (url: string, place: Place, cast: Cast, out: Output): Promise<void> => {
  const paint = paintFor(out.colour);
  const shown: Shown[] = [];
  if (!out.json) await out.write(`${welcome(url, place, cast, paint)}\n`);
  for (const [index, station] of tourFor(cast).entries()) {
    const each = await visit(url, place.config, station);
    shown.push(each);
    if (!out.json) await out.write(`${pictured(each, index + 1, paint)}\n`);
  }
  await out.result({ url, data_dir: place.config.data_dir, tour: shown }, farewell(url, cast, place.config, paint));
};

/** Holds nothing up: the service keeps the process alive, and its end ends the process. */
const pause = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms).unref());

/** Makes the calls again and again, a line each, until the service stops. */
const loop = async (url: string, cast: Cast, out: Output, serving: Promise<unknown>): Promise<void> => {
  let over = false;
  const note = (): void => {
    over = true;
  };
  const end = serving.then(note, note);
  while (!over) {
    await Promise.race([pause(LOOP_PAUSE_MS), end]);
    for (const station of tourFor(cast)) {
      if (over) return;
      const seen = await call(url, station).catch(() => null);
      if (seen) await out.note(`${seen.status} ${seen.action ?? "-"} ${seen.answer}`);
      // Most likely it is stopping; if not, the next round shows.
      else await out.note("no answer");
    }
  }
};

const run = async (place: Place, invocation: Invocation): Promise<number> => {
  const { args, out, environment } = invocation;
  const session = await openSession(place.config);
  const tools = toolServersOf(session, { ...invocation, config: () => place.config });
  const cast = await setUpCast(session.access, tools).finally(() => session.store.close());
  const { serve } = await import("./serve");
  const stop = Promise.withResolvers<void>();
  const listening = Promise.withResolvers<string>();
  // The operator's log would drown the tour; what goes wrong is shown.
  const log = jsonLog("warn", (line) => void process.stderr.write(line), systemClock);
  const serving = serve({
    config: place.config,
    log,
    environment,
    stop: stop.promise,
    onListening: listening.resolve,
  });
  try {
    const url = await Promise.race([listening.promise, serving]);
    if (typeof url === "number") return url;
    await tour(url, place, cast, out);
    if (!args.on("once")) await out.note("Serving until Ctrl-C.");
    if (args.on("loop")) await loop(url, cast, out, serving);
    if (!args.on("once")) return await serving;
  } finally {
    stop.resolve();
    await serving;
  }
  return EXIT.ok;
};

/** `demo`: everything in a minute, in a directory of its own. */
export const demo: Run = async (invocation) => {
  invocation.settings(); // what is wrong with the settings is told before anything begins
  makeRoomForConnections(invocation.environment);
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
