import { isRecord, parseJson } from "#core/json/json";
import type { AuditRecord } from "#model/audit";
import { type Clock, timestamp } from "#platform/clock";
import type { Ids } from "#platform/ids";
import type { AuditLog } from "#store/port";

/**
 * Ends, in the record, the calls that a crash left open: what was let through and never answered must not look as
 * if it were still running. Returns how many there were.
 */
export const endInterrupted = async (audit: AuditLog, now: Clock, ids: Ids): Promise<number> => {
  const open = await audit.openCalls();
  const ends = open.flatMap((line) => {
    const began = parseJson(line);
    if (!isAuditRecord(began)) return [];
    const end: AuditRecord = { ...began, id: ids(), phase: "final", at: timestamp(now()), outcome: "interrupted" };
    return [audit.append(JSON.stringify(end))];
  });
  await Promise.all(ends);
  return ends.length;
};

/** What we wrote ourselves, read back: enough is checked to end it. */
const isAuditRecord = (value: unknown): value is AuditRecord =>
  isRecord(value) && value["v"] === 1 && typeof value["call_id"] === "string" && isRecord(value["actor"]);
