import { GuardError } from "#core/errors";
import { isRecord, parseJson } from "#core/json/json";
import type { AuditRecord, CallFacts } from "#model/audit";
import { type Clock, timestamp } from "#platform/clock";
import type { Ids } from "#platform/ids";
import { causeOf, type Log } from "#platform/log";
import { RepeatedFault } from "#platform/repeated-fault";
import type { AuditLog } from "#store/port";

/** While records cannot be written, each call would log it: the first does, and then how many there were in this time. */
const SUMMARY_MS = 10_000;

/** Writes audit records and fails closed: a call whose record cannot be written is not served. */
export class Auditor {
  private isClosing = false;
  private readonly faults: RepeatedFault<ReturnType<typeof causeOf>>;

  constructor(
    private readonly audit: AuditLog,
    log: Log,
    summaryMs = SUMMARY_MS,
  ) {
    this.faults = new RepeatedFault((fields) => log.error("audit.write_failed", fields), summaryMs);
  }

  /** Whether records can be written, as far as is known. */
  get healthy(): boolean {
    return this.audit.healthy;
  }

  get isAcceptingWork(): boolean {
    return !this.isClosing;
  }

  /** The hub is stopping: calls under way are written to their end, new ones are refused. */
  stopAdmitting(): void {
    this.isClosing = true;
    this.faults.flush();
  }

  /** Refuses before any work is done. Throws `audit_unavailable` or `shutting_down`. */
  assertAcceptingWork(): void {
    if (this.isClosing) {
      throw new GuardError("shutting_down", "The hub is stopping. Send the call again in a moment.", {
        headers: { "retry-after": "1", connection: "close" },
      });
    }
    if (!this.audit.healthy) throw unavailable();
  }

  /** Resolves when the record is on disk. Throws `audit_unavailable`. */
  write(record: AuditRecord): Promise<void> {
    return this.writeLine(JSON.stringify(record));
  }

  /** The same for a record that is serialised already. */
  writeLine(line: string): Promise<void> {
    return this.audit.append(line).catch(this.failed);
  }

  private readonly failed = (error: unknown): never => {
    this.faults.happened(causeOf(error));
    throw unavailable(error);
  };
}

const unavailable = (cause?: unknown): GuardError =>
  new GuardError(
    "audit_unavailable",
    "The audit record of this call could not be written, so the call is not served. Retry later; operators see the cause in the hub's log.",
    { cause, headers: { "retry-after": "1" } },
  );

/**
 * Ends, in the record, the calls that a crash left open, of this process's id or of others: what was let through and
 * never answered must not look as if it were still running. Returns how many there were.
 */
export const endInterrupted = (audit: Pick<AuditLog, "endAbandoned">, now: Clock, ids: Ids): Promise<number> => {
  return audit.endAbandoned((line) => interruptedEnd(line, now, ids));
};

/** The final record of a call that was interrupted, of its `request` record; null for what is none. */
export const interruptedEnd = (line: string, now: Clock, ids: Ids): string | null => {
  const began = parseJson(line);
  if (!isAuditRecord(began)) return null;
  const { call, ...request } = began;
  const end: AuditRecord = {
    ...request,
    id: ids(),
    phase: "final",
    at: timestamp(now()),
    outcome: "interrupted",
    ...(call && { call: costed(call) }),
  };
  return JSON.stringify(end);
};

/** Nobody knows what was answered after the record that the call was let through: its cost by then is what is known. */
const costed = ({ cost_begun_usd, ...call }: CallFacts): CallFacts => {
  if (cost_begun_usd === undefined) return call;
  return { ...call, cost_usd: cost_begun_usd, cost_basis: cost_begun_usd === null ? "unpriced" : "estimate" };
};

/** What we wrote ourselves, read back: enough is checked to end it. */
const isAuditRecord = (value: unknown): value is AuditRecord =>
  isRecord(value) && value["v"] === 1 && typeof value["call_id"] === "string" && isRecord(value["actor"]);
