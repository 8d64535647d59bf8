import type { Write } from "./write";

/**
 * Standard output and errors. By the runtime's sinks: `process.stdout` brings the library of streams along, which is
 * 13 ms of CPU at every start.
 */
export type StandardOutput = Readonly<Record<"stdout" | "stderr", Write>>;

export const standardOutput = (): StandardOutput => ({
  stdout: writerTo(Bun.stdout, (error) => process.exit(isGone(error) ? 0 : 1)),
  // What cannot be told changes nothing of what is done, and the exit code says how that went.
  stderr: writerTo(Bun.stderr, () => {}),
});

/** Resolves when the text is handed over, so that a slow reader slows us down and memory stays small. */
const writerTo = (file: Bun.BunFile, failed: (error: unknown) => void): Write => {
  // Made when something is written: it makes a pipe one that does not wait, also for the program that `run` becomes.
  let sink: Bun.FileSink | null = null;
  return async (text) => {
    try {
      sink ??= file.writer();
      // A pipe that was closed meanwhile is told by either of them.
      await sink.write(text);
      await sink.flush();
    } catch (error) {
      failed(error);
    }
  };
};

/** A reader that has seen enough (`| head`) is no failure. */
const isGone = (error: unknown): boolean => error instanceof Error && "code" in error && error.code === "EPIPE";
