import type { LogSource, Shipping, ShippingLag } from "#store/shipped-port";
import type { Pool } from "./pool";
import { Moved, RecordShipper } from "./record-shipper";

/** Of one log in one go: some seconds' work at most. */
const MOST = 20_000;
/** A log of somebody else's in this directory is shipped by this process once it has waited for so long: that one is gone. */
const LEFT_MS = 5_000;
/** After a failure, how long nothing is tried. */
const PAUSE_MS = 2_000;

type Source = { readonly node: string | null; readonly source: LogSource };

export type LogShippingNeeds = {
  readonly pool: Pool;
  /** Every log of the data directory. */
  readonly sources: () => readonly Source[];
  /** Whose records this process writes; null for the main log. */
  readonly own: string | null;
  /** Names a log among those of all hubs. */
  readonly nameOf: (node: string | null) => string;
  readonly now: () => number;
};

/** Ships the logs of a data directory: its own as records come, and what others have left behind. */
export class LogShipping implements Shipping {
  readonly #shippers = new Map<string | null, RecordShipper>();
  #failedAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly needs: LogShippingNeeds) {}

  /** The names of all logs that lie here. */
  names(): string[] {
    return this.needs.sources().map(({ node }) => this.needs.nameOf(node));
  }

  async run(): Promise<void> {
    const { own, now } = this.needs;
    if (now() - this.#failedAt < PAUSE_MS) return;
    const failures: unknown[] = [];
    for (const one of this.needs.sources()) {
      const shipper = this.#of(one);
      const { records, since } = shipper.lag();
      if (one.node !== own && (records === 0 || now() - (since ?? 0) < LEFT_MS)) continue;
      // One log that cannot be shipped holds up no other.
      await shipper.ship(MOST).catch((error: unknown) => {
        if (!(error instanceof Moved)) failures.push(error);
      });
    }
    if (failures.length === 0) return;
    this.#failedAt = now();
    throw failures[0];
  }

  lag(): ShippingLag {
    const all = this.needs.sources().map((one) => this.#of(one).lag());
    const times = all.flatMap(({ since }) => since ?? []);
    return {
      records: all.reduce((sum, { records }) => sum + records, 0),
      since: times.length === 0 ? null : Math.min(...times),
    };
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
