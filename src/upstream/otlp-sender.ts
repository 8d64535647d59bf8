import { bytesWithin } from "./answer-limit";
import { connectionFault } from "./connection-fault";
import type { OtlpAnswer, OtlpRequest, OtlpSender } from "./otlp-port";
import { plainFetch } from "./plain-fetch";

/*
 * OTLP over HTTP. The operator's configuration names the collector, and nobody else can: it may be anywhere, in private
 * networks and on this host too. Redirects are not followed.
 */

/** PEM: whom a collector's certificate must be signed by, and what the hub shows of itself. */
export type OtlpTls = { readonly ca?: string; readonly cert?: string; readonly key?: string };

type Options = {
  readonly gzip: boolean;
  readonly timeoutMs: number;
  readonly tls: OtlpTls;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly version: string;
};

/** Answers of collectors say how much was not taken; more than this is not read. Bytes. */
const MAX_ANSWER_BYTES = 65_536;

export const otlpSender = ({ gzip, timeoutMs, tls, now, version }: Options): OtlpSender => {
  const fixed = { "user-agent": `guardhouse/${version}`, ...(gzip && { "content-encoding": "gzip" }) };
  const secured = Object.keys(tls).length > 0 ? { tls: { ...tls } } : null;
  return async ({ url, contentType, headers, body }, ended) => {
    const timeout = AbortSignal.timeout(timeoutMs);
    const signal = AbortSignal.any([timeout, ended]);
    try {
      const packed = gzip ? await packedOf(body) : body;
      const response = await plainFetch(url, {
        method: "POST",
        headers: { ...headers, ...fixed, "content-type": contentType },
        body: packed,
        redirect: "manual",
        signal,
        ...secured,
      });
      return await answerOf(response, now());
    } catch (error) {
      return { ...NOTHING, cause: timeout.aborted ? "timeout" : connectionFault(error) };
    }
  };
};

const NOTHING = { status: null, body: new Uint8Array(), retryAfterMs: null } as const;

/** Exports repeat themselves so much that the fastest level makes them a tenth as long too. */
const GZIP_LEVEL = 1;

/** Off this thread. The library is loaded where it is needed. */
const packedOf = (body: OtlpRequest["body"]): Promise<Uint8Array<ArrayBuffer>> =>
  new Promise((resolve, reject) => {
    process
      .getBuiltinModule("node:zlib")
      .gzip(body, { level: GZIP_LEVEL }, (error, packed) =>
        error === null ? resolve(new Uint8Array(packed)) : reject(error),
      );
  });

const answerOf = async (response: Response, now: number): Promise<OtlpAnswer> => {
  const { status, headers } = response;
  const retryAfterMs = retryAfterOf(headers.get("retry-after"), now);
  // Of a refusal nothing but its status counts. It is read all the same, so that its connection can be used again.
  const body = await bytesWithin(response, MAX_ANSWER_BYTES);
  return { status, cause: null, body: status < 300 ? body : NOTHING.body, retryAfterMs };
};

/** Seconds, or a date (RFC 9110 §10.2.3). */
const retryAfterOf = (header: string | null, now: number): number | null => {
  if (header === null || header.trim() === "") return null;
  const seconds = Number(header);
  const ms = Number.isNaN(seconds) ? Date.parse(header) - now : seconds * 1_000;
  return Number.isFinite(ms) ? Math.max(0, ms) : null;
};
