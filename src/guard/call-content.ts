import type { Stage } from "#model/audit";
import { cutTo, type KeptText, type KeptTexts, MAX_KEPT } from "#model/kept-content";
import type { Effective } from "#policy/profile/effective";
import { isEnvelope, type Slot, type Texts } from "#scan/texts/text-walk";

export type KeptParts = Effective["content"];

/** Of a streamed channel with something blocked or redacted in it, the last so many UTF-16 units that came in. */
const PASSAGE = 262_144;
/** UTF-16 units of one channel that are followed as they leave: more is not remembered of a text. */
const MAX_FOLLOWED = 1_048_576;
/** UTF-16 units that are gathered before they join the others: in a rope, a token alone takes a hundred bytes for its five. */
const GATHERED = 96;
/** Channels of one stream that are followed; no honest answer has more. */
const MAX_CHANNELS = 64;

/** How a call ended: whether its request, and its whole answer, were passed on. */
export type CallEnding = { readonly isForwarded: boolean; readonly isAnswered: boolean };

/** Texts, to a bound for them all. */
class Pile {
  readonly texts: KeptText[] = [];
  cut = false;
  private room = MAX_KEPT;

  add({ stage, param, origin, text }: KeptText): void {
    const kept = cutTo(text, this.room);
    if (kept.length < text.length) this.cut = true;
    this.room -= kept.length;
    if (kept !== "") this.texts.push({ stage, param, origin, text: kept });
  }

  copy(): Pile {
    const copy = new Pile();
    for (const text of this.texts) copy.add(text);
    copy.cut = this.cut;
    return copy;
  }

  get all(): KeptTexts | null {
    return this.texts.length === 0 ? null : { texts: this.texts, cut: this.cut };
  }
}

/** Some tokens: looking into the text at each of them would copy all that was gathered each time. */
const LOOSE = 32;

/** A text that grows by a token at a time. */
class Growing {
  private whole = "";
  private recent = "";
  /** Units of `recent` that may still be a rope. */
  private loose = 0;
  length = 0;

  add(token: string): void {
    this.length += token.length;
    this.recent += token;
    this.loose += token.length;
    if (this.loose < LOOSE) return;
    this.loose = 0;
    // A string that is looked into is no rope any more: it lets go of the tokens, and they of the events they came in.
    // What is read is used, for the compiler leaves out a reading that nobody uses, and the rope would stay.
    const isWhole = !isLead(this.recent.charCodeAt(this.recent.length - 1));
    if (isWhole && this.recent.length >= GATHERED) this.gather();
  }

  /** Begins anew with `text`. */
  set(text: string): void {
    this.whole = text;
    this.length = text.length;
    this.recent = "";
  }

  get text(): string {
    this.gather();
    return this.whole;
  }

  private gather(): void {
    this.whole += this.recent;
    this.recent = "";
  }
}

/** Whether a UTF-16 unit is the first of two that are one character. */
const isLead = (unit: number): boolean => (unit & 0xfc00) === 0xd800;

/** The text of one channel of a stream, as it comes and goes. */
export class ChannelText {
  isWithheld = false;
  private readonly growing = new Growing();
  private readonly coming = new Growing();
  private readonly leaving = new Growing();
  isCut = false;

  constructor(
    readonly param: string,
    private readonly retention: KeptParts["store_content"],
    /** Whether all that leaves is asked for at the end. */
    private readonly isFollowed = false,
  ) {}

  /** All that left; null for what is not followed, or too long to be. */
  get passed(): string | null {
    return this.isFollowed && this.leaving.length <= MAX_FOLLOWED ? this.leaving.text : null;
  }

  /** What the profile has kept of it: what came, or what left. */
  get kept(): string {
    return this.growing.text;
  }

  /** The end of what came. */
  get passage(): string {
    return this.coming.text;
  }

  came(text: string): void {
    if (this.retention === "full") this.keep(text);
    this.coming.add(text);
    if (this.coming.length <= 2 * PASSAGE) return;
    this.coming.set(this.passage.slice(-PASSAGE).replace(/^[\udc00-\udfff]/, ""));
    this.isCut = true;
  }

  left(text: string): void {
    if (this.retention === "redacted") this.keep(text);
    if (this.isFollowed && this.leaving.length <= MAX_FOLLOWED) this.leaving.add(text);
  }

  /** Something in it was blocked or redacted. */
  withhold(): void {
    this.isWithheld = true;
  }

