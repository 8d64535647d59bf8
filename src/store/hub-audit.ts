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
  SerialisedRecord,
} from "./port";

/** A head that somebody noted elsewhere, and in whose log. */
type Noted = Head & { readonly node?: string };

/** A log that a command verifies against a head noted elsewhere. */
export type VerifiedLog = AuditLog & AuditUpkeep & { verify(anchor?: Noted): Promise<AuditReport> };

/** The chain of changes, where it is in another database than the rest. */
export type ChangeLog = {
  tail(n: number): Promise<AuditRow[]>;
  read(query: AuditQuery): AsyncIterable<AuditRow>;
  verify(between?: (records: number) => Promise<void>): Promise<{
    readonly records: number;
    readonly faults: readonly AuditFault[];
  }>;
};

/**
 * What a hub records itself, in its data directory, and the changes of all hubs, in their common database. Readers
 * get both by time; numbers are those of the log a record is in.
 */
export class HubAuditLog implements VerifiedLog {
  constructor(
    private readonly own: VerifiedLog,
    private readonly changes: ChangeLog,
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
    const parts = await Promise.all([this.own.tail(n), this.changes.tail(n)]);
    return newestOf(
      parts.map((rows) => ({ node: null, rows, isOver: true })),
      n,
    ).rows;
  }

  read(query: AuditQuery): AsyncIterable<AuditRow> {
    const parts = [this.own.read(query), this.changes.read(query)];
    return mergedRows(parts.map((rows) => ({ node: null, rows })));
  }

  async verify(anchor?: Noted): Promise<AuditReport> {
    const own = await this.own.verify(anchor);
    return together(own, await this.changes.verify());
  }

  async verifySlowly(between: (records: number) => Promise<void>): Promise<AuditReport> {
    const own = await this.own.verifySlowly(between);
    return together(own, await this.changes.verify((records) => between(own.records + records)));
  }

  state(): Promise<AuditLogState> {
    return this.own.state();
  }

  anchor(...said: Parameters<AuditUpkeep["anchor"]>): Promise<void> {
    return this.own.anchor(...said);
  }

  openCalls(): Promise<SerialisedRecord[]> {
    return this.own.openCalls();
  }

  endAbandoned(endOf: (request: SerialisedRecord) => SerialisedRecord | null): Promise<number> {
    return this.own.endAbandoned(endOf);
  }

  /** Changes are kept. */
  dropBefore(before: number, recordOf: (months: readonly string[]) => SerialisedRecord): Promise<string[]> {
    return this.own.dropBefore(before, recordOf);
  }

  flush(): Promise<void> {
    return this.own.flush();
  }
}

const together = (
  own: AuditReport,
  { records, faults }: { readonly records: number; readonly faults: readonly AuditFault[] },
): AuditReport => ({
  ...own,
  ok: own.ok && faults.length === 0,
  records: own.records + records,
  faults: [...own.faults, ...faults].slice(0, MAX_FAULTS),
});
