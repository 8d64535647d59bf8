import type { Log } from "#platform/log";
import { surviveUnhandledErrors } from "./unhandled-errors";

/**
 * What a command uses of the process it runs in. The executable gives it the process itself; a test that runs commands
 * and whole hubs inside its own process gives each of them its own.
 */
export type Host = {
  readonly stdin: { readonly isTerminal: boolean; text(): Promise<string> };
  /** Writes without waiting for the reader: log lines, and what a running hub says beside them. */
  writeLine(stream: "stdout" | "stderr", text: string): void;
  /** Resolves with the name of the signal that asks the process to end. A second signal ends it at once. */
  stopSignal(): Promise<string>;
  /** Keeps faults that nobody awaits from ending the process. Returns what ends it. */
  surviveUnhandledErrors(log: Log): () => void;
  /** Gives back what the process has compiled and will compile again where it still needs it, and collects garbage. */
  giveBackMemory(): void;
};

/** The process itself. */
export const processHost: Host = {
  stdin: {
    get isTerminal() {
      return process.stdin.isTTY === true;
    },
    text: () => Bun.stdin.text(),
  },
  writeLine: (stream, text) => void (stream === "stdout" ? process.stdout : process.stderr).write(text),
  stopSignal: () =>
    new Promise((resolve) => {
      for (const signal of ["SIGTERM", "SIGINT"] as const) {
        process.once(signal, () => {
          resolve(signal);
          process.once(signal, () => process.exit(1));
        });
      }
    }),
  surviveUnhandledErrors,
  giveBackMemory: () => Bun.shrink(),
};
