import type { Database } from "bun:sqlite";
import type { DataDirectory } from "#platform/data-directory";
import { AuditChain } from "./audit-chain";
import { Checkpoints } from "./audit-checkpoints";
import type { AuditSigner } from "./audit-signer";
import type { OpenOptions } from "./database";
import { nodesWithLog, openNodeLog } from "./node-log";
import type { Member } from "./nodes";

/** One log: that of the main database, whose node is null, or that of one node. */
export type Log = { readonly node: string | null; readonly db: Database; readonly chain: AuditChain };

type NodeLogsNeeds = {
  readonly main: Log;
  readonly directory: Pick<DataDirectory, "nodeLogs">;
  readonly signer: AuditSigner;
  readonly now: () => number;
  /** How this process opens its own log, if it has one beside the main one; and those of others. */
  readonly own: { readonly member: Member; readonly options: OpenOptions } | null;
  readonly options: OpenOptions;
};

/** Every log of a data directory, each opened when it is first asked for: also those of nodes that come later. */
export class NodeLogs {
  readonly #open = new Map<string, Log>();

  constructor(private readonly needs: NodeLogsNeeds) {}

  get main(): Log {
    return this.needs.main;
  }

  /** Where this process records calls. */
  get own(): Log {
    const { own, main } = this.needs;
    return own === null ? main : this.of(own.member.id);
  }

  /** The main one first, then in the order of nodes. */
  all(): Log[] {
    const nodes = nodesWithLog(this.needs.directory);
    return [this.needs.main, ...nodes.map((node) => this.of(node))];
  }

  of(node: string): Log {
    const known = this.#open.get(node);
    if (known !== undefined) return known;
    const { directory, own, options, now } = this.needs;
    const isOwn = own?.member.id === node;
    const db = openNodeLog(directory, node, now(), isOwn ? own.options : options);
    const checkpoints = new Checkpoints(db, this.needs.signer, now);
    const log = { node, db, chain: new AuditChain(db, checkpoints, isOwn ? own.member : null) };
    this.#open.set(node, log);
    return log;
  }

  /** But the main one. */
  close(): void {
    for (const { db } of this.#open.values()) db.close();
    this.#open.clear();
  }
}
