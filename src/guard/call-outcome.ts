import type { GuardError } from "#core/errors";
import type { Outcome } from "#model/audit";
import type { Denial } from "#policy/profile/permits";

/* How a record says that a call ended: its outcome, who denied it, and how long it took. */

export const outcomeOf = (error: GuardError): Outcome => {
  const guard = error.extra?.["guard"];
  if (error.code === "content_filter") {
    return typeof guard === "object" && guard !== null && "stage" in guard && guard.stage === "output"
      ? "blocked_output"
      : "blocked_input";
  }
  if (error.code === "client_closed") return "client_closed";
  if (error.code === "shutting_down") return "interrupted";
  if (error.code.startsWith("upstream_")) return "upstream_error";
  return error.status >= 500 ? "failed" : "refused";
};

/** The layer and the rule an error names as its reason; null for one that is no decision. */
export const deniedBy = ({ extra }: GuardError): Denial | null => {
  const guard = extra?.["guard"];
  if (typeof guard !== "object" || guard === null || !("layer" in guard) || !("rule" in guard)) return null;
  const { layer, rule } = guard;
  return typeof layer === "string" && typeof rule === "string" ? { layer, rule } : null;
};

/** Providers write what they like here; only protocol words are recorded. */
export const knownReason = (reason: string): string => (/^[a-z_]{1,24}$/.test(reason) ? reason : "other");

/** Microseconds are enough for anybody; more digits only fill the log. */
const round = (ms: number): number => Math.round(ms * 1000) / 1000;

/** What is recorded of a call's time; `out` is what of the guard's went into the answer. */
export const msOf = (
  total: number,
  { guard, upstream, out }: Readonly<Record<"guard" | "upstream" | "out", number>>,
) => ({
  total: round(total),
  guard: round(guard),
  upstream: round(upstream),
  ...(out > 0 && { guard_out: round(out) }),
});
