import type { CallContext } from "#guard/call-context";
import type { ScanCoverage } from "#guard/call-coverage";
import type { CostBasis, Outcome } from "#model/audit";
import { isModelCall, type Usage } from "#model/model-api";
import { costOf, type PriceOf, tokenPartsOf } from "#model/price";

/** What a call has cost, in nano-dollars; null where nobody knows. */
export type CallCost = { readonly nano: number | null; readonly basis: CostBasis };

type End = { readonly outcome: Outcome; readonly code: string | null };

/** Ends that say the provider answered nothing that it charges for. */
const NOT_SERVED: ReadonlySet<string> = new Set([
  "upstream_error",
  "upstream_rejected",
  "upstream_auth_failed",
  "upstream_rate_limited",
  "model_not_found",
]);

/** About as many characters make a token of English; other languages make more tokens of fewer. */
const CHARS_A_TOKEN = 4;

type Coverage = Pick<ScanCoverage, "input" | "output">;

/** Null where no provider did anything: for a call of a tool, and for one that was refused before. */
export const callCost = (context: CallContext, coverage: Coverage, end: End, priceOf: PriceOf): CallCost | null => {
  const { kind, attempts, usage, isAnswering, provider } = context;
  if (attempts === 0 || provider === null || !isModelCall(kind)) return null;
  if (usage === null && !isAnswering && end.code !== null && NOT_SERVED.has(end.code)) return null;
  // Questions about what a provider keeps cost nothing, whatever model it is of.
  if (usage !== null && usage.total_tokens === 0) return FREE;
  const model = context.upstreamModel ?? context.model;
  const price = model === null ? null : priceOf(provider, model);
  if (price === null) return UNPRICED;
  const isCounted = usage !== null && isWhole(context, end);
  const used = isCounted ? usage : estimated(usage, coverage);
  return { nano: costOf(tokenPartsOf(used), price), basis: isCounted ? "usage" : "estimate" };
};

const FREE: CallCost = { nano: 0, basis: "usage" };
const UNPRICED: CallCost = { nano: null, basis: "unpriced" };

/** Whether the usage is that of the whole answer: some providers say at the begin of a stream what is known by then. */
const isWhole = ({ stream, finishReasons }: CallContext, { outcome }: End): boolean =>
  !stream || outcome === "answered" || finishReasons.length > 0;

/** What was counted, and at least what was read of the answer. */
const estimated = (usage: Usage | null, { input, output }: Coverage): Usage => {
  const prompt = usage?.prompt_tokens ?? Math.ceil(input.chars / CHARS_A_TOKEN);
  const answer = Math.max(usage?.completion_tokens ?? 0, Math.ceil(output.chars / CHARS_A_TOKEN));
  return { ...usage, prompt_tokens: prompt, completion_tokens: answer, total_tokens: prompt + answer };
};
