import type { AuditRow } from "#store/port";
import { bodyOf, merged } from "./audit-rows";
import { EXIT, usage } from "./exit";
import { parseMoment } from "./moments";
import { ocsfEvent } from "./ocsf";
import { reading } from "./session";
import type { Run } from "./verb";

/** Text handed on at once, in characters: few writes, little memory. */
const BATCH = 65_536;

type Format = { readonly head: string; readonly line: (row: AuditRow) => string };

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
];

/** RFC 4180; a leading = + - @ is quoted off with ' so that no spreadsheet runs it (CSV injection). */
const csvCell = (value: unknown): string => {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  const text = typeof value === "string" ? value : "";
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

const FORMATS: Readonly<Record<string, Format>> = {
  ndjson: { head: "", line: (row) => `${JSON.stringify(merged(row))}\n` },
  csv: {
    head: `${COLUMNS.map(([name]) => name).join(",")}\r\n`,
    line: (row) => {
      const record = bodyOf(row);
      return `${COLUMNS.map(([, read]) => csvCell(read(row, record))).join(",")}\r\n`;
    },
  },
  ocsf: { head: "", line: (row) => `${JSON.stringify(ocsfEvent(row))}\n` },
};

/** `audit export`: a document of its own on stdout, written as it is read. */
export const exportAudit: Run = async (invocation) => {
  const { args, out } = invocation;
  const format = FORMATS[args.need("format")];
  if (!format) throw usage(`--format: one of ${Object.keys(FORMATS).join(", ")}`);
  const now = Date.now();
  const [since, until] = (["since", "until"] as const).map((flag) => {
    const text = args.text(flag);
    return text === undefined ? undefined : parseMoment(text, flag, now);
  });
  const count = await reading(invocation, async ({ store }) => {
    let waiting = format.head;
    let records = 0;
    for await (const row of store.audit.read({ since, until })) {
      waiting += format.line(row);
      records += 1;
      if (waiting.length < BATCH) continue;
      await out.write(waiting);
      waiting = "";
    }
    await out.write(waiting);
    return records;
  });
  await out.note(`${count} records`);
  return EXIT.ok;
};
