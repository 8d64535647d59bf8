import { localUrlOf } from "#config/address";
import { WORKER_VARIABLE } from "#config/sources";
import { systemClock } from "#platform/clock";
import { jsonLog } from "#platform/log";
import { EXIT } from "./exit";
import type { RunVerb } from "./verb";

/** `serve`: the log goes to stdout, a JSON line an event. */
export const start: RunVerb = async (invocation) => {
  const { config, settings: loaded, environment, host } = invocation;
  const settings = config();
  const log = jsonLog(settings.log_level, (line) => host.writeLine("stdout", line), systemClock);
  const worker = environment[WORKER_VARIABLE];
  if (worker !== undefined) {
    const { serveAsWorker } = await import("./workers/worker");
    return serveAsWorker(worker, invocation, log);
  }
  for (const ignored of loaded().ignored) log.warn("config.ignored", ignored);
  if (settings.server.workers > 1) {
    const { superviseWorkers } = await import("./workers/supervise");
    return superviseWorkers(invocation, process.argv.slice(2), log);
  }
  const { serve } = await import("./serve");
  const { settings: given, file } = loaded();
  return serve({ config: settings, settings: given, file, log, environment, host });
};

const LIMIT_MS = 3_000;

/** `health`: exit code 0 when the service of this configuration is alive. */
export const health: RunVerb = async ({ config, out }) => {
  const { listen, public_url } = config();
  const base = new URL(public_url).pathname.replace(/\/$/, "");
  const url = `${localUrlOf(listen)}${base}/healthz`;
  const status = await fetch(url, { signal: AbortSignal.timeout(LIMIT_MS) }).then(
    (response) => response.status,
    () => null, // not reachable: told below
  );
  const ok = status === 200;
  await out.result({ ok, url, status }, ok ? `ok: ${url}` : `not healthy: ${url} answered ${status ?? "nothing"}`);
  return ok ? EXIT.ok : EXIT.failure;
};
