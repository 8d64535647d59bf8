import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Host } from "#cli/host";
import { runCommand } from "#cli/run";
import { Logbook } from "./logbook";

const ROOT = resolve(import.meta.dir, "../..");

export type Environment = Readonly<Record<string, string>>;
export type Result = { readonly code: number; readonly stdout: string; readonly stderr: string };
export type RunOptions = {
  readonly env: Environment;
  /** The working directory; a program inside the test has the test's own. */
  readonly cwd: string;
  readonly stdin?: string;
};

/** A `serve` that runs. */
export type Serving = {
  readonly logbook: Logbook;
  /** Of its process; the test's own where it runs inside the test. */
  readonly pid: number;
  /** Resolves with its exit code. */
  readonly ended: Promise<number>;
  /** Sends the signal and waits for the end: the exit code, or the signal that ended it. */
  end(signal: Signal): Promise<number | string>;
};
export type Signal = "SIGTERM" | "SIGKILL";

/** Guardhouse as it is started: by command lines. */
export type Program = {
  run(args: readonly string[], options: RunOptions): Promise<Result>;
  serve(args: readonly string[], options: Omit<RunOptions, "stdin">): Serving;
};

/**
 * How the executable is started: the compiled binary where there is one, else the source. `GUARDHOUSE_BIN` names
 * another binary, or a source file (`src/main.ts`) to go without one.
 */
export function command(): readonly string[] {
  const wanted = process.env.GUARDHOUSE_BIN;
  const built = join(ROOT, "dist/guardhouse");
  const chosen = wanted ? resolve(ROOT, wanted) : existsSync(built) ? built : join(ROOT, "src/main.ts");
  return chosen.endsWith(".ts") ? [process.execPath, chosen] : [chosen];
}

/** One command of an executable, in a process of its own. */
export const runProcess = async (words: readonly string[], { env, cwd, stdin = "" }: RunOptions): Promise<Result> => {
  const child = Bun.spawn([...words], {
    ...{ cwd, env, stdin: Buffer.from(stdin), stdout: "pipe", stderr: "pipe" },
  });
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { code, stdout, stderr };
};

/** An executable in processes of its own. `words`: how it is started, asked for each time. */
export const executableOf = (words: () => readonly string[]): Program => ({
  run: (args, options) => runProcess([...words(), ...args], options),

  serve(args, options) {
    const child = spawn([...words(), ...args], options);
    children.add(child);
    void child.exited.then(() => children.delete(child));
    return {
      logbook: Logbook.of(child.stdout, child.stderr),
      pid: child.pid,
      ended: child.exited,
      end: async (signal) => {
        child.kill(signal);
        await child.exited;
        return child.exitCode ?? child.signalCode ?? "unknown";
      },
    };
  },
});

/** The executable, in processes of its own: what a process is, does and leaves behind can be tested with it. */
export const executable: Program = executableOf(command);

/** The same command lines inside the test's own process: ten times as fast. Its hubs cannot be killed, only stopped. */
export const inProcess: Program = {
  async run(args, { env, stdin = "" }) {
    let [stdout, stderr] = ["", ""];
    const write = (stream: "stdout" | "stderr", text: string): void => {
      if (stream === "stdout") stdout += text;
      else stderr += text;
    };
    // A caller that asks again and again leaves others their turns.
    await new Promise((resolve) => setImmediate(resolve));
    const code = await runHere(args, env, { ...hostOf(write), stdin: { isTerminal: false, text: async () => stdin } });
    return { code, stdout, stderr };
  },

  serve(args, { env }) {
    const logbook = new Logbook();
    const signal = Promise.withResolvers<string>();
    const host: Host = {
      ...hostOf((stream, text) => logbook.write(stream, text)),
      stopSignal: () => signal.promise,
    };
    const ended = runHere(args, env, host);
    void ended.then(() => logbook.end());
    return {
      logbook,
      pid: process.pid,
      ended,
      end: (wanted) => {
        if (wanted === "SIGKILL")
          throw new Error("a hub inside the test cannot be killed: give it a process of its own");
        signal.resolve(wanted);
        return ended;
      },
    };
  },
};

const runHere = (argv: readonly string[], environment: Environment, host: Host): Promise<number> =>
  runCommand({
    argv,
    environment,
    stdout: async (text) => host.writeLine("stdout", text),
    stderr: async (text) => host.writeLine("stderr", text),
    terminal: { columns: () => null, readsErrors: () => false },
    host,
  });

/** Faults that nobody awaits are the test's: they fail it. */
const hostOf = (writeLine: Host["writeLine"]): Host => ({
  stdin: { isTerminal: false, text: async () => "" },
  writeLine,
  stopSignal: () => new Promise(() => {}),
  // The test's own process stays.
  become: async () => {
    throw new Error("a program takes the place of its own process: run the executable");
  },
  surviveUnhandledErrors: () => () => {},
  // It is the test's engine, and its memory.
  compile: () => {},
  giveBackMemory: () => {},
});

export type Child = Bun.Subprocess<"ignore", "pipe", "pipe">;

/** The executable with these arguments, begun and not waited for. */
export const spawnProgram = (args: readonly string[], options: Omit<RunOptions, "stdin">): Child =>
  spawn([...command(), ...args], options);

const spawn = (words: readonly string[], { env, cwd }: Omit<RunOptions, "stdin">): Child => {
  reapAtExit();
  return Bun.spawn([...words], { cwd, env, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
};

const children = new Set<Child>();
let reaping = false;

/** A test run that ends early leaves no hub behind. */
function reapAtExit(): void {
  if (reaping) return;
  reaping = true;
  process.on("exit", () => {
    for (const child of children) child.kill("SIGKILL");
  });
}
