import { bodyOf, merged } from "#audit/audit-rows";
import { ocsfEvent } from "#audit/ocsf";
import { csvLine } from "#core/csv";
import type { AuditRow } from "#store/record";

/* The audit log as documents: what an export writes before the first record and for each of them. */

export type AuditFormat = { readonly head: string; readonly type: string; readonly line: (row: AuditRow) => string };

const COLUMNS: readonly (readonly [string, (row: AuditRow, record: ReturnType<typeof bodyOf>) => unknown])[] = [
  ["seq", (row) => row.seq],
  ["at", (_, { at }) => at],
  ["id", (_, { id }) => id],
  ["call_id", (_, { call_id }) => call_id],
  ["phase", (_, { phase }) => phase],
  ["kind", (_, { kind }) => kind],
  ["via", (_, { actor }) => actor?.via],
  ["user_id", (_, { actor }) => actor?.user_id],
  ["agent_id", (_, { actor }) => actor?.agent_id],
  ["token_id", (_, { actor }) => actor?.token_id],
  ["outcome", (_, { outcome }) => outcome],
  ["status", (_, { call }) => call?.status],
  ["code", (_, { call }) => call?.code],
  ["model", (_, { call }) => call?.model],
  ["provider", (_, { call }) => call?.provider],
  ["stream", (_, { call }) => call?.stream],
  ["policy_revision", (_, { call }) => call?.policy_revision],
  ["mode", (_, { call }) => call?.mode],
  ["action", (_, { call }) => call?.action],
  ["event_id", (_, { call }) => call?.event_id],
  ["flags", (_, { call }) => call?.flags.map(({ type, action }) => `${type}:${action}`).join(" ")],
  ["unscanned", (_, { call }) => call && call.coverage.input.unscanned.length + call.coverage.output.unscanned.length],
  ["total_tokens", (_, { call }) => call?.usage?.total_tokens],
  ["ms_total", (_, { call }) => call?.ms.total],
  ["ms_guard", (_, { call }) => call?.ms.guard],
  ["dialect", (_, { call }) => call?.tool?.dialect],
  ["tool", (_, { call }) => call?.tool?.name],
  ["denied_by", (_, { call }) => call?.tool?.denied_by],
  ["subject", (_, { change }) => change?.subject],
  ["subject_id", (_, { change }) => change?.subject_id],
  ["detail", (_, { change }) => change && JSON.stringify(change.detail)],
  ["prev_hash", (row) => row.prev_hash],
  ["hash", (row) => row.hash],
  // In whose log it is; empty for the main one.
  ["node", (row) => row.node],
  ["cost_usd", (_, { call }) => call?.cost_usd],
  ["cost_basis", (_, { call }) => call?.cost_basis],
];

/** By name; null for none. `version` is the hub's own. */
export const auditFormat = (name: string, version: string): AuditFormat | null => {
  if (name === "csv") return CSV;
  if (name === "ndjson") return NDJSON;
  if (name !== "ocsf") return null;
  return { ...NDJSON, line: (row) => `${JSON.stringify(ocsfEvent(row, version))}\n` };
};

const CSV: AuditFormat = {
  head: csvLine(COLUMNS.map(([name]) => name)),
  type: "text/csv; charset=utf-8",
  line: (row) => {
    const record = bodyOf(row);
    return csvLine(COLUMNS.map(([, read]) => read(row, record)));
  },
};

const NDJSON: AuditFormat = {
  head: "",
  type: "application/x-ndjson; charset=utf-8",
  line: (row) => `${JSON.stringify(merged(row))}\n`,
};

export const AUDIT_FORMATS = ["ndjson", "csv", "ocsf"] as const;
