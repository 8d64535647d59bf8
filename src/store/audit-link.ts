import type { AuditRecord } from "#model/audit";

/* What a record is kept and linked by, in every log of every store. */

/** The record itself is at fault, not the disk; and with it, in a batch, those it was to be written with. */
export class BadRecord extends Error {
  override readonly name = "BadRecord";
  constructor(reason: string, options?: ErrorOptions) {
    super(`This is not an audit record: ${reason}`, options);
  }
}

/** What the first record of all is linked to. */
export const GENESIS = "0".repeat(64);

/** Faults that a verification names at most. */
export const MAX_FAULTS = 20;

/** The end of the chain; `seq` 0 before the first record. */
export type Head = { readonly seq: number; readonly hash: string };

/** Where logs of nodes stand, by node: the end of each, and what it began with and what signs it where that is said. */
export type LogHeads = Readonly<
  Record<string, { readonly seq: number; readonly hash: string; readonly origin?: string; readonly key_id?: string }>
>;

/** What an `audit.anchor` says. */
export type AnchorDetail = {
  readonly logs: LogHeads;
  /** Public keys that are used from now on, by their ids. */
  readonly keys?: Readonly<Record<string, string>>;
  /** Where the chain of changes stands, as a hub notes it in its own log. */
  readonly governance?: Head;
};

/** What is asked of the logs of a data directory beside what each says of itself, while they are verified. */
export type LogWatch = {
  /** Told of each record. */
  readonly seen: (record: { readonly kind: string; readonly body: string }) => void;
  /** Hashes that records of a node's log must have, by their number; of the main one for null. */
  readonly bound: (node: string | null) => ReadonlyMap<number, string>;
};

/** What is kept beside the body so that it can be searched; all of it is read out of the body. */
export type AuditColumns = {
  readonly id: string;
  readonly call_id: string;
  readonly phase: string;
  readonly kind: string;
  readonly at: number;
  readonly user_id: string | null;
  readonly agent_id: string | null;
  readonly outcome: string;
  readonly event_id: string | null;
};

/** `prev` has a fixed length and `seq` ends at the newline, so no two links hash the same text. */
export const linkHash = (prev: string, seq: number, body: string): string =>
  Bun.SHA256.hash(`${prev}${seq}\n${body}`, "hex");

/** Throws `BadRecord`. */
export const columnsOf = (body: string): AuditColumns & { readonly month: string; readonly record: AuditRecord } => {
  try {
    const record: AuditRecord = JSON.parse(body);
    const at = Date.parse(record.at);
    if (Number.isNaN(at) || !MONTH.test(record.at)) throw new TypeError("`at` is not an RFC 3339 time");
    return {
      id: text(record.id),
      call_id: text(record.call_id),
      phase: text(record.phase),
      kind: text(record.kind),
      at,
      user_id: textOrNull(record.actor.user_id),
      agent_id: textOrNull(record.actor.agent_id),
      outcome: text(record.outcome),
      event_id: textOrNull(record.call?.event_id ?? null),
      month: record.at.slice(0, 7),
      record,
    };
  } catch (cause) {
    throw new BadRecord(cause instanceof Error ? cause.name : "unreadable", { cause });
  }
};

/** SQLite would make text of a number, and U+FFFD of half a character: the column would no longer be what the body says. */
const text = (value: string): string => {
  if (typeof value === "string" && value.isWellFormed()) return value;
  throw new TypeError("a column is not text");
};

const textOrNull = (value: string | null): string | null => (value === null ? null : text(value));

/** It becomes part of a table's name, so nothing else passes. */
const MONTH = /^\d{4}-\d{2}-/;
