import type { AuditRecord } from "#model/audit";
import { isTraffic } from "#model/call-entry";
import { nanoOf, usdOf } from "#model/money";
import type { CallTotals } from "./schema";

/** What calls come to. Money is added in nano-dollars. */
export class CallSums {
  private readonly tokens = { prompt: 0, completion: 0, cached: 0 };
  private calls = 0;
  private nano = 0;
  private estimated = 0;
  private unpriced = 0;

  add(record: AuditRecord): void {
    const { call } = record;
    if (!call || !isTraffic(record)) return;
    const { usage, cost_usd, cost_basis } = call;
    this.calls += 1;
    this.nano += nanoOf(cost_usd ?? 0);
    if (cost_basis === "estimate") this.estimated += 1;
    if (cost_basis === "unpriced") this.unpriced += 1;
    if (usage === null) return;
    this.tokens.prompt += usage.prompt_tokens;
    this.tokens.completion += usage.completion_tokens;
    this.tokens.cached += usage.cached_tokens ?? 0;
  }

  shown(isComplete: boolean): CallTotals {
    return {
      object: "call_totals",
      calls: this.calls,
      tokens: { ...this.tokens },
      cost_usd: usdOf(this.nano),
      estimated_calls: this.estimated,
      unpriced_calls: this.unpriced,
      is_complete: isComplete,
    };
  }
}
