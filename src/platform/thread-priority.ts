import { readdirSync, readFileSync } from "node:fs";
import { setPriority } from "node:os";

/** Steps of niceness below the other threads of the process. */
const NICENESS = 10;

/**
 * Lets other threads go first where they want the same core. Linux alone counts niceness by thread: elsewhere this would
 * slow the whole process. Where it is forbidden the thread has the usual priority, and nothing else changes.
 */
export const giveWay = (): void => {
  if (process.platform === "linux") lower(0);
};

/** The engine's name for a thread that compiles hot code. */
const COMPILER = "JITWorker";

/**
 * The same for the threads on which the engine compiles code of any other thread: while a text is long they compile
 * the scanner again and again, and take a third of a core from calls. They end when idle and start anew at the usual
 * priority, so this is said again with every long text. Some 20 small reads: for a scanning thread, not the serving one.
 */
export const compilersGiveWay = (): void => {
  if (process.platform !== "linux") return;
  for (const thread of readdirSync("/proc/self/task")) {
    if (nameOf(thread) === COMPILER) lower(Number(thread));
  }
};

const lower = (thread: number): void => {
  try {
    setPriority(thread, NICENESS);
  } catch {
    return;
  }
};

/** Null for a thread that has ended since it was listed. */
const nameOf = (thread: string): string | null => {
  try {
    return readFileSync(`/proc/self/task/${thread}/comm`, "utf8").trim();
  } catch {
    return null;
  }
};
