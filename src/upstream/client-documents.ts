import { parseJson } from "#core/json/json";
import { connectionFault } from "./connection-fault";
import { guardedFetch, NotConnected, type Resolve } from "./guarded-fetch";
import type { DocumentAnswer, DocumentFetch, NoDocument } from "./outbound-port";

/*
 * The address comes from the author of a link (SSRF): https to public addresses only, one look-up, no redirects, and
 * an end in time and size whatever the other side does.
 */

type Options = {
  /** `oauth.allow_private`. */
  readonly allowPrivate: readonly string[];
  readonly version: string;
  /** The system's resolver, if not given. */
  readonly resolve?: Resolve;
  /** Longest wait for the whole document, milliseconds. */
  readonly timeoutMs?: number;
};

/** A person waits for the page. */
const TIMEOUT_MS = 5_000;
/** As much as a registration may have; those that are published have less than one KiB. */
const MAX_BYTES = 16_384;
const JSON_TYPE = /^application\/(?:json|[a-z0-9.!#$&^_-]+\+json)\s*(?:;|$)/i;

export const clientDocuments = ({ allowPrivate, version, resolve, timeoutMs = TIMEOUT_MS }: Options): DocumentFetch => {
  const fetch = guardedFetch({
    allowPrivate,
    setting: "oauth.allow_private",
    http: "allowed networks",
    connectMs: timeoutMs,
    ...(resolve && { resolve }),
  });
  // Said of bytes as they come, so nothing small may unpack to something large.
  const headers = { accept: "application/json", "accept-encoding": "identity", "user-agent": `guardhouse/${version}` };
  return async (url) => {
    if (!url.startsWith("https://")) return none("forbidden_address");
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      const answer = await fetch(url, { headers, signal: timeout });
      const why = refusalOf(answer);
      if (why === null) return await documentIn(answer);
      await answer.body?.cancel();
      return none(why);
    } catch (error) {
      return none(timeout.aborted ? "timeout" : wordFor(error));
    }
  };
};

const none = (why: NoDocument): DocumentAnswer => ({ kind: "none", why });

const refusalOf = ({ status, headers }: Response): NoDocument | null => {
  if (status >= 300 && status < 400) return "redirect";
  if (status !== 200) return "status";
  if (!JSON_TYPE.test(headers.get("content-type") ?? "") || headers.has("content-encoding")) return "type";
  return Number(headers.get("content-length") ?? 0) > MAX_BYTES ? "too_large" : null;
};

const documentIn = async ({ body }: Response): Promise<DocumentAnswer> => {
  const pieces: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop early ends the connection.
  for await (const piece of body ?? []) {
    size += piece.length;
    if (size > MAX_BYTES) return none("too_large");
    pieces.push(piece);
  }
  const document = parseJson(Buffer.concat(pieces).toString("utf8"));
  return document === undefined ? none("not_json") : { kind: "document", document };
};

const wordFor = (error: unknown): NoDocument => (error instanceof NotConnected ? error.reason : connectionFault(error));