  /** One unit over the bound, so that it shows that it was cut. */
  private keep(text: string): void {
    if (this.growing.length <= MAX_KEPT) this.growing.add(text);
  }
}

/** A slot that remembers what was put in its place. */
class WatchedSlot implements Slot {
  readonly param: string;
  readonly origin: Slot["origin"];
  readonly text: string;
  readonly field?: string;
  readonly isFixed?: boolean;
  private shown: string;

  constructor(
    readonly stage: Stage,
    private readonly slot: Slot,
  ) {
    this.param = slot.param;
    this.origin = slot.origin;
    this.text = slot.text;
    if (slot.field !== undefined) this.field = slot.field;
    if (slot.isFixed) this.isFixed = true;
    this.shown = slot.text;
  }

  replace(text: string): void {
    this.shown = text;
    this.slot.replace(text);
  }

  get passed(): KeptText {
    return { stage: this.stage, param: this.param, origin: this.origin, text: this.shown };
  }
}

/** Gathers, while a call is on its way, the texts that may be kept of it. Nothing is written here. */
export class CallContent {
  private readonly came = new Pile();
  private readonly blocked = new Pile();
  private readonly passedOn: WatchedSlot[] = [];
  private readonly channels: ChannelText[] = [];
  private isStreamed = false;
  private hasMoreChannels = false;
  /** Whether what leaves of a streamed answer is asked for at its end. */
  followsAnswer = false;

  constructor(readonly retention: KeptParts) {}

  /** Whether there is nothing to keep: so it is for most calls. */
  get isEmpty(): boolean {
    if (this.retention.store_content !== "none" || this.blocked.texts.length > 0) return false;
    return !this.channels.some(({ isWithheld }) => isWithheld);
  }

  /** The slots of one scan, as they are to be scanned so that what passes is known. */
  watch(stage: Stage, slots: readonly Slot[], places?: Pick<Texts, "envelope" | "repeated">): readonly Slot[] {
    const { store_content } = this.retention;
    if (store_content === "none" || (this.isStreamed && stage === "output")) return slots;
    if (store_content === "full") {
      for (const { param, origin, text } of slots) {
        if (!isEnvelope({ param, origin }, places)) this.came.add({ stage, param, origin, text });
      }
      return slots;
    }
    return slots.map((slot) => (isEnvelope(slot, places) ? slot : new WatchedSlot(stage, slot)));
  }

  /** The scan of these, as `watch` gave them, has let them pass. */
  passed(slots: readonly Slot[]): void {
    if (this.retention.store_content === "none") return;
    for (const slot of slots) if (slot instanceof WatchedSlot) this.passedOn.push(slot);
  }

  /** Something in this text was blocked or redacted. */
  withhold(stage: Stage, { param, origin, text }: Pick<Slot, "param" | "origin" | "text">): void {
    this.blocked.add({ stage, param, origin, text });
  }

  /** The answer is a stream: its texts are gathered by channel, and nothing that stands beside its choices. */
  streams(): void {
    this.isStreamed = true;
  }

  /** One more channel of a streamed answer; null when there are too many. */
  channel(param: string): ChannelText | null {
    if (this.channels.length === MAX_CHANNELS) {
      this.hasMoreChannels = true;
      return null;
    }
    const channel = new ChannelText(param, this.retention.store_content, this.followsAnswer);
    this.channels.push(channel);
    return channel;
  }

  /** What has left of a streamed answer, by place. */
  get streamed(): readonly { readonly param: string; readonly text: string }[] {
    return this.channels.flatMap(({ param, passed }) => (passed === null ? [] : [{ param, text: passed }]));
  }

  /** The texts in which something was blocked or redacted, as they came; null for none. */
  withheld(): KeptTexts | null {
    const pile = this.blocked.copy();
    for (const { isWithheld, param, passage, isCut } of this.channels) {
      if (!isWithheld) continue;
      pile.add({ stage: "output", param, origin: "output", text: passage });
      pile.cut ||= isCut;
    }
    return pile.all;
  }

  /** What the profile has kept: all that came, or what was passed on; null for nothing. */
  retained({ isForwarded, isAnswered }: CallEnding): KeptTexts | null {
    const pile = this.came.copy();
    for (const slot of this.passedOn) if (slot.stage === "input" ? isForwarded : isAnswered) pile.add(slot.passed);
    for (const { param, kept } of this.channels) pile.add({ stage: "output", param, origin: "output", text: kept });
    pile.cut ||= this.hasMoreChannels;
    return pile.all;
  }
}
