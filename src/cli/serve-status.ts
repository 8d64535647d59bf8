import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { isRecord, parseJson } from "#core/json/json";
import type { OwnFigures } from "#features/operating/port";
import type { DataDirectory } from "#platform/data-directory";
import { type Check, ok, warn } from "./check";

/** What a serving process tells commands beside the database. */
export type ServeStatus = OwnFigures;

/** What is older than this was left by a process that has ended, or hangs. */
const FRESH_MS = 30_000;
/** Above this callers notice. Milliseconds. */
const SLOW_MS = 250;

export const writeServeStatus = ({ serveStatus }: DataDirectory, figures: ServeStatus): void => {
  const draft = `${serveStatus}.tmp`;
  writeFileSync(draft, `${JSON.stringify(figures)}\n`, { mode: 0o600 });
  renameSync(draft, serveStatus);
};

/** Null where no process has written one lately. */
export const readServeStatus = ({ serveStatus }: DataDirectory, now: number): ServeStatus | null => {
  try {
    const parsed = parseJson(readFileSync(serveStatus, "utf8"));
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
export const loopCheck = (serveStatus: ServeStatus | null): Check => {
  if (serveStatus === null) return warn("event loop", "the hub has reported no status for 30 s", REMEDY);
  const { loop_delay_max_ms, scan_waiting } = serveStatus;
  const finding = `at most ${Math.round(loop_delay_max_ms)} ms late in the last minute, ${scan_waiting} long texts queued`;
  return loop_delay_max_ms > SLOW_MS ? warn("event loop", finding, REMEDY) : ok("event loop", finding);
};

const REMEDY =
  "every call is delayed by that: give the hub more CPU (2 cores or more), or move other work off its machine; if CPU is idle, report a bug with the output of /metrics";
