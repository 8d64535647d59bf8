import { BadRecord } from "#store/audit-link";
import type { DropOrder } from "./audit-retention";
import type { ThreadsSettings } from "./audit-threads";

/*
 * What main thread and writer thread say to each other: strings, since those cross without being copied. A batch
 * is its records joined by newlines and so begins with `{`; everything else begins with `!`. Each is answered
 * once, in order: by `+`, by `-` and the reason, or by `?` and the reason when the records are at fault and not the
 * disk. `~` and a reason is news nobody asked for: upkeep failed.
 */

export type Command = "!flush" | "!probe" | "!index" | "!close" | `!drop ${string}`;
export const OPEN = "!open ";
export const DROP = "!drop ";
export const DONE = "+";
export const FAILED = "-";
export const REFUSED = "?";
export const UPKEEP_FAILED = "~";

export const openMessage = (settings: ThreadsSettings): string => OPEN + JSON.stringify(settings);
export const dropMessage = (order: DropOrder): Command => `!drop ${JSON.stringify(order)}`;

/** Error text for the operator; records hold no content, and SQLite does not quote values. */
export const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const code = "code" in error && typeof error.code === "string" ? ` (${error.code})` : "";
  return `${error.message}${code}`;
};

/** Whether the disk has nothing to do with it. */
export const isRecordsFault = (error: unknown): boolean =>
  error instanceof BadRecord ||
  (error instanceof Error && "code" in error && String(error.code).startsWith("SQLITE_CONSTRAINT"));
