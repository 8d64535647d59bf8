import type { Auditor } from "#audit/auditor";
import type { Tracing } from "#guard/call-trace";
import type { ContentRetention } from "#guard/content-retention";
import type { EarlierDecisions } from "#guard/earlier-decisions";
import type { PolicyResolver } from "#guard/enforcement/policy-resolver";
import type { LabelsOf } from "#guard/redaction-labels";
import type { Scanner } from "#guard/scanner";
import type { AuditRecord } from "#model/audit";
import type { PriceOf } from "#model/price";
import type { Principal } from "#model/principal";
import type { Clock } from "#platform/clock";
import type { Ids } from "#platform/ids";
import type { Log } from "#platform/log";

/** What every guarded call works with. */
export type GuardNeeds = {
  readonly scanner: Scanner;
  readonly auditor: Auditor;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly policyResolver: PolicyResolver;
  readonly content: ContentRetention;
  readonly labelsOf: LabelsOf;
  readonly earlierDecisions: EarlierDecisions;
  /** What a model costs at a provider; null for a model without a price. */
  readonly priceOf: PriceOf;
  /** The public name of a tool of the user's gateway that a model's answer means; null for another tool. */
  readonly gatewayToolOf?: (userId: string, asked: string) => string | null;
  /** Reports a user may still send this hour; null while nobody knows. */
  readonly reportsLeft?: (userId: string) => number | null;
  /**
   * Whether the credential they used then is still valid: what is taken away ends calls under
   * way, what only runs out does not.
   */
  readonly isStillAuthorized?: (principal: Principal, since: number) => boolean;
  /** Gives calls their place in a trace; null or absent where nobody is told of them. */
  readonly tracing?: Tracing | null;
  /** Told of every final record, once it is on its way to disk. */
  readonly onEnded?: (record: AuditRecord) => void;
};
