import { readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isRecord, parseJson } from "#core/json/json";
import type { OwnFigures } from "#features/operating/port";
import { type DataDirectory, serveStatusOf } from "#platform/data-directory";
import { type Check, ok, warn } from "./check";

/** What a serving process tells commands beside the database. */
export type ServeStatus = OwnFigures;

/** What is older than this was left by a process that has ended, or hangs. */
const FRESH_MS = 30_000;
/** Above this callers notice. Milliseconds. */
const SLOW_MS = 250;

export const writeServeStatus = (directory: DataDirectory, node: string, figures: ServeStatus): void => {
  const file = serveStatusOf(directory, node);
  const draft = `${file}.tmp`;
  writeFileSync(draft, `${JSON.stringify(figures)}\n`, { mode: 0o600 });
  renameSync(draft, file);
};

/**
 * Of all processes that serve, the worst event loop and all texts that wait; null where none of them has written one
 * lately.
 */
export const readServeStatus = (directory: DataDirectory, now: number): ServeStatus | null => {
  const all = filesOf(directory).flatMap((file) => readOne(file, now) ?? []);
  if (all.length === 0) return null;
  return {
    at: Math.max(...all.map(({ at }) => at)),
    loop_delay_max_ms: Math.max(...all.map(({ loop_delay_max_ms: late }) => late)),
    scan_waiting: all.reduce((sum, { scan_waiting }) => sum + scan_waiting, 0),
  };
};

const FILE = /^serve(-[a-z0-9-]+)?\.json$/;

const filesOf = ({ path }: DataDirectory): string[] =>
  readdirSync(path)
    .filter((name) => FILE.test(name))
    .map((name) => join(path, name));

const readOne = (file: string, now: number): ServeStatus | null => {
  try {
    const parsed = parseJson(readFileSync(file, "utf8"));
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
