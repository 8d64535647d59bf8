import { type AnchorDetail, type Head, type LogHeads, type LogWatch, MAX_FAULTS } from "./audit-link";
import { mergedRows, newestOf } from "./audit-merge";
import type {
  AuditFault,
  AuditLog,
  AuditLogState,
  AuditQuery,
  AuditReport,
  AuditRow,
  AuditUpkeep,
  NodeReport,
  SerialisedRecord,
} from "./port";

/** A head that somebody noted elsewhere, and in whose log. */
type Noted = Head & { readonly node?: string };

/** A log that a command verifies against a head noted elsewhere. */
export type VerifiedLog = AuditLog & AuditUpkeep & { verify(noted?: Noted): Promise<AuditReport> };

/** The logs of this hub's data directory. */
type OwnLogs = VerifiedLog & {
  verify(noted?: Noted, watch?: LogWatch): Promise<AuditReport>;
  verifySlowly(between: Between, watch?: LogWatch): Promise<AuditReport>;
};

type Between = (records: number) => Promise<void>;

/** What the chain of changes says of one log, and of all. */
type SaidOfLog = { readonly heads: ReadonlyMap<number, string> };
type Said<L extends SaidOfLog> = {
  of(node: string): L;
  missing(there: Iterable<string>): readonly AuditFault[];
};

/** The chain of changes, in the database that hubs share. */
type ChangeLog<L extends SaidOfLog> = {
  tail(n: number): Promise<AuditRow[]>;
  read(query: AuditQuery): AsyncIterable<AuditRow>;
  newestAfter(seq: number): Promise<Head | null>;
  hashesOf(seqs: Iterable<number>): Promise<ReadonlyMap<number, string>>;
  verify(between?: Between): Promise<{
    readonly records: number;
    readonly checkpoints: number;
    readonly faults: readonly AuditFault[];
    readonly said: Said<L>;
  }>;
};

/** What all hubs have shipped of their logs. */
type ShippedLogs<L extends SaidOfLog> = {
  tail(n: number): Promise<AuditRow[]>;
  read(query: AuditQuery): AsyncIterable<AuditRow>;
  /** Of the others alone. */
  states(): Promise<
    readonly { readonly node: string; readonly head: Head; readonly origin: string; readonly records: number }[]
  >;
  /** The names of all logs. */
  nodes(): Promise<readonly string[]>;
  verify(
    node: string,
    options: { readonly noted?: Head; readonly between?: Between; readonly said: L },
  ): Promise<{ readonly report: NodeReport; readonly faults: readonly AuditFault[] }>;
  /** Nothing more is shipped of it; where it ends. Nothing where there is no such log. */
  close(node: string): Promise<LogHeads>;
};

type Parts<L extends SaidOfLog> = {
  readonly own: OwnLogs;
  readonly changes: ChangeLog<L>;
  readonly shipped: ShippedLogs<L>;
  /** Names a log of this data directory among those of all hubs. */
  readonly nameOf: (node: string | null) => string;
  /** Where a record counts only once it is in the database: brings it there. Throws where that takes too long. */
  readonly sync: { settle(): Promise<void>; readonly isAway: boolean } | null;
};

/** What this hub has itself, what the others have shipped, and the changes of all, as one log. It writes to the first alone. */
export class SharedAuditLog<L extends SaidOfLog> implements VerifiedLog {
  /** The last record of the chain of changes that was noted in the hub's own log. */
  private noted = 0;

  constructor(private readonly parts: Parts<L>) {}

  get healthy(): boolean {
    const { own, sync } = this.parts;
    return own.healthy && sync?.isAway !== true;
  }

  get waiting(): number {
    return this.parts.own.waiting;
  }

  async append(record: SerialisedRecord): Promise<void> {
    await this.parts.own.append(record);
    await this.parts.sync?.settle();
  }

  async tail(n: number): Promise<AuditRow[]> {
    const { own, changes, shipped } = this.parts;
    const parts = await Promise.all([own.tail(n), changes.tail(n), shipped.tail(n)]);
    const lists = parts.map((rows) => ({ node: null, rows, isOver: true }));
    return newestOf(lists, n).rows;
  }

  read(query: AuditQuery): AsyncIterable<AuditRow> {
    const { own, changes, shipped } = this.parts;
    const parts = [own.read(query), changes.read(query), shipped.read(query)];
    return mergedRows(parts.map((rows) => ({ node: null, rows })));
  }

  verify(noted?: Noted): Promise<AuditReport> {
    return this.verifyAll(noted);
  }

