import { guardedFetch, type Resolve } from "./guarded-fetch";
import { jsonDocuments, none } from "./json-documents";
import type { DocumentFetch } from "./outbound-port";

/* The address comes from the author of a link (SSRF): https to public addresses only, and one look-up. */

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

export const clientDocuments = ({ allowPrivate, version, resolve, timeoutMs = TIMEOUT_MS }: Options): DocumentFetch => {
  const fetch = guardedFetch({
    allowPrivate,
    setting: "oauth.allow_private",
    http: "allowed networks",
    connectMs: timeoutMs,
    ...(resolve && { resolve }),
  });
  const read = jsonDocuments({ fetch, version, timeoutMs, maxBytes: MAX_BYTES });
  return async (url) => (url.startsWith("https://") ? read(url) : none("forbidden_address"));
};
