/** What is left of one limit. */
export type Left = { readonly limit: number; readonly remaining: number; readonly resetMs: number };

/** The names OpenAI's clients read. */
export const rateHeaders = (
  of: "requests" | "tokens",
  { limit, remaining, resetMs }: Left,
): Readonly<Record<string, string>> => ({
  [`x-ratelimit-limit-${of}`]: String(limit),
  [`x-ratelimit-remaining-${of}`]: String(Math.max(0, Math.floor(remaining))),
  [`x-ratelimit-reset-${of}`]: durationText(resetMs),
});

/** As OpenAI writes it, which is as Go does: `12ms`, `1s`, `6m0s`, `1h0m0s`. Rounded up. */
export const durationText = (ms: number): string => {
  if (ms < 1_000) return `${Math.ceil(ms)}ms`;
  const all = Math.ceil(ms / 1_000);
  const [hours, minutes, seconds] = [Math.floor(all / 3_600), Math.floor(all / 60) % 60, all % 60];
  if (hours > 0) return `${hours}h${minutes}m${seconds}s`;
  return minutes > 0 ? `${minutes}m${seconds}s` : `${seconds}s`;
};
