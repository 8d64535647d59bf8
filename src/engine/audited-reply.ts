import type { Asker } from "#core/caller";
import { type GuardDeps, GuardedCall } from "#engine/guarded-call";
import type { Reply } from "#engine/idempotency";

type Asked = { readonly caller: Asker; readonly kind: string; readonly id: string };

/**
 * One call of a guard utility, audited. Everything thrown is a `GuardError`; the record is on disk before this returns.
 */
export const auditedReply = async (
  guard: GuardDeps,
  { caller, kind, id }: Asked,
  work: (call: GuardedCall) => Promise<Reply>,
): Promise<Reply> => {
  guard.auditor.admit();
  const call = new GuardedCall(guard, caller, kind, id);
  try {
    const reply = await work(call);
    await call.finish(reply.status < 400 ? "answered" : "refused", reply.status);
    return reply;
  } catch (error) {
    throw await call.fail(error);
  }
};
