import type { DropOrder } from "./audit-retention";
import type { ThreadSettings } from "./audit-thread";

/** The record is not on disk, or nobody can say that it is. The reason is for the operator. */
export class AuditUnavailable extends Error {
  override readonly name: string = "AuditUnavailable";
  constructor(reason: string) {
    super(`The audit record could not be written: ${reason}`);
  }
}

/** More records wait than may: the disk is slower than the calls. */
export class AuditQueueFull extends AuditUnavailable {
  override readonly name = "AuditQueueFull";
  constructor(waiting: number) {
    super(`${waiting} records are waiting already`);
  }
}

/** The record itself is at fault, not the disk; and with it, in a batch, those it was to be written with. */
export class BadRecord extends Error {
  override readonly name = "BadRecord";
  constructor(reason: string, options?: ErrorOptions) {
    super(`This is not an audit record: ${reason}`, options);
  }
}

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

export const openMessage = (settings: ThreadSettings): string => OPEN + JSON.stringify(settings);
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
