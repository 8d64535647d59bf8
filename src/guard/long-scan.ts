import { GuardError } from "#core/errors";
import type { PoolScan, ScanPlace, ScanPool, ScanText } from "#guard/scan-pool/pool";
import { ScanQueueFull } from "#guard/scan-pool/queue";
import type { Scanner, TextKey } from "#guard/scanner";
import { type Pause, slices } from "#platform/slices";
import type { AnyScan } from "#scan/packed-scan";
import type { CompiledPolicy } from "#scan/policy";
import type { Slot } from "#scan/texts/text-walk";

/*
 * Scans of long texts. Up to a length a call's texts are scanned where they are, on the serving thread: at the second of
 * CPU time a megabyte that the dearest texts cost, that is 16 ms. What is longer goes to the scan pool, in batches, and
 * the serving thread does the rest of the work in slices.
 */

/** UTF-16 units of one call that are scanned on the serving thread in one piece. */
export const MAX_UNITS_AT_ONCE = 16_384;
/** What each text costs beside its length, as so many units more: a hundred thousand tiny texts are long work too. */
const UNITS_A_TEXT = 16;
/** Units that go to a thread together. */
const BATCH_UNITS = 65_536;
/** `Retry-After` in seconds when the queue is full. */
const RETRY_AFTER_S = 2;

/** Whether texts are too long to be scanned in one piece. */
export const isLong = (slots: readonly Pick<Slot, "text">[]): boolean => {
  let units = slots.length * UNITS_A_TEXT;
  for (const { text } of slots) {
    if (units > MAX_UNITS_AT_ONCE) return true;
    units += text.length;
  }
  return units > MAX_UNITS_AT_ONCE;
};

export const unitsOf = (slots: readonly Pick<Slot, "text">[]): number => {
  let units = slots.length * UNITS_A_TEXT;
  for (const { text } of slots) units += text.length;
  return units;
};

const unitsInSlices = async (slots: readonly Pick<Slot, "text">[], pause: Pause): Promise<number> => {
  let units = 0;
  for (let at = 0; at < slots.length; at += COUNTED_AT_ONCE) {
    units += unitsOf(slots.slice(at, at + COUNTED_AT_ONCE));
    const wait = pause();
    if (wait) await wait;
  }
  return units;
};

/** Texts whose lengths are added up in one piece: a fraction of a millisecond. */
const COUNTED_AT_ONCE = 4_096;

/** What is known of a long text. */
export type LongScan = { readonly scan: AnyScan; readonly cached: boolean };

/** A scan, or why there is none. */
export type LongScanVerdict = LongScan | { readonly failed: unknown };

type Waiting<S> = { readonly slot: S; readonly key: TextKey | null; readonly scan: AnyScan | null };

export type LongScanOptions<S> = {
  readonly scanner: Scanner;
  readonly policy: CompiledPolicy;
  /** Whose turn it is: callers take turns with each other. */
  readonly caller: string;
  /** A full queue refuses requests, but no answer: it was paid for. */
  readonly isRefusable: boolean;
  readonly signal: AbortSignal | null;
  /** Told of each text in order; what it throws ends the scan. */
  readonly settle: (slot: S, verdict: LongScanVerdict, pause: Pause) => Promise<void>;
};

/** Scans texts in order. Throws what `settle` throws, what aborts the signal, and a `GuardError` when the queue is full. */
export const scanLong = async <S extends ScanText>(slots: readonly S[], options: LongScanOptions<S>): Promise<void> => {
  const { scanner, policy, settle } = options;
  const pause = slices.begin();
  const passage = new PoolPassage(options, await unitsInSlices(slots, pause));
  let batch: Waiting<S>[] = [];
  let units = 0;
  const flush = async () => {
    const verdicts = await passage.verdicts(batch, units, pause);
    for (const [at, { slot }] of batch.entries()) {
      await settle(slot, verdicts[at] ?? { failed: new Error("a scan is missing") }, pause);
      const wait = pause();
      if (wait) await wait;
    }
    batch = [];
    units = 0;
  };
  try {
    for (const slot of slots) {
      const recalled = scanner.recall(policy, slot, pause);
      const known = recalled instanceof Promise ? await recalled : recalled;
      batch.push({ slot, ...known });
      if (known.scan === null) units += slot.text.length + UNITS_A_TEXT;
      if (units >= BATCH_UNITS) await flush();
      const wait = pause();
      if (wait) await wait;
    }
    await flush();
  } finally {
    passage.leave();
  }
};

