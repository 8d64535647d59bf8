import type { Origin } from "#core/scan/detector";
import { DETECTORS } from "#core/scan/detectors/index";
import { type CompiledPolicy, type PolicySource, revisionOf } from "#core/scan/policy";
import { type Scan, scanText } from "#core/scan/scan";
import { warmUp } from "#core/scan/warm-up";
import { RecentlyUsed } from "#engine/recently-used";
import type { ScanPool, ScanText } from "#engine/scan-pool/pool";
import type { Pause } from "#platform/slices";

/** Below this a scan costs about what the keyed hash costs that would look it up. In UTF-16 units. */
const SHORTEST_CACHED = 12;

/** Hashed in one piece: about a millisecond. In UTF-16 units. */
const HASHED_AT_ONCE = 262_144;

type Recalled = { readonly key: string | null; readonly scan: Scan | null };

export type CachedScan = { readonly scan: Scan; readonly cached: boolean };

/**
 * The policy in force, and what it said before. A call takes one snapshot and keeps it to its end;
 * `replace` swaps the policy for the calls that come after.
 */
export class Scanner {
  private readonly verdicts: RecentlyUsed<Scan>;

  constructor(
    private policy: CompiledPolicy,
    /** Keys the hashes of texts, so that nobody without the key can tell which texts were seen. */
    private readonly key: Uint8Array,
    cacheEntries: number,
    /** Whether what is made for the first text has been made, or may be made when it comes. */
    private warm = true,
    /** Threads for long texts; null for what scans everything on its own thread, as commands do. */
    readonly pool: ScanPool | null = null,
  ) {
    this.verdicts = new RecentlyUsed(cacheEntries);
  }

  snapshot(): CompiledPolicy {
    return this.policy;
  }

  /** False until `warmUp` has ended, where the scanner was made cold. */
  get isWarm(): boolean {
    return this.warm;
  }

  /** Makes what the first call would wait for, giving way to whatever else has come up after each sample. */
  async warmUp(): Promise<void> {
    try {
      for (const _ of warmUp(this.policy)) await new Promise<void>((resolve) => setImmediate(resolve));
    } finally {
      this.warm = true;
    }
  }

  replace(policy: CompiledPolicy): void {
    this.policy = policy;
  }

  /**
   * Takes in what was stored later. Where it is the same policy under a later number, what is tuned for somebody leaves
   * it as it is for all others; else it is what people have set, here or in another process. Throws what compiling does.
   */
  take(row: { readonly revision: number; readonly source: string } | null): void {
    if (!row || row.revision <= this.policy.revision) return;
    if (row.source === JSON.stringify(this.policy.source)) {
      this.policy = this.policy.renumbered(row.revision);
      return;
    }
    // Every source in the store was compiled before it was written.
    const source: PolicySource = JSON.parse(row.source);
    this.policy = revisionOf(this.policy, source, row.revision, DETECTORS);
  }

  /** Replayed history costs a look-up. Verdicts hold spans, types and scores, never text. Answers are new each time. */
  scan(policy: CompiledPolicy, text: string, origin: Origin): CachedScan {
    const key = this.isCached(text, origin) ? this.keyOf(policy, text, origin) : null;
    const known = key === null ? undefined : this.verdicts.get(key);
    if (known) return { scan: known, cached: true };
    const scan = scanText(policy, text, origin);
    if (key !== null) this.verdicts.set(key, scan);
    return { scan, cached: false };
  }

  /**
   * The verdict remembered of a text, and the key to remember it by; the key is null for what is not remembered. Long
   * texts are hashed in slices.
   */
  recall(policy: CompiledPolicy, { text, origin }: ScanText, pause: Pause): Recalled | Promise<Recalled> {
    if (!this.isCached(text, origin)) return { key: null, scan: null };
    if (text.length <= HASHED_AT_ONCE) return this.recalled(this.keyOf(policy, text, origin));
    return this.hashInSlices(text, pause).then((hash) => this.recalled(`${policy.key} ${origin} ${hash}`));
  }

  private recalled(key: string): Recalled {
    return { key, scan: this.verdicts.get(key) ?? null };
  }

  scanAnew(policy: CompiledPolicy, text: string, origin: Origin): Scan {
    return scanText(policy, text, origin);
  }

  remember(key: string, scan: Scan): void {
    this.verdicts.set(key, scan);
  }

  private isCached(text: string, origin: Origin): boolean {
    return text.length >= SHORTEST_CACHED && origin !== "output";
  }

  private async hashInSlices(text: string, pause: Pause): Promise<string> {
    const hasher = new Bun.CryptoHasher("sha256", this.key);
    for (let at = 0; at < text.length; ) {
      let to = Math.min(text.length, at + HASHED_AT_ONCE);
      // The two halves of a surrogate pair are encoded together, as when the text is hashed in one piece.
      if (to < text.length && isFirstHalf(text.charCodeAt(to - 1))) to += 1;
      hasher.update(text.slice(at, to));
      at = to;
      const wait = pause();
      if (wait) await wait;
    }
    return hasher.digest("base64");
  }

  private keyOf(policy: CompiledPolicy, text: string, origin: Origin): string {
    const hash = new Bun.CryptoHasher("sha256", this.key).update(text).digest("base64");
    return `${policy.key} ${origin} ${hash}`;
  }
}

/** Of a surrogate pair. */
const isFirstHalf = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
