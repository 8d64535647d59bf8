import { type Head, MAX_FAULTS } from "./audit-link";
import { mergedRows, newestOf } from "./audit-merge";
import type {
  AuditFault,
  AuditLog,
  AuditLogState,
  AuditQuery,
  AuditReport,
  AuditRow,
  AuditUpkeep,
  LogHeads,
  NodeReport,
  SerialisedRecord,
} from "./port";

type Noted = Head & { readonly node?: string };
type InnerLog = AuditLog & AuditUpkeep & { verify(noted?: Noted): Promise<AuditReport> };

/** What other hubs have shipped of their logs. */
export type ShippedLogs = {
  tail(n: number): Promise<AuditRow[]>;
  read(query: AuditQuery): AsyncIterable<AuditRow>;
  states(): Promise<
    readonly { readonly node: string; readonly head: Head; readonly origin: string; readonly records: number }[]
  >;
  verify(
    node: string,
    options: { readonly noted?: Head; readonly between?: (records: number) => Promise<void> },
  ): Promise<{ readonly report: NodeReport; readonly faults: readonly AuditFault[] }>;
};

/** What this hub has itself, and what the others have shipped, as one log. It writes to the first alone. */
export class SharedAuditLog implements InnerLog {
  constructor(
    private readonly own: InnerLog,
    private readonly shipped: ShippedLogs,
  ) {}

  get healthy(): boolean {
    return this.own.healthy;
  }

  get waiting(): number {
    return this.own.waiting;
  }

  append(record: SerialisedRecord): Promise<void> {
    return this.own.append(record);
  }

  async tail(n: number): Promise<AuditRow[]> {
    const parts = await Promise.all([this.own.tail(n), this.shipped.tail(n)]);
    const lists = parts.map((rows) => ({ node: null, rows, isOver: true }));
    return newestOf(lists, n).rows;
  }

  read(query: AuditQuery): AsyncIterable<AuditRow> {
    const parts = [this.own.read(query), this.shipped.read(query)];
    return mergedRows(parts.map((rows) => ({ node: null, rows })));
  }

  verify(noted?: Noted): Promise<AuditReport> {
    return this.#verify(noted);
  }

  verifySlowly(between: (records: number) => Promise<void>): Promise<AuditReport> {
    return this.#verify(undefined, between);
  }

  async #verify(noted?: Noted, between?: (records: number) => Promise<void>): Promise<AuditReport> {
    const others = (await this.shipped.states()).map(({ node }) => node);
    const isOthers = noted?.node !== undefined && others.includes(noted.node);
    let report = between ? await this.own.verifySlowly(between) : await this.own.verify(isOthers ? undefined : noted);
    for (const node of others) {
      const before = report.records;
      const one = await this.shipped.verify(node, {
        ...(noted?.node === node && { noted }),
        ...(between && { between: (records) => between(before + records) }),
      });
      report = {
        ...report,
        ok: report.ok && one.report.ok,
        records: report.records + one.report.records,
        checkpoints: report.checkpoints + one.report.checkpoints,
        faults: [...report.faults, ...one.faults].slice(0, MAX_FAULTS),
        nodes: [...(report.nodes ?? []), one.report],
      };
    }
    return report;
  }

  async state(): Promise<AuditLogState> {
    const [own, others] = await Promise.all([this.own.state(), this.shipped.states()]);
    const nodes = others.map(({ node, head, origin, records }) => ({
      ...{ node, head, origin, checkpoint: null },
      months:
        records === 0 ? [] : [{ month: "", first_seq: head.seq - records + 1, last_seq: head.seq, dropped_at: null }],
    }));
    return nodes.length === 0 ? own : { ...own, nodes: [...(own.nodes ?? []), ...nodes] };
  }

  anchor(recordOf: (logs: LogHeads) => SerialisedRecord): Promise<void> {
    return this.own.anchor(recordOf);
  }

  openCalls(): Promise<SerialisedRecord[]> {
    return this.own.openCalls();
  }

  endAbandoned(endOf: (request: SerialisedRecord) => SerialisedRecord | null): Promise<number> {
    return this.own.endAbandoned(endOf);
  }

  dropBefore(before: number, recordOf: (months: readonly string[]) => SerialisedRecord): Promise<string[]> {
    return this.own.dropBefore(before, recordOf);
  }

  flush(): Promise<void> {
    return this.own.flush();
  }
}