/** One call's way to the pool; it takes a place there when the first text has to go. */
class PoolPassage<S extends ScanText> {
  private place: ScanPlace | null = null;

  constructor(
    private readonly options: LongScanOptions<S>,
    private readonly allUnits: number,
  ) {}

  leave(): void {
    this.place?.leave();
  }

  /** `units`: of what is not known yet. */
  async verdicts(batch: readonly Waiting<S>[], units: number, pause: Pause): Promise<readonly LongScanVerdict[]> {
    const { scanner } = this.options;
    const unknown = batch.filter(({ scan }) => scan === null);
    const scans = new Map<Waiting<S>, LongScanVerdict>();
    if (scanner.pool === null || units <= MAX_UNITS_AT_ONCE) {
      for (const one of unknown) scans.set(one, this.here(one.slot));
    } else {
      const results = await this.inPool(scanner.pool, unknown);
      for (const [at, one] of unknown.entries()) scans.set(one, verdictOf(results[at]));
    }
    for (const [{ key }, verdict] of scans) if (key !== null && "scan" in verdict) scanner.remember(key, verdict.scan);
    const wait = pause();
    if (wait) await wait;
    return batch.map((one) => (one.scan === null ? scans.get(one) : { scan: one.scan, cached: true }) ?? NONE);
  }

  private here({ text, origin }: S): LongScanVerdict {
    try {
      return { scan: this.options.scanner.scanAnew(this.options.policy, text, origin), cached: false };
    } catch (error) {
      return { failed: error };
    }
  }

  private async inPool(pool: ScanPool, batch: readonly Waiting<S>[]): Promise<readonly PoolScan[]> {
    const { policy, signal } = this.options;
    this.place ??= this.enter(pool);
    try {
      const texts = batch.map(({ slot: { text, origin } }) => ({ text, origin }));
      return await this.place.scan(policy, texts);
    } catch (error) {
      signal?.throwIfAborted();
      const failed = error instanceof Error ? error : new Error("the scanner failed");
      return batch.map(() => ({ failed }));
    }
  }

  private enter(pool: ScanPool): ScanPlace {
    const { caller, signal, isRefusable } = this.options;
    return enterPool(pool, caller, this.allUnits, { signal, isRefusable });
  }
}

/** A place in the pool. Throws a `GuardError` when the queue is full. */
export const enterPool = (pool: ScanPool, ...place: Parameters<ScanPool["enter"]>): ScanPlace => {
  try {
    return pool.enter(...place);
  } catch (error) {
    throw error instanceof ScanQueueFull ? noRoom(error) : error;
  }
};

const NONE: LongScanVerdict = { failed: new Error("a scan is missing") };

const verdictOf = (result: PoolScan | undefined): LongScanVerdict => {
  if (result === undefined) return NONE;
  return "scan" in result ? { scan: result.scan, cached: false } : { failed: result.failed };
};

const noRoom = ({ whose }: ScanQueueFull): GuardError => {
  const headers = { "retry-after": String(RETRY_AFTER_S) };
  return whose === "caller"
    ? new GuardError(
        "rate_limit_exceeded",
        "Too many of your long texts are waiting to be scanned. Retry when your open calls have ended.",
        { headers },
      )
    : new GuardError("guard_unavailable", "Too many long texts are waiting to be scanned. Retry in a moment.", {
        headers,
      });
};
