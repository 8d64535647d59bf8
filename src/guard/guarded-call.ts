import { CallContext } from "#guard/call-context";
import { CallGate } from "#guard/call-gate";
import { CallRecord } from "#guard/call-record";
import type { GuardNeeds } from "#guard/guard-needs";
import type { Principal } from "#model/principal";

/**
 * One passage through the guard. The gate decides and notes in the record what it found; the record is built from the
 * context. Nothing goes the other way.
 */
export type GuardedCall = {
  readonly context: CallContext;
  readonly record: CallRecord;
  readonly gate: CallGate;
};

export const beginCall = (needs: GuardNeeds, caller: Principal, kind: string, id: string): GuardedCall => {
  const context = new CallContext(needs, caller, kind, id);
  const record = new CallRecord(needs, context);
  return { context, record, gate: new CallGate(needs, context, record) };
};
