import { CallContent, type KeptParts } from "#guard/call-content";
import type { AuditRecord } from "#model/audit";
import {
  type ContentHmac,
  comparableForm,
  comparableFormInSlices,
  contentPurpose,
  FORM_BLOCK,
  type KeptContent,
  type KeptText,
  type KeptTexts,
} from "#model/kept-content";
import type { Clock } from "#platform/clock";
import type { KeyedHash } from "#platform/hash";
import type { Ids } from "#platform/ids";
import { causeOf, type Log } from "#platform/log";
import type { Sealing } from "#platform/sealing";
import { slices } from "#platform/slices";
import type { ContentStore } from "#store/governance-port";

export type RetentionOptions = {
  /** How long what was blocked or redacted is kept for a dispute; 0 for not at all. */
  readonly keepBlockedHours: number;
  /** Under a key of its own, derived from the master key. */
  readonly hash: KeyedHash;
};

type ContentRetentionNeeds = RetentionOptions & {
  readonly content: Pick<ContentStore, "keep">;
  readonly seal: Sealing["seal"];
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
};

/** Whose text it is, and of which call. */
type Whose = Pick<KeptContent, "call_id" | "event_id" | "user_id" | "agent_id">;

/** What waits to be sealed and written. */
type Unsealed = Omit<KeptContent, "sealed"> & { readonly texts: KeptTexts };

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** Texts that may wait for the store, in UTF-16 units. */
const MAX_WAITING = 67_108_864;
/** Hashes in one record. */
const MAX_HASHED = 100;

/** Keeps what may be kept of calls, sealed, beside their records. No call waits for it, and none fails with it. */
export class ContentRetention {
  /** Texts that could not be kept since the start. */
  failures = 0;
  private waiting: Unsealed[] = [];
  private waitingUnits = 0;
  private writing: Promise<void> | null = null;

  constructor(private readonly deps: ContentRetentionNeeds) {}

  gather(retention: KeptParts): CallContent {
    return new CallContent(retention);
  }

  /** What binds a dispute to the texts that were blocked or redacted; null when none were. Of long ones a promise. */
  hmacOf(content: CallContent): ContentHmac | null | Promise<ContentHmac> {
    const withheld = content.isEmpty ? null : content.withheld();
    if (!withheld) return null;
    const texts = withheld.texts.slice(0, MAX_HASHED);
    if (unitsOf(texts) > FORM_BLOCK) return this.hmacInSlices(texts);
    const { hash } = this.deps;
    return {
      key_id: hash.keyId,
      texts: texts.map(({ stage, param, text }) => ({ stage, param, hmac: hash.of(comparableForm(text)) })),
    };
  }

  private async hmacInSlices(texts: readonly KeptText[]): Promise<ContentHmac> {
    const { hash } = this.deps;
    const pause = slices.begin();
    const hashed: ContentHmac["texts"][number][] = [];
    for (const { stage, param, text } of texts) {
      hashed.push({ stage, param, hmac: hash.of(await comparableFormInSlices(text, pause)) });
    }
    return { key_id: hash.keyId, texts: hashed };
  }

  /** To be called with the call's final record, once that is on disk. */
  keep(record: AuditRecord, content: CallContent, isForwarded: boolean): void {
    const { call_id, call, outcome, actor } = record;
    const { user_id, agent_id } = actor;
    if (user_id === null) return;
    const whose = { call_id, event_id: call?.event_id ?? null, user_id, agent_id };
    const isAnswered = outcome === "answered" || call?.code === "upstream_rejected";
    try {
      const { keepBlockedHours } = this.deps;
      const withheld = keepBlockedHours > 0 ? content.withheld() : null;
      if (withheld) this.add(whose, "blocked", withheld, keepBlockedHours * HOUR_MS);
      const retained = content.retained({ isForwarded, isAnswered });
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
    const { clock, ids } = this.deps;
    if (this.waitingUnits > MAX_WAITING) throw new Error("too many texts wait for the store");
    const created_at = clock();
    this.waiting.push({ id: ids(), ...whose, purpose, texts, created_at, expires_at: created_at + forMs });
    this.waitingUnits += unitsOf(texts.texts);
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
        await this.deps.content.keep(await this.sealed(batch));
      } catch (error) {
        this.failed(error, batch.length);
      }
    }
    this.writing = null;
  }

  /** Sealing a long text takes milliseconds: each has a turn of its own. */
  private async sealed(batch: readonly Unsealed[]): Promise<KeptContent[]> {
    const sealed: KeptContent[] = [];
    for (const { texts, ...content } of batch) {
      if (unitsOf(texts.texts) > FORM_BLOCK) await slices.turn();
      try {
        sealed.push({ ...content, sealed: this.deps.seal(contentPurpose(content.id), JSON.stringify(texts)) });
      } catch (error) {
        this.failed(error, 1);
      }
    }
    return sealed;
  }

  private failed(error: unknown, count: number): void {
    this.failures += count;
    this.deps.log.error("content.keep_failed", { ...causeOf(error), count, failures: this.failures });
  }
}

const unitsOf = (texts: readonly KeptText[]): number => texts.reduce((sum, { text }) => sum + text.length, 0);
