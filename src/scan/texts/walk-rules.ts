import type { JsonRecord } from "#core/json/json";
import type { Origin } from "#scan/detector";
import { TOOL_INPUT_KEYS } from "#scan/texts/field-names";

/** Keys, each with the values of `type` beside it that make it one; null for whatever stands beside it. */
export type KeyRule = ReadonlyMap<string, ReadonlySet<unknown> | null>;

/** What is needed of a walk by who looks at a value in a way of its own. */
export type Looking = {
  readonly gaps: { push(gap: { readonly param: string; readonly reason: "too_deep" }): unknown };
  each(length: number, step: (at: number) => void, cost?: number): void;
  joined(param: string, origin: Origin, text: string, replace: (text: string) => void): void;
};

/** What an API says of its keys, wherever they stand. */
export type WalkRules = {
  /** Strings that hold JSON: what is in them is scanned as it is unescaped. */
  readonly json: KeyRule;
  /** Encoded state of a provider: never scanned, never changed, recorded as not scanned. */
  readonly opaque?: KeyRule;
  /** What stands below is scanned, but never redacted: only flagged or blocked. */
  readonly fixed?: KeyRule;
  /** Strings that hold a file in base64, beside those that do so in all APIs. */
  readonly files?: KeyRule;
  /** Addresses of pictures and files that a provider fetches by itself. */
  readonly remote?: KeyRule;
  /** Names that may be shown in a path beside those that all APIs have. */
  readonly names?: ReadonlySet<string>;
  /** Places where a provider speaks of itself, as paths of its answer. */
  readonly envelope: RegExp;
  /** Places where an answer says its request again. */
  readonly repeated?: RegExp;
  /** Looks at a value in a way of its own, or passes over it; true when it did. */
  readonly looks?: (walk: Looking, holder: JsonRecord | unknown[], key: string | number, param: string) => boolean;
};

export const COMMON_RULES: WalkRules = {
  json: new Map([...TOOL_INPUT_KEYS].map((key) => [key, null])),
  envelope: /^(?:id|object|created|model|usage|system_fingerprint|service_tier)(?:$|[.[])/,
};

export const appliesTo = (rule: KeyRule, key: string | number, holder: JsonRecord | unknown[]): boolean => {
  if (typeof key !== "string" || Array.isArray(holder)) return false;
  const types = rule.get(key);
  return types === null || types?.has(holder["type"]) === true;
};
