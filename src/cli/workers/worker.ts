import { resolve } from "node:path";
import { CliExit, EXIT, usage } from "#cli/exit";
import { serve } from "#cli/serve";
import type { Invocation } from "#cli/verb";
import { WORKER_VARIABLE } from "#config/sources";
import type { Metric } from "#core/metrics";
import { causeOf, type Log, logWith } from "#platform/log";
import { BEAT_MS, type FromWorker, saidToWorker, type ToWorker } from "./messages";

type Begin = Extract<ToWorker, { kind: "begin" }>;

/** The channel to the process that started this one. */
class Channel {
  readonly begun = Promise.withResolvers<Begin>();
  /** Every worker is to stop, or nobody is there who would start it again. */
  readonly stopped = Promise.withResolvers<"stopped">();
  /** This one is to stop, others go on. */
  readonly left = Promise.withResolvers<void>();
  private read: (() => Promise<readonly Metric[]>) | null = null;
  private readonly beats: Timer;

  constructor(private readonly log: Log) {
    process.on("message", (value: unknown) => this.hear(value));
    process.on("disconnect", () => {
      log.error("worker.orphaned");
      this.stopped.resolve("stopped");
    });
    // What a terminal sends to all processes is for the one that started them.
    process.on("SIGHUP", () => {});
    this.beats = setInterval(() => this.tell({ kind: "beat" }), BEAT_MS);
    this.tell({ kind: "hello" });
  }

  tell(message: FromWorker): void {
    if (process.connected) process.send?.(message);
  }

  answersWith(read: () => Promise<readonly Metric[]>): void {
    this.read = read;
  }

  async tellFigures(ask: number): Promise<void> {
    try {
      if (this.read !== null) this.tell({ kind: "figures", ask, metrics: await this.read() });
    } catch (error) {
      this.log.error("metrics.failed", causeOf(error));
    }
  }

  close(): void {
    clearInterval(this.beats);
    process.removeAllListeners("disconnect");
    process.removeAllListeners("message");
    if (process.connected) process.disconnect?.();
  }

  private hear(value: unknown): void {
    const said = saidToWorker(value);
    if (said === null) this.log.warn("worker.not_understood");
    if (said?.kind === "begin") this.begun.resolve(said);
    if (said?.kind === "figures") void this.tellFigures(said.ask);
    if (said?.kind === "stop") this.stopped.resolve("stopped");
    if (said?.kind === "leave") this.left.resolve();
  }
}

/** `serve` in a process that `serve --workers` has started. */
export const serveAsWorker = async (id: string, invocation: Invocation, mainLog: Log): Promise<number> => {
  if (process.send === undefined) throw usage(`${WORKER_VARIABLE} is set by \`serve --workers\` alone: unset it`);
  const log = logWith(mainLog, { worker: id });
  const channel = new Channel(log);
  try {
    const begun = await Promise.race([channel.begun.promise, channel.stopped.promise]);
    if (begun === "stopped") return EXIT.ok;
    const { settings, file } = invocation.settings();
    const { environment, host } = invocation;
    return await serve({
      ...{ config: configOf(invocation, begun), settings, file, log, environment, host },
      stop: channel.stopped.promise,
      worker: {
        id,
        setUp: begun.setUp,
        leave: channel.left.promise,
        onFigures: (read) => channel.answersWith(read),
        onReady: (ready) => channel.tell({ kind: "ready", ...ready }),
        onStopped: () => channel.tellFigures(0),
      },
    });
  } finally {
    channel.close();
  }
};

/** With the port all have. Throws a `Stop` where this process would serve elsewhere than the others. */
const configOf = (invocation: Invocation, { listen, dataDir, port }: Begin) => {
  const config = invocation.config();
  if (config.listen !== listen || resolve(config.data_dir) !== dataDir)
    throw new CliExit(EXIT.configuration, "listen and data_dir are those of the start: restart the hub to change them");
  return port === null ? config : { ...config, listen: config.listen.replace(/:0$/, `:${port}`) };
};
