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
export type Admission = (request: Request, kind: SourceKind) => Promise<Admitted | null>;

/** Longest frame, in bytes: what Anthropic's documentation has as the longest. */
export const MAX_FRAME_BYTES = 67_108_864;
/** Longest question about one tool call. */
const MAX_QUESTION_BYTES = 4_194_304;
/** Frames that are read at one time, in bytes: they are in memory before it is known who sends them. */
const MAX_READ_BYTES = 4 * MAX_FRAME_BYTES;
/** Secrets that one frame is tried with. */
const MAX_KEYS = 64;

type AdmissionNeeds = { readonly book: Pick<SourceBook, "of">; readonly now: Clock };

/** By `source` of the query: where there are several of a kind, each says which it is. */
const candidates = ({ book }: Pick<AdmissionNeeds, "book">, { url }: Request, kind: SourceKind) =>
  book.of(kind, new URL(url).searchParams.get("source"));

/** Of frames signed as Standard Webhooks. */
export const bySignature = ({ book, now }: AdmissionNeeds): Admission => {
  const room = new ReadingRoom(MAX_READ_BYTES);
  return async (request, kind) => {
    const headers = signedHeaders((name) => request.headers.get(name), now());
    if (headers === null) return null;
    const keys = candidates({ book }, request, kind)
      .flatMap((source) => source.secrets().map((secret) => ({ source, key: signingKey(secret) })))
      .flatMap(({ source, key }) => (key === null ? [] : [{ source, key }]))
      .slice(0, MAX_KEYS);
    if (keys.length === 0) return null;
    const check = new SignatureCheck(
      headers,
      keys.map(({ key }) => key),
    );
    const digest = new Bun.CryptoHasher("sha256");
    const text = await room.reading((take) =>
      readText(request, MAX_FRAME_BYTES, (bytes) => {
        take(bytes.length);
        check.update(bytes);
        digest.update(bytes);
      }),
    );
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

/** Bounds what is read at one time. */
class ReadingRoom {
  private taken = 0;

  constructor(private readonly most: number) {}

  /** `take` throws `rate_limit_exceeded` where it is full. */
  async reading<T>(work: (take: (bytes: number) => void) => Promise<T>): Promise<T> {
    let own = 0;
    const take = (bytes: number) => {
      if (this.taken + bytes > this.most) throw full();
      own += bytes;
      this.taken += bytes;
    };
    try {
      return await work(take);
    } finally {
      this.taken -= own;
    }
  }
}

const full = (): GuardError =>
  new GuardError("rate_limit_exceeded", "Too many long frames are being read. Try again in a second.", {
    headers: { "retry-after": "1" },
  });
