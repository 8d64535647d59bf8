import type { GuardNeeds } from "#guard/guard-needs";
import { beginCall, type GuardedCall } from "#guard/guarded-call";
import type { PrincipalCache } from "#identity/principal-cache";
import type { Agent } from "#model/agent";
import { noAgent } from "#model/ownership";
import type { Principal, TokenPrincipal } from "#model/principal";
import { Reply } from "./idempotency";

type Asked = { readonly caller: Principal; readonly kind: string; readonly id: string };

/**
 * One call that goes to no model and no tool, audited. Everything thrown is a `GuardError`; the record is on disk before
 * this returns.
 */
export const auditedCall = async <T>(
  guard: GuardNeeds,
  asked: Asked,
  work: (call: GuardedCall) => Promise<T>,
): Promise<T> => {
  guard.auditor.assertAcceptingWork();
  const call = beginCall(guard, asked);
  try {
    const result = await work(call);
    const status = result instanceof Reply ? result.status : 200;
    await call.record.finish(status < 400 ? "answered" : "refused", status);
    return result;
  } catch (error) {
    throw await call.record.fail(error);
  }
};

/**
 * The agent a gateway token may ask about: an agent token its own, a human token any of its user's. Another's answers
 * like one that does not exist. Throws `not_found`.
 */
export const ownAgent = (
  principals: PrincipalCache,
  { agent, user }: Pick<TokenPrincipal, "agent" | "user">,
  id: string,
): Agent => {
  const found = principals.agent(id.toLowerCase());
  const isOwn = agent ? agent.id === found?.id : found?.owner_id === user.id;
  if (found && isOwn) return found;
  throw noAgent("agent_id");
};
