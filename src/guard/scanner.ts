import type { ScanPool, ScanText } from "#guard/scan-pool/pool";
import { RecentPrints } from "#platform/recent-prints";
import { RecentlyUsed } from "#platform/recently-used";
import type { Pause } from "#platform/slices";
import type { Origin } from "#scan/detector";
import { DETECTORS } from "#scan/detectors/index";
import { type AnyScan, countOf, packScan, unpackScan } from "#scan/packed-scan";
import { type CompiledPolicy, type PolicySource, revisionOf } from "#scan/policy";
import { type Scan, scanText } from "#scan/scan";
import { warmUp, warmUpDetectors } from "#scan/warm-up";

/** Below this a scan costs about what the keyed hash costs that would look it up. In UTF-16 units. */
const MIN_CACHED_LENGTH = 12;

/** Hashed in one piece: about a millisecond. In UTF-16 units. */
const HASHED_AT_ONCE = 262_144;

/** Verdicts with more findings are kept packed, and apart: they are few, and must not drive out the many. */
const MANY_FINDINGS = 64;
/** Findings in those that are remembered, 12 bytes each. */
const MAX_REMEMBERED_FINDINGS = 4_194_304;

/** Between two samples, so that a call waits for one of them at most. Milliseconds. */
const PAUSE_MS = 50;

/** Of a model or a version; in UTF-16 units. What is longer is scanned each time. */
const MAX_NAME_LENGTH = 64;
/** Names that are remembered, each under the policy it was scanned under. */
const MAX_NAMES = 1_024;
const NOTHING_FOUND: Scan = { findings: [] };
/** Numbers of 32 bits in a SHA-256. */
const KEY_WORDS = 8;
/** What the runtime wants to be given for any digest, in bytes. */
const MAX_DIGEST = 64;

/** The hash that a text is remembered by, of 32 bytes. */
export type TextKey = Uint32Array<ArrayBuffer>;
type Recalled = { readonly key: TextKey | null; readonly scan: AnyScan | null };

export type CachedScan = { readonly scan: Scan; readonly cached: boolean };

/**
 * The policy in force, and what it said before. A call takes one snapshot and keeps it to its end;
 * `replace` swaps the policy for the calls that come after.
 */
