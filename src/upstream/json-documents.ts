import { parseJson } from "#core/json/json";
import { connectionFault } from "./connection-fault";
import { type GuardedFetch, NotConnected } from "./guarded-fetch";
import type { DocumentAnswer, DocumentFetch, NoDocument } from "./outbound-port";

/* Documents at addresses that others gave: no redirects, and an end in time and size whatever the other side does. */

type Options = {
  readonly fetch: GuardedFetch;
  readonly version: string;
  /** Longest wait for the whole document, milliseconds. */
  readonly timeoutMs: number;
  readonly maxBytes: number;
  /** Media types that are read. */
  readonly types?: RegExp;
};

const JSON_TYPE = /^application\/(?:json|[a-z0-9.!#$&^_-]+\+json)\s*(?:;|$)/i;

/** Never throws. */
export const jsonDocuments = ({ fetch, version, timeoutMs, maxBytes, types = JSON_TYPE }: Options): DocumentFetch => {
  // Said of bytes as they come, so nothing small may unpack to something large.
  const headers = { accept: "application/json", "accept-encoding": "identity", "user-agent": `guardhouse/${version}` };
  return async (url) => {
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      const answer = await fetch(url, { headers, signal: timeout });
      const why = refusalOf(answer, types, maxBytes);
      if (why === null) return await documentIn(answer, maxBytes);
      await answer.body?.cancel();
      return none(why);
    } catch (error) {
      return none(timeout.aborted ? "timeout" : wordFor(error));
    }
  };
};

export const none = (why: NoDocument): DocumentAnswer => ({ kind: "none", why });

const refusalOf = ({ status, headers }: Response, types: RegExp, maxBytes: number): NoDocument | null => {
  if (status >= 300 && status < 400) return "redirect";
  if (status !== 200) return "status";
  if (!types.test(headers.get("content-type") ?? "") || headers.has("content-encoding")) return "type";
  return Number(headers.get("content-length") ?? 0) > maxBytes ? "too_large" : null;
};

const documentIn = async ({ body }: Response, maxBytes: number): Promise<DocumentAnswer> => {
  const pieces: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop early ends the connection.
  for await (const piece of body ?? []) {
    size += piece.length;
    if (size > maxBytes) return none("too_large");
    pieces.push(piece);
  }
  const document = parseJson(Buffer.concat(pieces).toString("utf8"));
  return document === undefined ? none("not_json") : { kind: "document", document };
};

const wordFor = (error: unknown): NoDocument => (error instanceof NotConnected ? error.reason : connectionFault(error));
