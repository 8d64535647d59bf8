import { decodedIn } from "#policy/provenance/decoded";
import type { ValueKind } from "#policy/provenance/provenance-values";
import { askForValues } from "#policy/provenance/provenance-values";
import { blocksOf, MIN_VALUE_LENGTH, wordsOf } from "#policy/provenance/provenance-words";
import { fold } from "#scan/fold/normalize";
import type { FirstVoice, Origins, ProvenanceIndex } from "./provenance";

/*
 * What is followed from one conversation of an agent to another: the values by which money and data leave. Hosts, files,
 * packages and identifiers come up in one task after another, and are followed within a conversation alone.
 */

const FOLLOWED: ReadonlySet<ValueKind> = new Set(["account", "email", "url", "url_with_data", "phone"]);
/** Of one text. */
const MAX_FOLLOWED = 500;
/** 96 bits of SHA-256: nobody finds a second value for one. */
const FINGERPRINT_LENGTH = 24;

/** Stands beside fingerprints where there were more values than are followed. */
const CUT = "cut off";

/** SHA-256 in hexadecimal. */
export type Hash = (text: string) => string;

/** What stands for a value: letters and digits alone, so that it is one word. A host is not the URL of its root. */
const fingerprintOf = (hash: Hash, value: string, isHost: boolean): string =>
  hash(`${isHost ? "host " : ""}${wordsOf(value)}`).slice(0, FINGERPRINT_LENGTH);

/** Fingerprints of the values in a text that are followed; block by block, since texts are long. */
export function* followedIn(text: string, hash: Hash): Generator<readonly string[]> {
  const found = new Set<string>();
  const add = (said: string): void => {
    const folded = fold(said).text.toLowerCase();
    askForValues(folded, (kind, start, end) => {
      const value = folded.slice(start, end);
      // Hosts only for what is sent to them in a URL that no tool has said.
      const isFollowed = kind === "host" || FOLLOWED.has(kind);
      if (!isFollowed || wordsOf(value).length < MIN_VALUE_LENGTH || found.has(CUT)) return false;
      found.add(found.size < MAX_FOLLOWED ? fingerprintOf(hash, value, kind === "host") : CUT);
      // Of a URL, what stands before its data is followed, too, and its host.
      return kind !== "url" && kind !== "url_with_data";
    });
  };
  for (const block of blocksOf(text)) {
    const before = found.size;
    for (const said of [block, ...decodedIn(block)]) add(said);
    yield [...found].slice(before);
  }
}

/** What an agent's values are traced in: two stretches of time, the older one first. They hold fingerprints. */
export class FollowedOrigins implements Origins {
  constructor(
    private readonly stretches: readonly ProvenanceIndex[],
    private readonly hash: Hash,
  ) {}

  get isPartial(): boolean {
    return this.stretches.some((stretch) => stretch.isPartial || stretch.firstOf(CUT) !== undefined);
  }

  /** Whether an answer was let through with that call. */
  hasPassed(hash: string): boolean {
    return this.stretches.some((stretch) => stretch.isTrusted(hash));
  }

  /** Fingerprints tell no orders. */
  ordererOf(): null {
    return null;
  }

  trace(value: string, kind: ValueKind): ReturnType<Origins["trace"]> {
    if (!FOLLOWED.has(kind)) return undefined;
    const print = fingerprintOf(this.hash, value, kind === "url_with_data" && !value.includes("/"));
    let first: FirstVoice | undefined;
    for (const stretch of this.stretches) {
      const said = stretch.firstOf(print);
      if (said?.voice === "trusted") return null;
      first ??= said;
    }
    if (first?.voice !== "tool") return undefined;
    return { source: first.source, isSure: this.stretches.some((stretch) => stretch.hasHeard("trusted")) };
  }
}
