import type { ProviderCheck } from "#upstream/port";

/* Model providers as `/api/providers` shows them: never a key. */

export type ProviderView = {
  readonly object: "provider";
  /** `guardhouse` for the built-in one. */
  readonly id: string;
  readonly name: string;
  /** Null for the built-in one. */
  readonly base_url: string | null;
  readonly models: readonly string[];
  /** Lower goes first. */
  readonly priority: number;
  readonly has_key: boolean;
  /** `user`: its address is checked at every connection. */
  readonly given_by: "operator" | "user";
  readonly built_in: boolean;
  readonly created_at: string | null;
};

/** `served`: the listed models that the provider's patterns let through. */
export type ProviderCheckView = ProviderCheck & {
  readonly object: "provider_check";
  readonly id: string;
  readonly served: readonly string[];
};