export class Scanner {
  /** Texts in which nothing was found: most of them. What was found in others is kept in the two below. */
  private readonly clean: RecentPrints;
  private readonly verdicts: RecentlyUsed<AnyScan>;
  private readonly largeVerdicts: RecentlyUsed<AnyScan>;
  /** Names in which nothing was found: policy, origin, name. */
  private readonly cleanNames: RecentlyUsed<true>;
  /**
   * For texts hashed in one piece; a digest begins it anew. The key comes first instead of in an HMAC, which would be
   * an object for each text: nobody sees a hash, so nobody can append to what was hashed.
   */
  private readonly hasher = new Bun.CryptoHasher("sha256");
  private readonly digest = new Uint8Array(MAX_DIGEST);
  /** The hash of the text that is looked at now. */
  private readonly current: TextKey = new Uint32Array(this.digest.buffer, 0, KEY_WORDS);

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
    this.clean = new RecentPrints(cacheEntries);
    this.verdicts = new RecentlyUsed(cacheEntries);
    this.cleanNames = new RecentlyUsed(Math.min(MAX_NAMES, cacheEntries));
    const findings = Math.min(MAX_REMEMBERED_FINDINGS, cacheEntries * MANY_FINDINGS);
    this.largeVerdicts = new RecentlyUsed(findings, countOf);
  }

  snapshot(): CompiledPolicy {
    return this.policy;
  }

  /** False until `warmUp` has ended, where the scanner was made cold. */
  get isWarm(): boolean {
    return this.warm;
  }

  /** Makes what an ordinary first call would wait for, giving way to whatever else has come up after each sample. */
  async warmUp(): Promise<void> {
    try {
      for (const _ of warmUp(this.policy)) await new Promise<void>((resolve) => setImmediate(resolve));
    } finally {
      this.warm = true;
    }
  }

  /** Makes what single detectors need for the first text that looks like theirs, with a pause after each sample. */
  async warmUpDetectors(signal: AbortSignal): Promise<void> {
    for (const _ of warmUpDetectors(this.policy)) {
      await Bun.sleep(PAUSE_MS);
      if (signal.aborted) return;
    }
  }

  replace(policy: CompiledPolicy): void {
    this.policy = policy;
  }

  /**
   * Takes in what was stored later. Where it is the same policy under a later number, what is tuned for somebody leaves
   * it as it is for all others; else it is what people have set, here or in another process. Throws what compiling does.
   */
  apply(row: { readonly revision: number; readonly source: string } | null): void {
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
    if (!this.isCached(text, origin)) return { scan: scanText(policy, text, origin), cached: false };
    const key = this.hash(policy, text, origin);
    const known = this.known(key);
    if (known) return { scan: unpackScan(known), cached: true };
    const scan = scanText(policy, text, origin);
    this.remember(key, scan);
    return { scan, cached: false };
  }

  /**
   * The same for names that call after call repeats, answers too: a scan of a model's name with a date costs a third of
   * what a prompt costs.
   */
  scanName(policy: CompiledPolicy, name: string, origin: Origin): CachedScan {
    if (name.length > MAX_NAME_LENGTH) return this.scan(policy, name, origin);
    const key = `${policy.key} ${origin} ${name}`;
    if (this.cleanNames.get(key)) return { scan: NOTHING_FOUND, cached: this.isCached(name, origin) };
    const scanned = this.scan(policy, name, origin);
    if (scanned.scan.findings.length === 0 && scanned.scan.unscanned === undefined) this.cleanNames.set(key, true);
    return scanned;
  }

  /**
   * The verdict remembered of a text, and the key to remember it by; the key is null for what is not remembered. Long
   * texts are hashed in slices.
   */
  recall(policy: CompiledPolicy, { text, origin }: ScanText, pause: Pause): Recalled | Promise<Recalled> {
    if (!this.isCached(text, origin)) return { key: null, scan: null };
    if (text.length > HASHED_AT_ONCE) {
      return this.hashInSlices(policy, text, origin, pause).then((key) => ({ key, scan: this.known(key) }));
    }
    const key = this.hash(policy, text, origin).slice();
    return { key, scan: this.known(key) };
  }

  private known(key: TextKey): AnyScan | null {
    if (this.clean.has(key)) return NOTHING_FOUND;
    if (this.verdicts.isEmpty && this.largeVerdicts.isEmpty) return null;
    const name = nameOf(key);
    return this.verdicts.get(name) ?? this.largeVerdicts.get(name) ?? null;
  }

  scanAnew(policy: CompiledPolicy, text: string, origin: Origin): Scan {
    return scanText(policy, text, origin);
  }

  remember(key: TextKey, scan: AnyScan): void {
    const count = countOf(scan);
    if (count === 0 && !scan.unscanned) this.clean.add(key);
    else if (count <= MANY_FINDINGS) this.verdicts.set(nameOf(key), unpackScan(scan));
    else this.largeVerdicts.set(nameOf(key), "spans" in scan ? scan : packScan(scan));
  }

  private isCached(text: string, origin: Origin): boolean {
    return text.length >= MIN_CACHED_LENGTH && origin !== "output";
  }

  private async hashInSlices(policy: CompiledPolicy, text: string, origin: Origin, pause: Pause): Promise<TextKey> {
    const hasher = new Bun.CryptoHasher("sha256").update(this.key).update(placeOf(policy, origin));
    for (let at = 0; at < text.length; ) {
      let to = Math.min(text.length, at + HASHED_AT_ONCE);
      // The two halves of a surrogate pair are encoded together, as when the text is hashed in one piece.
      if (to < text.length && isFirstHalf(text.charCodeAt(to - 1))) to += 1;
      hasher.update(text.slice(at, to));
      at = to;
      const wait = pause();
      if (wait) await wait;
    }
    return new Uint32Array(new Uint8Array(hasher.digest()).buffer);
  }

  /** Valid until the next text. */
  private hash(policy: CompiledPolicy, text: string, origin: Origin): TextKey {
    this.hasher.update(this.key).update(placeOf(policy, origin)).update(text).digest(this.digest);
    return this.current;
  }
}

/** What a text was held to; the key before it has always the same length, and it ends where a text begins. */
const placeOf = (policy: CompiledPolicy, origin: Origin): string => `${policy.key}\0${origin}\0`;

/** A key as a map takes it. */
const nameOf = (key: TextKey): string => Buffer.from(key.buffer, key.byteOffset, key.byteLength).toString("latin1");

/** Of a surrogate pair. */
const isFirstHalf = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
