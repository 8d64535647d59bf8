import { bodyOf, flagTypes, merged, type ReadRecord } from "#audit/audit-rows";
import { systemClock, timestamp } from "#platform/clock";
import type { CallFilter } from "#store/call-index-port";
import type { AuditReport, AuditRow, NodeReport } from "#store/port";
import type { TreeHeadNote, TreeLog } from "#store/proof-port";
import { readCheckpoint } from "#store/tlog/checkpoint";
import { readNote } from "#store/tlog/note";
import type { Arguments } from "./arguments";
import { follow } from "./audit-follow";
import { callFilterOf, linesIn, newestCalls } from "./call-filter";
import { EXIT, usage } from "./exit";
import type { CliOutput } from "./output";
import { type CliSession, reading } from "./session";
import type { Table } from "./table";
import type { RunVerb } from "./verb";

const DEFAULT_LINES = 20;

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
/** Of lines that are written before the longest of their column is known. */
const USUAL_WIDTHS = [6, 19, 16, 16, 10, 7, 24, 16];

/** What `--kind` and `--agent` ask for; null for everything, with calls that are still open. */
const filterOf = async (session: CliSession, args: Arguments): Promise<CallFilter | null> => {
  const filter = await callFilterOf(session, args, systemClock());
  return filter.kind === undefined && filter.agent_id === undefined ? null : filter;
};

/** `audit tail`: the newest records, newest first; with `--follow` oldest first, and what comes. */
export const tail: RunVerb = async (invocation) => {
  const { args, out } = invocation;
  const n = linesIn(args, DEFAULT_LINES);
  return reading(invocation, async (session) => {
    const filter = await filterOf(session, args);
    const newest = () => (filter === null ? session.store.audit.tail(n) : newestCalls(session, filter, { most: n }));
    if (args.on("follow")) {
      const shown = new FollowedRecords(out, () => namesOf(session));
      await follow(session.store.audit, {
        filter,
        newest,
        show: (rows) => shown.show(rows),
        stopped: invocation.host.stopSignal(),
      });
      return EXIT.ok;
    }
    const rows = await newest();
    const names = await namesOf(session);
    const cells = rows.map((row) => recordCells(row, names));
    await out.result(rows.map(merged), out.table(RECORD_HEADINGS, cells));
    return EXIT.ok;
  });
};

/** Records as they come: a line each, or with `--json` a value a line. */
class FollowedRecords {
  #names: Names = new Map();
  #table: Table | null = null;

  constructor(
    private readonly out: CliOutput,
    private readonly namesNow: () => Promise<Names>,
  ) {}

  async show(rows: readonly AuditRow[]): Promise<void> {
    if (this.out.json) {
      await this.out.write(rows.map((row) => `${JSON.stringify(merged(row))}\n`).join(""));
      return;
    }
    // Only a change makes somebody new, or gives another name.
    if (this.#table === null || rows.some((row) => bodyOf(row).change)) this.#names = await this.namesNow();
    const cells = rows.map((row) => recordCells(row, this.#names));
    const table = this.#table ?? this.out.tableOf(RECORD_HEADINGS, USUAL_WIDTHS);
    const lines = table.lines(cells);
    await this.out.write([...(this.#table === null ? [table.head()] : []), ...lines, ""].join("\n"));
    this.#table = table;
  }
}

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

/** The tree that proofs are checked against, and who has signed it beside the log. */
const treeLines = ({ node, head, witnessed }: TreeLog): string[] => {
  if (head === null) return [];
  const of = node === null ? "" : ` of node ${node}`;
  return [
    `tree${of}         ${head.size} records, signed ${timestamp(head.at)}`,
    ...(witnessed === null ? [] : [`witnessed${of}    ${witnessed.size} records, by ${namesIn(witnessed).join(", ")}`]),
  ];
};

/** Who has signed, but the log itself. */
const namesIn = ({ note }: TreeHeadNote): string[] => {
  const { text, signatures } = readNote(note);
  const { origin } = readCheckpoint(text);
  return signatures.flatMap(({ name }) => (name === origin ? [] : [name]));
};

const nodeLine = ({ node, ok, records, last_seq, head }: NodeReport): string =>
  `node ${node}: ${ok ? "intact" : "BROKEN"}, ${records} records, head ${last_seq === null ? "none" : `${last_seq}:${head}`}`;

/**
 * `audit verify`: recomputes the chain; exit code 8 when a record was changed, removed or reordered, when a
 * signature that must be there is not, or a record is not the one that was noted.
 */
export const verify: RunVerb = async (invocation) => {
  const noted = invocation.args.text("head");
  const anchor = noted === undefined ? undefined : headOf(noted);
  const { report, trees } = await reading(invocation, async ({ store }) => ({
    report: await invocation.out.during("Verifying the audit log", () => store.audit.verify(anchor)),
    trees: await store.proofs.logs(),
  }));
  const span = report.first_seq === null ? "" : ` (${report.first_seq} to ${report.last_seq})`;
  const lines = [
    report.ok ? "ok: the audit log is intact" : "BROKEN: the audit log was changed",
    `records      ${report.records}${span}`,
    `checkpoints  ${report.checkpoints}${chainedFrom(report)}`,
    `head         ${report.head ?? "none"}`,
    ...trees.flatMap(treeLines),
    ...(report.nodes ?? []).map(nodeLine),
    ...report.faults.map(({ node, seq, problem }) => `${node ? `node ${node}, ` : ""}record ${seq}: ${problem}`),
  ];
  await invocation.out.result(report, lines.join("\n"));
  return report.ok ? EXIT.ok : EXIT.integrity;
};
