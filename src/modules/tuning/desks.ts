import type { ApprovalDesk } from "#engine/tuning/approval-desk";
import type { RuleDesk } from "#engine/tuning/rule-desk";
import type { TuningDesk } from "#engine/tuning/tuning-desk";
import type { TuningLedger } from "#engine/tuning/tuning-ledger";
import type { SuggestionStore, TuningStore } from "#store/loop-port";

/** What both doors to tuning work with: the callers' and the people's. */
export type Desks = {
  readonly suggestions: Pick<SuggestionStore, "byId" | "page">;
  readonly tuning: Pick<TuningStore, "byId" | "ofSubject" | "page">;
  readonly ledger: TuningLedger;
  readonly approvals: ApprovalDesk;
  readonly desk: TuningDesk;
  readonly rules: RuleDesk;
  /** Keyed, lower-case hexadecimal. */
  readonly hashOf: (text: string) => string;
};
