import type { Repeat, Skipped } from "#guard/apis/api-stream";
import { placesOf } from "#guard/apis/events";
import type { Channel } from "#guard/stream/channel";

/** What came and what has left of one channel. */
type Transcript = { readonly came: string[]; readonly left: string[]; isChanged: boolean };

/** A repeat that is to say what has left of its channel. */
export type KnownRepeat = { readonly repeat: Repeat; readonly channel: Channel };

/** The texts of a stream by channel, for APIs whose events repeat them. */
export class Transcripts {
  private readonly byChannel = new Map<Channel, Transcript>();

  came(channel: Channel, text: string): void {
    this.of(channel).came.push(text);
  }

  left(channel: Channel, text: string, isChanged: boolean): void {
    const transcript = this.of(channel);
    transcript.left.push(text);
    transcript.isChanged ||= isChanged;
  }

  /** Those that say what came of their channel, to the letter. */
  known(repeats: readonly Repeat[], channelOf: (repeat: Repeat) => Channel | undefined): KnownRepeat[] {
    return repeats.flatMap((repeat) => {
      const channel = channelOf(repeat);
      return channel && repeated(repeat) === whole(this.of(channel).came) ? [{ repeat, channel }] : [];
    });
  }

  /** Puts what has left in place of what came; true when that is another text. */
  rebuild({ repeat, channel }: KnownRepeat): boolean {
    const { isChanged, left } = this.of(channel);
    if (!isChanged) return false;
    const { holder, key } = repeat;
    const text = whole(left);
    if (Array.isArray(holder)) holder[Number(key)] = text;
    else holder[key] = text;
    return true;
  }

  private of(channel: Channel): Transcript {
    const known = this.byChannel.get(channel);
    if (known) return known;
    const made = { came: [], left: [], isChanged: false };
    this.byChannel.set(channel, made);
    return made;
  }
}

export const NO_REPEATS: readonly KnownRepeat[] = [];

/** Where they stand: nothing there is looked at again. */
export const skippedOf = (repeats: readonly KnownRepeat[]): Skipped =>
  repeats.length === 0 ? NOTHING : placesOf(repeats.map(({ repeat }) => repeat));

const NOTHING: Skipped = new Map();

const repeated = ({ holder, key }: Repeat): unknown => (Array.isArray(holder) ? holder[Number(key)] : holder[key]);

/** The pieces as one, which they then are. */
const whole = (pieces: string[]): string => {
  const text = pieces.join("");
  if (pieces.length > 1) pieces.splice(0, pieces.length, text);
  return text;
};
