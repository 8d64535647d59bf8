import { setPriority } from "node:os";

/** Steps of niceness below the other threads of the process. */
const NICENESS = 10;

/**
 * Lets other threads go first where they want the same core. Linux alone counts niceness by thread: elsewhere this would
 * slow the whole process. Where it is forbidden the thread has the usual priority, and nothing else changes.
 */
export const giveWay = (): void => {
  if (process.platform !== "linux") return;
  try {
    setPriority(0, NICENESS);
  } catch {
    return;
  }
};
