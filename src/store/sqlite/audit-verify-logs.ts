import type { Database } from "bun:sqlite";
import { parseJson } from "#core/json/json";
import { type Head, type LogWatch, MAX_FAULTS } from "#store/audit-link";
import type { AuditFault, AuditReport, NodeReport } from "#store/port";
import { beginningOf } from "./audit-chain";
import type { AuditSigner } from "./audit-signer";
import { type VerifySlices, verifyLog } from "./audit-verify";
import { identityOf } from "./node-log";

/** A head that somebody noted elsewhere; without a node it is one of the main log. */
export type NotedHead = Head & { readonly node?: string };

export type VerifyLogsOptions = {
  readonly anchor?: NotedHead;
  readonly slices?: VerifySlices;
  readonly watch?: LogWatch;
};

type SeenRecord = { readonly kind: string; readonly body: string };
type Log = { readonly node: string | null; readonly db: Database };

/** Verifies each log by itself, the main one first; one verdict for all, and what was found in each. */
export const verifyLogs = async (
  logs: readonly Log[],
  signer: AuditSigner,
  { anchor, slices, watch }: VerifyLogsOptions = {},
): Promise<AuditReport> => {
  let [records, checkpoints] = [0, 0];
  const faults: AuditFault[] = [];
  const nodes: NodeReport[] = [];
  const anchors = new Anchors();
  let main: AuditReport | null = null;
  for (const { node, db } of logs) {
    const before = records;
    const own = slices && { ...slices, between: (read: number) => slices.between(before + read) };
    const noted = anchor !== undefined && (anchor.node ?? null) === node ? anchor : undefined;
    const seen = (record: SeenRecord) => {
      if (node === null) anchors.take(record);
      watch?.seen(record);
    };
    const bound = [
      { by: "the main log", heads: new Map(node === null ? [] : anchors.of(node)) },
      { by: "the chain of changes", heads: new Map(watch?.bound(node)) },
    ];
    const also = { seen, bound };
    const report = await verifyLog(db, signer, noted, own, also);
    const ours = node === null ? [] : [...misplaced(db, node), ...anchors.exchanged(node, beginningOf(db).hash)];
    const found = node === null ? report.faults : [...ours, ...report.faults].map((it) => ({ ...it, node }));
    records += report.records;
    checkpoints += report.checkpoints;
    faults.push(...found);
    if (node === null) main = report;
    else {
      const { first_seq, last_seq, head } = report;
      const counts = { records: report.records, checkpoints: report.checkpoints };
      nodes.push({ node, ok: found.length === 0, ...counts, first_seq, last_seq, head });
    }
  }
  if (main === null) throw new Error("There is no main log");
  if (anchor?.node !== undefined && logs.every(({ node }) => node !== anchor.node))
    faults.push({ seq: anchor.seq, problem: "the log of the noted record is missing", node: anchor.node });
  faults.push(...anchors.missing(logs));
  const all = { ...main, ok: faults.length === 0, records, checkpoints, faults: faults.slice(0, MAX_FAULTS) };
  return nodes.length === 0 ? all : { ...all, nodes };
};

const KINDS: readonly string[] = ["audit.anchor", "node.remove"];

/** What the main log says of those of nodes: how far each went at that moment, and what it began with. */
class Anchors {
  readonly #heads = new Map<string, Map<number, string>>();
  readonly #origins = new Map<string, string>();

  /** A record that was changed is a fault already: what cannot be read of it says nothing. */
  readonly take = ({ kind, body }: SeenRecord): void => {
    if (!KINDS.includes(kind)) return;
    for (const [node, head] of Object.entries(logsIn(body))) {
      if (!isHead(head)) continue;
      if (!this.#origins.has(node)) this.#origins.set(node, head.origin);
      const heads = this.#heads.get(node) ?? new Map<number, string>();
      if (head.seq > 0) heads.set(head.seq, head.hash);
      this.#heads.set(node, heads);
    }
  };

  /** Those of one node. */
  of(node: string): ReadonlyMap<number, string> {
    return this.#heads.get(node) ?? new Map();
  }

  exchanged(node: string, origin: string): AuditFault[] {
    const known = this.#origins.get(node) ?? origin;
    return known === origin ? [] : [{ seq: 1, problem: "the log is another one than the main log names" }];
  }

  missing(logs: readonly Log[]): AuditFault[] {
    const there = new Set(logs.map(({ node }) => node));
    return [...this.#heads].flatMap(([node, heads]) => {
      const problem = "the log is missing, which the main log names";
      return there.has(node) ? [] : [{ seq: Math.max(0, ...heads.keys()), problem, node }];
    });
  }
}

const logsIn = (body: string): object => {
  const detail: unknown = Object(Object(Object(parseJson(body)).change).detail).logs;
  return Object(detail);
};

const isHead = (head: unknown): head is Head & { readonly origin: string } => {
  const { seq, hash, origin } = Object(head);
  return Number.isSafeInteger(seq) && typeof hash === "string" && typeof origin === "string";
};

/** The log of one node in another's place: its chain is whole, and yet not that of this node. */
const misplaced = (db: Database, node: string): AuditFault[] => {
  const identity = identityOf(db);
  return identity?.node === node ? [] : [{ seq: 1, problem: `the log is that of ${identity?.node ?? "nobody"}` }];
};
