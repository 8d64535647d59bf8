import type { AuditRecord } from "#core/audit";
import { type ContentHmac, comparableForm, contentPurpose, type KeptContent, type KeptTexts } from "#core/kept-content";
import { CallContent, type Retention } from "#engine/call-content";
import type { Clock } from "#platform/clock";
import type { Ids } from "#platform/ids";
import type { KeyedHash } from "#platform/keyed-hash";
import { causeOf, type Log } from "#platform/log";
import type { Sealing } from "#platform/sealing";
import type { ContentStore } from "#store/governance-port";

export type KeepingOptions = {
  /** How long what was blocked or redacted is kept for a dispute; 0 for not at all. */
  readonly keepBlockedHours: number;
  /** Under a key of its own, derived from the master key. */
  readonly hash: KeyedHash;
};

type Deps = KeepingOptions & {
  readonly content: Pick<ContentStore, "keep">;
  readonly seal: Sealing["seal"];
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
};

/** Whose text it is, and of which call. */
type Whose = Pick<KeptContent, "call_id" | "event_id" | "user_id" | "agent_id">;

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** Sealed texts that may wait for the store, in UTF-16 units. */
const MOST_WAITING = 67_108_864;
/** Hashes in one record. */
const MOST_HASHED = 100;

/** Keeps what may be kept of calls, sealed, beside their records. No call waits for it, and none fails with it. */
export class ContentKeeper {
  /** Texts that could not be kept since the start. */
  failures = 0;
  private waiting: KeptContent[] = [];
  private waitingUnits = 0;
  private writing: Promise<void> | null = null;

  constructor(private readonly deps: Deps) {}

  gather(retention: Retention): CallContent {
    return new CallContent(retention);
  }

  /** What binds a dispute to the texts that were blocked or redacted; null when none were. */
  hmacOf(content: CallContent): ContentHmac | null {
    const withheld = content.isEmpty ? null : content.withheld();
    if (!withheld) return null;
    const { hash } = this.deps;
    const texts = withheld.texts.slice(0, MOST_HASHED).map(({ stage, param, text }) => ({
      stage,
      param,
      hmac: hash.of(comparableForm(text)),
    }));
    return { key_id: hash.keyId, texts };
  }

  /** To be called with the call's final record, once that is on disk. */
  keep(record: AuditRecord, content: CallContent, isThrough: boolean): void {
    const { call_id, call, outcome, actor } = record;
    const { user_id, agent_id } = actor;
    if (user_id === null) return;
    const whose = { call_id, event_id: call?.event_id ?? null, user_id, agent_id };
    const isAnswered = outcome === "answered" || call?.code === "upstream_rejected";
    try {
      const { keepBlockedHours } = this.deps;
      const withheld = keepBlockedHours > 0 ? content.withheld() : null;
      if (withheld) this.add(whose, "blocked", withheld, keepBlockedHours * HOUR_MS);
      const retained = content.retained({ isThrough, isAnswered });
      if (retained) this.add(whose, "retained", retained, content.retention.retention_days * DAY_MS);
    } catch (error) {
      this.failed(error, 1);
    }
  }

  /** Resolves when what was given so far is kept, or has failed to be. */
  settled(): Promise<void> {
    return this.writing ?? Promise.resolve();
  }

  private add(whose: Whose, purpose: KeptContent["purpose"], texts: KeptTexts, forMs: number): void {
    const { clock, ids, seal } = this.deps;
    if (this.waitingUnits > MOST_WAITING) throw new Error("too many texts wait for the store");
    const id = ids();
    const sealed = seal(contentPurpose(id), JSON.stringify(texts));
    const created_at = clock();
    this.waiting.push({ id, ...whose, purpose, sealed, created_at, expires_at: created_at + forMs });
    this.waitingUnits += sealed.length;
    this.writing ??= this.write();
  }

  /** What comes in while one batch is written makes the next. */
  private async write(): Promise<void> {
    // What one call leaves goes together.
    await Promise.resolve();
    while (this.waiting.length > 0) {
      const batch = this.waiting;
      this.waiting = [];
      this.waitingUnits = 0;
      try {
        await this.deps.content.keep(batch);
      } catch (error) {
        this.failed(error, batch.length);
      }
    }
    this.writing = null;
  }

  private failed(error: unknown, count: number): void {
    this.failures += count;
    this.deps.log.error("content.keep_failed", { ...causeOf(error), count, failures: this.failures });
  }
}
