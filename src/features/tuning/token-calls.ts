import { GuardError } from "#core/errors";
import { auditedCall } from "#guard/endpoints/audited-call";
import type { Idempotency, Reply } from "#guard/endpoints/idempotency";
import type { GuardNeeds } from "#guard/guard-needs";
import type { TokenPrincipal } from "#model/principal";
import type { TuningRequester } from "./service";

type TokenCallsNeeds = { readonly guard: GuardNeeds; readonly replies: Idempotency };

/** A call as its endpoint has read it. */
type TokenCall = { readonly caller: TokenPrincipal; readonly id: string };
type TokenChange<Body> = TokenCall & {
  readonly key: string | null;
  readonly read: () => Body;
  /** What is changed, and which: the same `Idempotency-Key` for something else is another key. */
  readonly what: string;
};

type TokenHolder = Extract<TuningRequester, { kind: "token" }>;

const KIND = "guard.tuning";

/** Tuning by gateway token: every method is audited as a call and throws only `GuardError`s. */
export class TokenCalls {
  constructor(private readonly needs: TokenCallsNeeds) {}

  reading<T>({ caller, id }: TokenCall, work: (who: TokenHolder) => Promise<T>): Promise<T> {
    return auditedCall(this.needs.guard, { caller, kind: KIND, id }, () => work(holderOf(caller)));
  }

  /** An agent's token changes nothing: no agent loosens what governs it. */
  changing<Body>(
    { caller, id, key, read, what }: TokenChange<Body>,
    work: (who: TokenHolder, body: Body) => Promise<Reply>,
  ): Promise<Reply> {
    return auditedCall(this.needs.guard, { caller, kind: KIND, id }, async ({ gate }) => {
      gate.assertNotStopped();
      if (caller.agent) {
        throw new GuardError(
          "insufficient_scope",
          "An agent's token cannot change its own policy. Use a user's token.",
        );
      }
      const body = read();
      const scope = `${caller.user.id} - ${KIND} ${what}`;
      return this.needs.replies.once({ scope, key, body }, () => work(holderOf(caller), body));
    });
  }
}

const holderOf = ({ user, agent, token }: TokenPrincipal): TokenHolder => ({
  kind: "token",
  user,
  agent,
  by: { via: "token", user_id: user.id, agent_id: agent?.id ?? null, token_id: token.id },
});
