import { GuardError } from "#core/errors";
import type { ReaderPause } from "#core/json/json-reader";
import { bearerToken } from "#http/auth/token";
import { longBodyOf, readText, textParsed } from "#http/body";
import type { SourceKind } from "#model/verdict";
import type { Clock } from "#platform/clock";
import { isSameSecret } from "#platform/hash";
import { SignatureCheck, signedHeaders, signingKey } from "#platform/standard-webhooks";
import type { KnownSource, SourceBook } from "./book";

/** A frame whose source is known. */
export type Admitted = {
  readonly source: KnownSource;
  /** Parses the body. Throws `invalid_json`, `request_too_large`, `client_closed`, and what a pause rejects with. */
  readonly body: (pause: ReaderPause) => unknown | Promise<unknown>;
  /** Names what was sent, for a frame that may come again; null for one that is judged each time. */
  readonly message: string | null;
};

/** Lets a frame in: the source it is from, or null for nobody's. Nothing of its body is parsed before. */
export type Admission = (request: Request, kind: SourceKind, network: Network) => Promise<Admitted | null>;

/** Where a frame comes from, and whether too much of no source came from there lately. */
export type Network = { readonly name: string; readonly isRefused: boolean };

/** Longest frame, in bytes: what Anthropic's documentation has as the longest. */
export const MAX_FRAME_BYTES = 67_108_864;
/** Longest question about one tool call. */
const MAX_QUESTION_BYTES = 4_194_304;
/** Frames that are read at one time, in bytes: they are in memory before it is known who sends them. */
const MAX_READ_BYTES = 4 * MAX_FRAME_BYTES;
/** Of them from one network, and from one that too much of no source came from. */
const MAX_NETWORK_BYTES = 2 * MAX_FRAME_BYTES;
const MAX_REFUSED_BYTES = 1_048_576;
/** Sources of a kind whose secrets a frame is tried with that does not say which it is from. */
const MAX_TRIED = 4;

const LEAST_READING_MS = 10_000;

type SignatureNeeds = AdmissionNeeds & { readonly leastReadingMs?: number };
type AdmissionNeeds = { readonly book: Pick<SourceBook, "of">; readonly now: Clock };

/** By `source` of the query: where there are several of a kind, each says which it is. */
const candidates = ({ book }: Pick<AdmissionNeeds, "book">, { url }: Request, kind: SourceKind) =>
  book.of(kind, new URL(url).searchParams.get("source"));

/** Ends reading when the most patient of the sources waits no longer, but leaves time to deny what is late. */
const readingTime = (
  sources: readonly KnownSource[],
  least: number,
): { readonly ends: AbortSignal; readonly clear: () => void } => {
  const control = new AbortController();
  const ms = Math.max(least, ...sources.map(({ settings }) => settings.budget_ms));
  const timer = setTimeout(() => control.abort(tooSlow()), ms);
  return { ends: control.signal, clear: () => clearTimeout(timer) };
};

/** Of frames signed as Standard Webhooks. */
export const bySignature = ({ book, now, leastReadingMs = LEAST_READING_MS }: SignatureNeeds): Admission => {
  const room = new ReadingRoom(MAX_READ_BYTES);
  return async (request, kind, network) => {
    const headers = signedHeaders((name) => request.headers.get(name), now());
    if (headers === null) return null;
    const sources = candidates({ book }, request, kind);
    if (sources.length > MAX_TRIED) return null;
    const keys = sources
      .flatMap((source) => source.secrets().map((secret) => ({ source, key: signingKey(secret) })))
      .flatMap(({ source, key }) => (key === null ? [] : [{ source, key }]));
    if (keys.length === 0) return null;
    const check = new SignatureCheck(
      headers,
      keys.map(({ key }) => key),
    );
    const digest = new Bun.CryptoHasher("sha256");
    const { ends, clear } = readingTime(sources, leastReadingMs);
    const reading = room.reading(network, (take) => {
      const onBytes = (bytes: Uint8Array) => {
        take(bytes.length);
        check.update(bytes);
        digest.update(bytes);
      };
      return readText(request, MAX_FRAME_BYTES, onBytes, ends);
    });
    const text = await reading.finally(clear);
    const signed = keys[check.signer()];
    if (!signed) return null;
    const { source } = signed;
    return {
      source,
      body: (pause) => textParsed(text, pause),
      message: `${source.id} ${headers.id} ${digest.digest("base64")}`,
    };
  };
};

/** Of frames that carry their source's secret as a bearer token. */
export const byBearer =
  ({ book }: AdmissionNeeds): Admission =>
  async (request, kind) => {
    const token = bearerToken(request.headers.get("authorization") ?? "");
    if (token === "") return null;
    let found: KnownSource | null = null;
    for (const source of candidates({ book }, request, kind)) {
      for (const secret of source.secrets()) if (isSameSecret(token, secret)) found ??= source;
    }
    return found && { source: found, body: await longBodyOf(request, MAX_QUESTION_BYTES), message: null };
  };

/** Bounds what is read at one time, in all and from each network. */
class ReadingRoom {
  private taken = 0;
  private readonly shares = new Map<string, number>();

  constructor(private readonly most: number) {}

  /** `take` throws `rate_limit_exceeded` where it is full. */
  async reading<T>({ name, isRefused }: Network, work: (take: (bytes: number) => void) => Promise<T>): Promise<T> {
    const share = isRefused ? MAX_REFUSED_BYTES : MAX_NETWORK_BYTES;
    let own = 0;
    const take = (bytes: number) => {
      if (this.taken + bytes > this.most || this.of(name) + bytes > share) throw full();
      own += bytes;
      this.add(name, bytes);
    };
    try {
      return await work(take);
    } finally {
      this.add(name, -own);
    }
  }

  private of(network: string): number {
    return this.shares.get(network) ?? 0;
  }

  private add(network: string, bytes: number): void {
    this.taken += bytes;
    const left = this.of(network) + bytes;
    if (left > 0) this.shares.set(network, left);
    else this.shares.delete(network);
  }
}

const tooSlow = (): GuardError =>
  new GuardError("client_closed", "The frame did not come to its end in the time its source waits.");

const full = (): GuardError =>
  new GuardError("rate_limit_exceeded", "Too many long frames are being read. Try again in a second.", {
    headers: { "retry-after": "1" },
  });
