import { sha256Hex } from "#platform/hash";
import type { Slot } from "#scan/texts/text-walk";

/** Texts of one request that are remembered. */
const MAX_TEXTS = 1_000;
/** Longer texts are not remembered: hashing them takes long. UTF-16 units. */
const MAX_LENGTH = 262_144;

type Text = Pick<Slot, "param" | "text">;

/**
 * Texts of a request in which something was found, as its provider was sent them. Where an answer repeats one, in a place
 * that is there for that, its findings were noted with the request, and are not the model's. By their hashes: the texts
 * themselves would stay in memory as long as the stream.
 */
export class RepeatedTexts {
  private readonly hashes = new Set<string>();

  /** Remembers a text of the request, as it leaves. */
  note({ param, text }: Text, places: RegExp | null): void {
    if (!isPlace(param, text, places) || this.hashes.size >= MAX_TEXTS) return;
    this.hashes.add(sha256Hex(text));
  }

  /** Whether a text of an answer is one that was remembered. */
  has({ param, text }: Text, places: RegExp | null): boolean {
    return this.hashes.size > 0 && isPlace(param, text, places) && this.hashes.has(sha256Hex(text));
  }
}

const isPlace = (param: string, text: string, places: RegExp | null): boolean =>
  text.length <= MAX_LENGTH && places?.test(param) === true;
