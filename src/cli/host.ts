import type { Environment } from "#config/environment";
import { releaseExecutablePages } from "#platform/executable-pages";
import type { Log } from "#platform/log";
import { CliExit } from "./exit";
import type { StandardOutput } from "./standard-output";
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
  /** Runs a program in this one's place; its exit code, where this process is left at all. */
  become(path: string, words: readonly string[], environment: Environment): Promise<number>;
  /** Keeps faults that nobody awaits from ending the process. Returns what ends it. */
  surviveUnhandledErrors(log: Log): () => void;
  /** Whether code is compiled to machine code late, because most of it runs once, or as soon as the engine finds it hot. */
  compile(when: "late" | "soon"): void;
  /** Gives back what the process has compiled or loaded and gets again where it still needs it, and collects garbage. */
  giveBackMemory(): void;
};

/** Exit codes of a program that could not be started, as shells have them. */
export const MISSING = 127;
export const NOT_EXECUTABLE = 126;

/** How many times as often code runs before it is compiled. More brings nothing more. */
const LATE = 10;

/** The process itself. */
export const processHost = (output: StandardOutput): Host => ({
  stdin: {
    get isTerminal() {
      return process.stdin.isTTY === true;
    },
    text: () => Bun.stdin.text(),
  },
  writeLine: (stream, text) => void output[stream](text),
  stopSignal: () =>
    new Promise((resolve) => {
      for (const signal of ["SIGTERM", "SIGINT"] as const) {
        process.once(signal, () => {
          resolve(signal);
          process.once(signal, () => process.exit(1));
        });
      }
    }),
  become,
  surviveUnhandledErrors,
  compile: (when) => Bun.unsafe.setJITPolicy(when === "late" ? LATE : 1),
  giveBackMemory: () => {
    Bun.shrink();
    releaseExecutablePages();
  },
});

const SHELL = "/bin/sh";

/** Returns where the system has no such call. */
const replaceProcess = (path: string, words: readonly string[], variables: Record<string, string>): void => {
  try {
    process.execve?.(path, [...words], variables);
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? cause.code : null;
    // A script that names no program: a shell runs it.
    if (code === "ENOEXEC" && path !== SHELL) replaceProcess(SHELL, ["sh", path, ...words.slice(1)], variables);
    if (code === "ENOENT") throw new CliExit(MISSING, `${path} names a program that is not there`);
    throw new CliExit(NOT_EXECUTABLE, `${path} cannot be run (${code ?? "unknown"})`);
  }
};

/** Where the system can replace a process, signals and exit code are the program's own. */
const become: Host["become"] = async (path, words, environment) => {
  const variables = Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
  // The runtime ignores these signals, and a program that takes its place would too: one that is caught is set back.
  for (const signal of ["SIGPIPE", "SIGXFSZ"] as const) process.on(signal, () => {});
  replaceProcess(path, words, variables);
  const child = Bun.spawn([path, ...words.slice(1)], {
    ...{ argv0: words[0] ?? path, env: variables, stdin: "inherit", stdout: "inherit", stderr: "inherit" },
  });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => child.kill(signal));
  return child.exited;
};
