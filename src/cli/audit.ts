import { bodyOf, flagTypes, merged, type ReadRecord } from "#audit/audit-rows";
import type { AuditReport, AuditRow, NodeReport } from "#store/port";
import { EXIT, usage } from "./exit";
import { type CliSession, reading } from "./session";
import type { RunVerb } from "./verb";

const DEFAULT_LINES = "20";
const MAX_LINES = 10_000;

/** Ids as names people know. */
type Names = ReadonlyMap<string, string>;

const namesOf = async ({ store }: CliSession): Promise<Names> => {
  const users = (await store.users.list()).map(({ id, email }) => [id, email] as const);
  const agents = (await store.agents.list()).map(({ id, name }) => [id, name] as const);
  return new Map([...users, ...agents]);
};

const actorOf = ({ actor }: ReadRecord, names: Names): string => {
  const id = actor?.agent_id ?? actor?.user_id ?? null;
  return id === null ? (actor?.via ?? "") : (names.get(id) ?? id);
};

/** What was changed, by the name people know it by. */
const subjectOf = ({ change }: ReadRecord, names: Names): string => {
  if (!change) return "";
  const { display, name, email } = change.detail;
  const known = names.get(change.subject_id) ?? [display, name, email].find((word) => typeof word === "string");
  return `${change.subject} ${known ?? change.subject_id}`;
};

/** As `--head` of `audit verify` takes it. */
const placeOf = ({ node, seq }: AuditRow): string => (node === undefined ? String(seq) : `${node}:${seq}`);

/** The cells of one record; also what the tour shows of each call. */
export const recordCells = (row: AuditRow, names: Names): string[] => {
  const record = bodyOf(row);
  const { call } = record;
  return [
    placeOf(row),
    (record.at ?? "").replace("T", " ").replace(/\.\d+Z$/, ""),
    record.kind ?? "?",
    actorOf(record, names),
    record.outcome ?? "",
    call?.action ?? "",
    call ? flagTypes(record) : subjectOf(record, names),
    call?.model ?? "",
    call && record.phase === "final" ? call.ms.total.toFixed(0) : "",
  ];
};
export const RECORD_HEADINGS = [
  "SEQ",
  "TIME (UTC)",
  "KIND",
  "ACTOR",
  "OUTCOME",
  "ACTION",
  "FLAGS OR SUBJECT",
  "MODEL",
  "MS",
];

/** `audit tail`: the newest records, newest first. */
export const tail: RunVerb = async (invocation) => {
  const { args, out } = invocation;
  const text = args.text("lines") ?? DEFAULT_LINES;
  const n = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
  if (!(n >= 1 && n <= MAX_LINES)) throw usage(`-n: a whole number from 1 to ${MAX_LINES}`);
  const { rows, names } = await reading(invocation, async (session) => ({
    rows: await session.store.audit.tail(n),
    names: await namesOf(session),
  }));
  await out.result(
    rows.map(merged),
    out.table(
      RECORD_HEADINGS,
      rows.map((row) => recordCells(row, names)),
    ),
  );
  return EXIT.ok;
};

/** A head as somebody noted it: the number of a record and its hash, of a node's log after the node. */
const headOf = (text: string) => {
  const noted = /^(?:([a-z0-9][a-z0-9-]{0,62}):)?([1-9]\d{0,14}):([0-9a-f]{64})$/i.exec(text);
  const [, node, seq = "", hash = ""] = noted ?? [];
  if (hash === "")
    throw usage("--head: a record's number and its hash, SEQ:HASH or NODE:SEQ:HASH, the hash in 64 hex digits");
  return { seq: Number(seq), hash: hash.toLowerCase(), ...(node !== undefined && { node }) };
};

const chainedFrom = ({ chained_from: seq }: AuditReport): string =>
  seq === null ? "" : `, chained from record ${seq}`;

const nodeLine = ({ node, ok, records, last_seq, head }: NodeReport): string =>
  `node ${node}: ${ok ? "intact" : "BROKEN"}, ${records} records, head ${last_seq === null ? "none" : `${last_seq}:${head}`}`;

/**
 * `audit verify`: recomputes the chain; exit code 8 when a record was changed, removed or reordered, when a
 * signature that must be there is not, or a record is not the one that was noted.
 */
export const verify: RunVerb = async (invocation) => {
  const noted = invocation.args.text("head");
  const anchor = noted === undefined ? undefined : headOf(noted);
  const report = await reading(invocation, ({ store }) => store.audit.verify(anchor));
  const span = report.first_seq === null ? "" : ` (${report.first_seq} to ${report.last_seq})`;
  const lines = [
    report.ok ? "ok: the audit log is intact" : "BROKEN: the audit log was changed",
    `records      ${report.records}${span}`,
    `checkpoints  ${report.checkpoints}${chainedFrom(report)}`,
    `head         ${report.head ?? "none"}`,
    ...(report.nodes ?? []).map(nodeLine),
    ...report.faults.map(({ node, seq, problem }) => `${node ? `node ${node}, ` : ""}record ${seq}: ${problem}`),
  ];
  await invocation.out.result(report, lines.join("\n"));
  return report.ok ? EXIT.ok : EXIT.integrity;
};
