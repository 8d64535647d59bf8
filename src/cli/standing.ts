import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { isRecord, parseJson } from "#core/json";
import type { DataDirectory } from "#platform/data-directory";
import { type Check, ok, warn } from "./check";

/** What a serving process tells commands of itself beside the database: figures of its own, nothing of any call. */
export type Standing = {
  /** Unix milliseconds. */
  readonly at: number;
  readonly loop_delay_max_ms: number;
  readonly scan_waiting: number;
};

/** How often it is written. Milliseconds. */
export const STANDING_MS = 5_000;
/** What is older than this was left by a process that has ended, or hangs. */
const FRESH_MS = 30_000;
/** Above this callers notice. Milliseconds. */
const SLOW_MS = 250;

export const writeStanding = ({ standing }: DataDirectory, figures: Standing): void => {
  const draft = `${standing}.tmp`;
  writeFileSync(draft, `${JSON.stringify(figures)}\n`, { mode: 0o600 });
  renameSync(draft, standing);
};

/** Null where no process has written one lately. */
export const readStanding = ({ standing }: DataDirectory, now: number): Standing | null => {
  try {
    const parsed = parseJson(readFileSync(standing, "utf8"));
    if (!isRecord(parsed)) return null;
    const { at, loop_delay_max_ms, scan_waiting } = parsed;
    if (typeof at !== "number" || typeof loop_delay_max_ms !== "number" || typeof scan_waiting !== "number")
      return null;
    return now - at > FRESH_MS ? null : { at, loop_delay_max_ms, scan_waiting };
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
};

/** Whether the serving process comes round in time. */
export const loopCheck = (standing: Standing | null): Check => {
  if (standing === null) return warn("event loop", "the service has not told of itself for 30 s", REMEDY);
  const { loop_delay_max_ms, scan_waiting } = standing;
  const finding = `at most ${Math.round(loop_delay_max_ms)} ms late in the last minute, ${scan_waiting} long texts wait`;
  return loop_delay_max_ms > SLOW_MS ? warn("event loop", finding, REMEDY) : ok("event loop", finding);
};

const REMEDY =
  "every call waits that long: give the hub more CPU (2 cores or more), or move other work off its machine; if CPU is free, report it with the figures of /metrics";
