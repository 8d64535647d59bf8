import type { Origin } from "#core/scan/detector";
import { DETECTORS } from "#core/scan/detectors/index";
import { type CompiledPolicy, type PolicySource, revisionOf } from "#core/scan/policy";
import { type Scan, scanText } from "#core/scan/scan";
import { warmUp } from "#core/scan/warm-up";
import { RecentlyUsed } from "#engine/recently-used";

/** Below this a scan costs about what the keyed hash costs that would look it up. In UTF-16 units. */
const SHORTEST_CACHED = 12;

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
    if (text.length < SHORTEST_CACHED || origin === "output")
      return { scan: scanText(policy, text, origin), cached: false };
    const key = this.keyOf(policy, text, origin);
    const known = this.verdicts.get(key);
    if (known) return { scan: known, cached: true };
    const scan = scanText(policy, text, origin);
    this.verdicts.set(key, scan);
    return { scan, cached: false };
  }

  private keyOf(policy: CompiledPolicy, text: string, origin: Origin): string {
    const hash = new Bun.CryptoHasher("sha256", this.key).update(text).digest("base64");
    return `${policy.key} ${origin} ${hash}`;
  }
}
