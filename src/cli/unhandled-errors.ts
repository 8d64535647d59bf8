import { causeOf, type Log } from "#platform/log";

const UNHANDLED = ["unhandledRejection", "uncaughtException"] as const;

/** Frames of a stack that are logged. */
const FRAMES = 3;

/**
 * Keeps the hub serving when work beside the calls fails where nobody waits for it: such a fault would end the process,
 * and every call of everybody with it. It is logged as an error, never with its message, which may quote what it was
 * given. Calls themselves do not come here: whatever fails in one is answered and on record. Returns what ends it.
 */
export const surviveUnhandledErrors = (log: Log): (() => void) => {
  const heard = UNHANDLED.map((kind) => {
    const hear = (fault: unknown): void =>
      log.error("unhandled.error", { kind, ...causeOf(fault), places: placesOf(fault) });
    process.on(kind, hear);
    return () => process.off(kind, hear);
  });
  return () => {
    for (const end of heard) end();
  };
};

/** Where it happened: functions and places, which are our own code and nobody's content. */
const placesOf = (fault: unknown): string => {
  const stack = fault instanceof Error ? (fault.stack ?? "") : "";
  const frames = stack
    .split("\n")
    .flatMap((line) => /^ *at ([\w.#<>$ ]{0,80}\([^()]*\)|[^() ]+)$/.exec(line)?.[1] ?? []);
  return frames.slice(0, FRAMES).join(", ");
};
