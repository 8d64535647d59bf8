import { EncryptedContent } from "#guard/content/encrypted-content";
import { comparableForm, type KeptText, type KeptTexts } from "#model/kept-content";
import type { PastEvent } from "#model/past-event";
import type { Clock } from "#platform/clock";
import type { KeyedHash } from "#platform/hash";
import type { Sealing } from "#platform/sealing";
import type { ContentStore } from "#store/governance-port";

type EventContentNeeds = {
  readonly content: Pick<ContentStore, "ofEvent">;
  /** Resolves when what calls have left so far is kept. */
  readonly settled: () => Promise<void>;
  readonly unseal: Sealing["unseal"];
  readonly hash: KeyedHash;
  readonly now: Clock;
};

/** Where a text stood. */
export type TextPlace = Omit<KeptText, "text">;

/** The texts of events in which something was blocked or redacted: themselves for a day, then their keyed hashes. */
export class EventContent {
  private readonly sealed: EncryptedContent;

  constructor(private readonly deps: EventContentNeeds) {
    this.sealed = new EncryptedContent(deps.unseal);
  }

  /** What is still kept of an event; null for nothing. */
  async of(eventId: string): Promise<KeptTexts | null> {
    await this.deps.settled();
    const kept = await this.deps.content.ofEvent(eventId);
    // What has expired is gone, even before it is deleted.
    const live = kept.filter(({ purpose, expires_at }) => purpose === "blocked" && expires_at > this.deps.now());
    const opened = live.flatMap((content) => this.sealed.ofContent(content) ?? []);
    if (opened.length === 0) return null;
    return { texts: opened.flatMap(({ texts }) => texts), cut: opened.some(({ cut }) => cut) };
  }

  /**
   * Where a text stood in an event, whole or, while the event's text is kept, as a part of it; null when it did not.
   * White space and the way letters are written make no difference.
   */
  placeOf(text: string, event: PastEvent, kept: KeptTexts | null): TextPlace | null {
    const form = comparableForm(text);
    if (form === "") return null;
    const found = kept?.texts.find((one) => comparableForm(one.text).includes(form));
    if (found) return { stage: found.stage, param: found.param, origin: found.origin };
    return this.hashedPlaceOf(form, event);
  }

  private hashedPlaceOf(form: string, { facts: { content_hmac, flags } }: PastEvent): TextPlace | null {
    const { hash } = this.deps;
    if (content_hmac?.key_id !== hash.keyId) return null;
    const wanted = hash.of(form);
    const found = content_hmac.texts.find(({ hmac }) => hmac === wanted);
    if (!found) return null;
    const { stage, param } = found;
    const flag = flags.find((one) => one.param === param);
    return { stage, param, origin: flag?.origin ?? (stage === "input" ? "user" : "output") };
  }
}
