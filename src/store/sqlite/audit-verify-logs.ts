import type { Database } from "bun:sqlite";
import type { Head } from "#store/audit-link";
import type { AuditFault, AuditReport, NodeReport } from "#store/port";
import type { AuditSigner } from "./audit-signer";
import { MAX_FAULTS, type VerifySlices, verifyLog } from "./audit-verify";
import { identityOf } from "./node-log";

/** A head that somebody noted elsewhere; without a node it is one of the main log. */
export type NotedHead = Head & { readonly node?: string };

export type VerifyLogsOptions = {
  readonly anchor?: NotedHead;
  readonly slices?: VerifySlices;
};

type Log = { readonly node: string | null; readonly db: Database };

/** Verifies each log by itself, the main one first; one verdict for all, and what was found in each. */
export const verifyLogs = async (
  logs: readonly Log[],
  signer: AuditSigner,
  { anchor, slices }: VerifyLogsOptions = {},
): Promise<AuditReport> => {
  let [records, checkpoints] = [0, 0];
  const faults: AuditFault[] = [];
  const nodes: NodeReport[] = [];
  let main: AuditReport | null = null;
  for (const { node, db } of logs) {
    const before = records;
    const own = slices && { ...slices, between: (read: number) => slices.between(before + read) };
    const noted = anchor !== undefined && (anchor.node ?? null) === node ? anchor : undefined;
    const report = await verifyLog(db, signer, noted, own);
    const found =
      node === null ? report.faults : [...misplaced(db, node), ...report.faults].map((it) => ({ ...it, node }));
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
  const all = { ...main, ok: faults.length === 0, records, checkpoints, faults: faults.slice(0, MAX_FAULTS) };
  return nodes.length === 0 ? all : { ...all, nodes };
};

/** The log of one node in another's place: its chain is whole, and yet not that of this node. */
const misplaced = (db: Database, node: string): AuditFault[] => {
  const identity = identityOf(db);
  return identity?.node === node ? [] : [{ seq: 1, problem: `the log is that of ${identity?.node ?? "nobody"}` }];
};
