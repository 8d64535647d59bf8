import { BadRecord } from "#store/audit-link";
import { AuditUnavailable } from "./audit-errors";
import type { AuditKeeper } from "./audit-keeper";
import { isRecordsFault, reasonOf } from "./audit-messages";
import { breathe } from "./audit-reader";
import type { Clearing, DropOrder } from "./audit-retention";
import type { CallIndexer } from "./call-indexer";

/** What appends records: a thread of its own under load, the caller's thread in a command that writes a few. */
export type AuditAppender = {
  readonly healthy: boolean;
  readonly waiting: number;
  append(body: string): Promise<void>;
  flush(): Promise<void>;
  /** Indexes some of what is new in the log. */
  index(): Promise<void>;
  /** Marks months as dropped, unless they are not to be any more, and sees to it that they are removed. */
  drop(order: DropOrder): Promise<void>;
  close(): Promise<void>;
};

/** Writes to one log, and on the caller's thread to the others where they are asked for. */
export class InlineLogs implements AuditAppender {
  readonly waiting = 0;

  constructor(
    private readonly own: InlineWriter,
    /** All logs but the own one. */
    private readonly others: () => readonly { readonly node: string | null; readonly writer: InlineWriter }[],
  ) {}

  get healthy(): boolean {
    return this.own.healthy;
  }

  append(body: string): Promise<void> {
    return this.own.append(body);
  }

  flush(): Promise<void> {
    return this.own.flush();
  }

  async index(): Promise<void> {
    await this.own.index();
    for (const { writer } of this.others()) await writer.index();
  }

  drop(order: DropOrder): Promise<void> {
    const other = this.others().find(({ node }) => node === (order.node ?? null));
    return (other?.writer ?? this.own).drop(order);
  }

  close(): Promise<void> {
    return this.own.close();
  }
}

/** Appends on the caller's thread, each record in a transaction of its own. */
export class InlineWriter implements AuditAppender {
  healthy = true;
  /** Each is written before its caller goes on. */
  readonly waiting = 0;
  #wrote = false;

  constructor(
    private readonly keeper: AuditKeeper,
    private readonly indexer: CallIndexer,
    private readonly clearing: Clearing,
  ) {}

  async append(body: string): Promise<void> {
    if (body.includes("\n")) throw new BadRecord("it is more than one line");
    this.#attempt(() => this.keeper.append([body]));
    this.#wrote = true;
  }

  async flush(): Promise<void> {
    this.#attempt(() => this.keeper.checkpoint());
  }

  async index(): Promise<void> {
    this.indexer.catchUp();
  }

  async drop(order: DropOrder): Promise<void> {
    this.#attempt(() => this.keeper.drop(order));
    this.#wrote = true;
    while (this.clearing.slice()) await breathe();
  }

  async close(): Promise<void> {
    // A command that only looked leaves nothing behind.
    if (this.#wrote) await this.flush();
  }

  #attempt(work: () => void): void {
    try {
      work();
      this.healthy = true;
    } catch (error) {
      if (isRecordsFault(error)) throw error;
      this.healthy = false;
      throw new AuditUnavailable(reasonOf(error));
    }
  }
}
