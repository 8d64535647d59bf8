import type { Bounds } from "#policy/profile/effective";

const NO_LIMITS: Bounds = {
  requests_per_minute: null,
  requests_per_day: null,
  tokens_per_minute: null,
  tokens_per_day: null,
  concurrent: null,
  calls_per_conversation: null,
  tool_calls_per_conversation: null,
};

/** Limits as a profile sets them; those not named are unlimited. */
export const boundsOf = (values: { readonly [K in keyof Bounds]?: number | undefined }): Bounds => {
  const set = Object.entries(values).filter(([, value]) => value !== undefined);
  return { ...NO_LIMITS, ...Object.fromEntries(set.map(([name, value]) => [name, { layer: "profile v1", value }])) };
};
