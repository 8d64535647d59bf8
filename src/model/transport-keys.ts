import { isRecord } from "#core/json/json";

/**
 * Keys that would let a caller choose the upstream or its key; libraries in front of providers obey them
 * (CVE-2026-84377 and its kin). Refused at the top level and inside `extra_body`.
 */
const TRANSPORT_KEYS: readonly string[] = [
  "api_base",
  "api_key",
  "api_type",
  "api_version",
  "azure_endpoint",
  "base_url",
  "custom_llm_provider",
  "default_headers",
  "extra_headers",
  "extra_query",
  "headers",
  "mock_response",
  "organization",
  "proxies",
  "proxy",
];

/** The JSON path of the first transport key in the body, or null. */
export const transportKeyIn = (body: Readonly<Record<string, unknown>>): string | null => {
  const here = TRANSPORT_KEYS.find((key) => Object.hasOwn(body, key));
  if (here) return here;
  const extra = body["extra_body"];
  if (!isRecord(extra)) return null;
  const inside = TRANSPORT_KEYS.find((key) => Object.hasOwn(extra, key));
  return inside ? `extra_body.${inside}` : null;
};
