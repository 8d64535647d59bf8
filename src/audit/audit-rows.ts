import { isRecord, parseJson } from "#core/json/json";
import type { AuditRecord } from "#model/audit";
import type { AuditRow } from "#store/port";

/** A record as far as a reader may rely on it: a changed body may hold anything. */
export type ReadRecord = Partial<AuditRecord>;

/** The body of a row; empty when it is no JSON object, which `audit verify` reports. */
export const bodyOf = (row: AuditRow): ReadRecord => {
  const body = parseJson(row.body);
  return isRecord(body) ? body : {};
};

/** The record of a line; null where the line was changed into something that is none. */
export const recordIn = (line: string): AuditRecord | null => {
  const body = parseJson(line);
  return isRecord(body) && isRecord(body["actor"]) && hasCall(body) ? body : null;
};

/** That the log's own lines are whole is the chain's business: here only what readers walk into. */
const hasCall = (body: Partial<AuditRecord>): body is AuditRecord =>
  body.call === undefined || (isRecord(body.call) && Array.isArray(body.call.flags));

/** One flat object: the record's fields, then its place in the chain; `node` where it is not that of the main log. */
export const merged = (row: AuditRow) => {
  const { seq, hash, prev_hash, node } = row;
  return { ...bodyOf(row), ...(node !== undefined && { node }), seq, hash, prev_hash };
};

/** `pii.email, secret.aws_key ×3`: types in the order of first appearance. */
export const flagTypes = ({ call }: ReadRecord): string => {
  const counts = new Map<string, number>();
  for (const { type } of call?.flags ?? []) counts.set(type, (counts.get(type) ?? 0) + 1);
  return [...counts].map(([type, count]) => (count === 1 ? type : `${type} ×${count}`)).join(", ");
};
