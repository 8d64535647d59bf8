import { existsSync, readdirSync } from "node:fs";
import { parseListen } from "#config/address";
import type { Config } from "#config/schema";
import { type Metric, metricsText } from "#core/metrics";
import type { MetricsOptions, ProcessFigures } from "#features/metrics/figures";
import { metricsDoor } from "#http/metrics";
import { causeOf, type Log } from "#platform/log";
import { CliExit, EXIT } from "./exit";
import { codeOf } from "./failures";
import { COMMIT, VERSION } from "./version";

/** Linux tells a process of its own files there. */
const OPEN_FILES = "/proc/self/fd";

export const metricsOfProcess = (): MetricsOptions => {
  const started_at = Date.now() - process.uptime() * 1_000;
  return {
    build: { version: VERSION, commit: COMMIT ?? "", bun: Bun.version },
    process: (): ProcessFigures => {
      const { user, system } = process.cpuUsage();
      return {
        cpu_seconds: (user + system) / 1_000_000,
        resident_bytes: process.memoryUsage.rss(),
        open_files: existsSync(OPEN_FILES) ? readdirSync(OPEN_FILES).length : null,
        started_at,
      };
    },
  };
};

/** The second address, for those who collect figures; null where none is set. Throws `Stop` for one that is in use. */
export const listenForCollectors = (
  read: (() => Promise<readonly Metric[]>) | null,
  { listen, token }: Config["metrics"],
  log: Log,
) => {
  if (read === null || listen === "") return null;
  const onFailed = (error: unknown) => log.error("metrics.failed", causeOf(error));
  const listener = serveAt(listen, metricsDoor({ token, read: async () => metricsText(await read()), onFailed }));
  log.info("metrics.listening", { url: `${listener.url.href}metrics` });
  return listener;
};

const serveAt = (listen: string, fetch: ReturnType<typeof metricsDoor>) => {
  try {
    return Bun.serve({ ...parseListen(listen), fetch });
  } catch (error) {
    if (codeOf(error) !== EXIT.addressInUse) throw error;
    throw new CliExit(EXIT.addressInUse, `metrics.listen: ${listen} is in use; choose another address`);
  }
};