  verifySlowly(between: Between): Promise<AuditReport> {
    return this.verifyAll(undefined, between);
  }

  /** The chain of changes first: what it says of a log must be there however far that has gone on meanwhile. */
  private async verifyAll(noted?: Noted, between?: Between): Promise<AuditReport> {
    const { own, changes, shipped, nameOf } = this.parts;
    const chain = await changes.verify(between);
    const { said } = chain;
    const nodes = await shipped.nodes();
    const others = new Set((await shipped.states()).map(({ node }) => node));
    const notes = new Notes();
    const watch: LogWatch = { seen: notes.take, bound: (node) => said.of(nameOf(node)).heads };
    const isOthers = noted?.node !== undefined && others.has(noted.node);
    const mine = between
      ? await own.verifySlowly((records) => between(chain.records + records), watch)
      : await own.verify(isOthers ? undefined : noted, watch);
    let [records, checkpoints] = [chain.records + mine.records, chain.checkpoints + mine.checkpoints];
    const faults = [...mine.faults, ...chain.faults, ...said.missing(nodes)];
    const reports: NodeReport[] = [...(mine.nodes ?? [])];
    for (const node of nodes) {
      const before = records;
      const one = await shipped.verify(node, {
        ...(noted?.node === node && others.has(node) && { noted }),
        ...(between && { between: (read) => between(before + read) }),
        said: said.of(node),
      });
      faults.push(...one.faults);
      // What this hub has shipped itself is a copy, and counts once.
      if (!others.has(node)) continue;
      records += one.report.records;
      checkpoints += one.report.checkpoints;
      reports.push(one.report);
    }
    faults.push(...notes.faults(await changes.hashesOf(notes.seqs())));
    const all = { ...mine, ok: faults.length === 0, records, checkpoints, faults: faults.slice(0, MAX_FAULTS) };
    return reports.length === 0 ? all : { ...all, nodes: reports };
  }

  async state(): Promise<AuditLogState> {
    const [own, others] = await Promise.all([this.parts.own.state(), this.parts.shipped.states()]);
    const nodes = others.map(({ node, head, origin, records }) => ({
      ...{ node, head, origin, checkpoint: null },
      months:
        records === 0 ? [] : [{ month: "", first_seq: head.seq - records + 1, last_seq: head.seq, dropped_at: null }],
    }));
    return nodes.length === 0 ? own : { ...own, nodes: [...(own.nodes ?? []), ...nodes] };
  }

  async anchor(recordOf: (detail: AnchorDetail) => SerialisedRecord): Promise<void> {
    const { own, changes } = this.parts;
    await own.anchor(recordOf);
    // Of what is about logs alone nothing is noted: it would be said of the note again.
    const newest = await changes.newestAfter(this.noted);
    if (newest === null) return;
    await own.append(recordOf({ logs: {}, governance: newest }));
    this.noted = newest.seq;
  }

  async closing(node: string): Promise<LogHeads> {
    const shipped = await this.parts.shipped.close(node);
    return Object.keys(shipped).length === 0 ? this.parts.own.closing(node) : shipped;
  }

  openCalls(): Promise<SerialisedRecord[]> {
    return this.parts.own.openCalls();
  }

  endAbandoned(endOf: (request: SerialisedRecord) => SerialisedRecord | null): Promise<number> {
    return this.parts.own.endAbandoned(endOf);
  }

  /** Of this hub's own logs. */
  dropBefore(before: number, recordOf: (months: readonly string[]) => SerialisedRecord): Promise<string[]> {
    return this.parts.own.dropBefore(before, recordOf);
  }

  flush(): Promise<void> {
    return this.parts.own.flush();
  }
}

/** What this hub noted of the chain of changes in its own logs, where nobody who can change the database reaches it. */
class Notes {
  private readonly heads = new Map<number, string>();

  readonly take: LogWatch["seen"] = ({ kind, body }) => {
    if (kind !== "audit.anchor") return;
    const { seq, hash } = Object(Object(Object(JSON.parse(body)).change).detail?.governance);
    if (Number.isSafeInteger(seq) && typeof hash === "string") this.heads.set(seq, hash);
  };

  seqs(): Iterable<number> {
    return this.heads.keys();
  }

  faults(there: ReadonlyMap<number, string>): AuditFault[] {
    const changed = [...this.heads].filter(([seq, hash]) => there.get(seq) !== hash);
    return changed.map(([seq]) => ({
      seq,
      problem: "a change is missing, or not the one that this hub noted in its own log",
    }));
  }
}
