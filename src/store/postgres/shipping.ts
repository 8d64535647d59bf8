import type { AnchorDetail } from "#store/audit-link";

import type { SerialisedRecord } from "#store/record";
import type {
  DroppedMonth,
  DroppedMonths,
  InterruptedCalls,
  LogSource,
  Shipping,
  ShippingLag,
} from "#store/shipped-port";
import { AuditUnavailable } from "#store/sqlite/audit-errors";
import type { ChainSigner } from "./chain";
import type { Governance } from "./governance";
import type { Pool } from "./pool";
import { Moved, RecordShipper } from "./record-shipper";
import { endShipped } from "./shipped-ends";
import { dropShipped } from "./shipped-retention";

/** Of one log in one go: some seconds' work at most. */
const MOST = 20_000;
/** How often it is looked whose logs in this directory nobody ships. */
const LEFT_MS = 5_000;
/** After a failure, how long nothing is tried. */
const PAUSE_MS = 2_000;
/** How long somebody waits until what he wrote is in the database. */
const WAIT_MS = 5_000;
/** Others ship the same log now and then: so often this process tries to be the one. */
const TRIES = 5;

type Source = { readonly node: string | null; readonly source: LogSource };

export type LogShippingNeeds = {
  readonly pool: Pool;
  readonly governance: Governance;
  readonly signer: ChainSigner;
  /** Every log of the data directory. */
  readonly sources: () => readonly Source[];
  /** Whose records this process writes; null for the main log. */
  readonly own: string | null;
  /** Whether this process is to ship the log of another: who wrote it is gone, or it is the one that several write to. */
  readonly isLeft: (node: string | null) => Promise<boolean>;
  /** Names a log among those of all hubs. */
  readonly nameOf: (node: string | null) => string;
  readonly now: () => number;
};

/** Ships the logs of a data directory: its own as records come, and what others have left behind. */
export class LogShipping implements Shipping {
  readonly #shippers = new Map<string | null, RecordShipper>();
  #failedAt = Number.NEGATIVE_INFINITY;
  #isAway = false;
  /** Of this process's own log: what is under way, and what begins when that is over. */
  #now: Promise<void> = Promise.resolve();
  #next: Promise<void> | null = null;
  #left: ReadonlySet<string | null> = new Set();
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly needs: LogShippingNeeds) {}

  /** The names of all logs that lie here. */
  names(): string[] {
    return this.needs.sources().map(({ node }) => this.needs.nameOf(node));
  }

  /** Whether shipping failed last. */
  get isAway(): boolean {
    return this.#isAway;
  }

  async run(): Promise<void> {
    const { own, now } = this.needs;
    if (now() - this.#failedAt < PAUSE_MS) return;
    const failures: unknown[] = [];
    await this.#look();
    for (const one of this.needs.sources()) {
      if (one.node !== own && !this.#left.has(one.node)) continue;
      const shipper = this.#of(one);
      // One log that cannot be shipped holds up no other.
      await shipper.ship(MOST).catch((error: unknown) => {
        if (!(error instanceof Moved)) failures.push(error);
      });
    }
    this.#isAway = failures.length > 0;
    if (failures.length === 0) return;
    this.#failedAt = now();
    throw failures[0];
  }

  /**
   * Resolves when everything that this process has in its own log by now is in the database. Those who come while some are
   * shipped are shipped together after that. Throws `AuditUnavailable`.
   */
  async settle(waitMs = WAIT_MS): Promise<void> {
    this.#next ??= this.#now.then(() => this.#begin());
    const { promise: over, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(new AuditUnavailable("PostgreSQL takes too long to take it in")), waitMs);
    try {
      await Promise.race([this.#next, over]);
    } catch (error) {
      this.#isAway = true;
      throw error instanceof AuditUnavailable ? error : new AuditUnavailable("PostgreSQL did not take it in");
    } finally {
      clearTimeout(timer);
    }
  }

  #begin(): Promise<void> {
    this.#next = null;
    const shipped = this.#shipOwn();
    this.#now = shipped.catch(() => {
      // Told to those who wait for it.
    });
    return shipped;
  }

  async #shipOwn(): Promise<void> {
    const own = this.needs.sources().find(({ node }) => node === this.needs.own);
    if (own === undefined) throw new AuditUnavailable("the log of this process is not there");
    for (let tries = 1; ; tries++) {
      try {
        await this.#of(own).ship();
        this.#isAway = false;
        return;
      } catch (error) {
        if (!(error instanceof Moved) || tries === TRIES) throw error;
      }
    }
  }

  bind(recordOf: (detail: AnchorDetail) => SerialisedRecord): Promise<void> {
    return this.needs.governance.anchor(recordOf);
  }

  endInterrupted(
    endOf: (request: SerialisedRecord) => SerialisedRecord | null,
    recordOf: (calls: InterruptedCalls) => SerialisedRecord,
  ): Promise<number> {
    return endShipped(this.needs, endOf, recordOf);
  }

  dropBefore(before: number, recordOf: (dropped: DroppedMonth) => SerialisedRecord): Promise<DroppedMonths> {
    return dropShipped(this.needs, before, recordOf);
  }

  /** Of what this process is to ship: the others tell of theirs. */
  lag(): ShippingLag {
    const own = this.needs.sources().filter(({ node }) => node === this.needs.own || this.#left.has(node));
    const all = own.map((one) => this.#of(one).lag());
    const times = all.flatMap(({ since }) => since ?? []);
    return {
      records: all.reduce((sum, { records }) => sum + records, 0),
      since: times.length === 0 ? null : Math.min(...times),
    };
  }

  async #look(): Promise<void> {
    const { own, sources, isLeft } = this.needs;
    if (performance.now() - this.#lookedAt < LEFT_MS) return;
    const left = new Set<string | null>();
    for (const { node } of sources()) if (node !== own && (await isLeft(node))) left.add(node);
    this.#left = left;
    this.#lookedAt = performance.now();
  }

  #of({ node, source }: Source): RecordShipper {
    const known = this.#shippers.get(node);
    if (known !== undefined) return known;
    const { pool, now, nameOf } = this.needs;
    const shipper = new RecordShipper({ pool, source, node: nameOf(node), now });
    this.#shippers.set(node, shipper);
    return shipper;
  }
}
