import { guardedFetch } from "./guarded-fetch";
import { jsonDocuments } from "./json-documents";
import type { DocumentFetch } from "./outbound-port";
import { plainFetch } from "./plain-fetch";

/** A page of a hundred entries of the official registry has about 300 KB. Read at once, so it must stay small. */
export const MAX_REGISTRY_BYTES = 1_048_576;
const TIMEOUT_MS = 15_000;
/** Hosts of files call JSON plain text. */
const TYPES = /^(?:application\/(?:json|[a-z0-9.!#$&^_-]+\+json)|text\/plain)\s*(?:;|$)/i;

type Options = {
  /** `tool_gateway.allow_private`. */
  readonly allowPrivate: readonly string[];
  readonly version: string;
};

/** Pages of registries whose address was given through `/api`: public addresses only. */
export const registryDocuments = ({ allowPrivate, version }: Options): DocumentFetch => {
  const setting = "tool_gateway.allow_private";
  const fetch = guardedFetch({ allowPrivate, setting, http: "anywhere", connectMs: TIMEOUT_MS });
  return jsonDocuments({ fetch, version, timeoutMs: TIMEOUT_MS, maxBytes: MAX_REGISTRY_BYTES, types: TYPES });
};

/** The same for an address that an operator gave on the command line, which may be anywhere. */
export const operatorRegistryDocuments = ({ version }: Pick<Options, "version">): DocumentFetch =>
  jsonDocuments({
    fetch: (url, init) => plainFetch(url, { ...init, redirect: "manual" }),
    version,
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_REGISTRY_BYTES,
    types: TYPES,
  });
