/** What the response headers say about the call. */
export type GuardNote = {
  readonly action: string;
  readonly eventId: string | null;
  readonly overheadMs: number;
  /** What is left of an agent's limits: `x-ratelimit-…`. */
  readonly limits: Readonly<Record<string, string>>;
  /** That most of a budget is spent: `x-guard-budget-warning`. */
  readonly budgets: Readonly<Record<string, string>>;
};

export type CallResult =
  | { readonly kind: "whole"; readonly status: number; readonly text: string; readonly note: GuardNote }
  | { readonly kind: "stream"; readonly body: ReadableStream<Uint8Array>; readonly note: GuardNote };
