import { CallContext } from "#guard/call-context";
import { CallGate } from "#guard/call-gate";
import { CallRecord } from "#guard/call-record";
import { type CallerTrace, UNTRACED } from "#guard/call-trace";
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

/** `callerTrace` is asked where calls are traced. */
export const beginCall = (
  needs: GuardNeeds,
  { caller, kind, id }: { readonly caller: Principal; readonly kind: string; readonly id: string },
  callerTrace: () => CallerTrace = () => UNTRACED,
): GuardedCall => {
  const context = new CallContext(needs, caller, kind, id);
  context.trace = needs.tracing?.begin(callerTrace(), context.startedAt) ?? null;
  const record = new CallRecord(needs, context);
  return { context, record, gate: new CallGate(needs, context, record) };
};
