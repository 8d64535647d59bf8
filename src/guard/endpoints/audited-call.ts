import { Reply } from "#guard/endpoints/idempotency";
import type { GuardNeeds } from "#guard/guard-needs";
import { beginCall, type GuardedCall } from "#guard/guarded-call";
import type { Principal } from "#model/principal";

type Asked = { readonly caller: Principal; readonly kind: string; readonly id: string };

/**
 * One call that goes to no model and no tool, audited. Everything thrown is a `GuardError`; the record is on disk before
 * this returns.
 */
export const auditedCall = async <T>(
  guard: GuardNeeds,
  { caller, kind, id }: Asked,
  work: (call: GuardedCall) => Promise<T>,
): Promise<T> => {
  guard.auditor.assertAcceptingWork();
  const call = beginCall(guard, caller, kind, id);
  try {
    const result = await work(call);
    const status = result instanceof Reply ? result.status : 200;
    await call.record.finish(status < 400 ? "answered" : "refused", status);
    return result;
  } catch (error) {
    throw await call.record.fail(error);
  }
};
