import type { Environment } from "#config/environment";
import type { Log } from "#platform/log";
import { surviveUnhandledErrors } from "./unhandled-errors";

/** Read by the runtime before any code runs, so setting it from inside is too late. */
const VARIABLE = "BUN_CONFIG_MAX_HTTP_REQUESTS";
/** The runtime's own limit is 256 for all providers together: a few hanging streams would stop every call. */
const CONNECTIONS = "16384";

/**
 * Replaces this process by one that allows many connections to providers: same pid, same arguments.
 * Does nothing when the variable is set, as it is after the replacement, or where the system has no execve.
 */
export const makeRoomForConnections = (environment: Environment): void => {
  if (environment[VARIABLE] !== undefined || process.execve === undefined) return;
  const program = Bun.isStandaloneExecutable ? [process.execPath] : [process.execPath, Bun.main];
  process.execve(process.execPath, [...program, ...process.argv.slice(2)], { ...environment, [VARIABLE]: CONNECTIONS });
};

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
  /** Before anything is opened: the process may be replaced by one that allows more connections. */
  makeRoomForConnections(environment: Environment): void;
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
  makeRoomForConnections,
};
