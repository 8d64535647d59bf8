import { GuardError } from "#core/errors";
import type { Reply } from "#guard/endpoints/idempotency";
import type { ReportsLeft } from "#guard/endpoints/report-quota";
import { errorResponse } from "#http/errors";
import type { Principal } from "#model/principal";
import { REPORT_WINDOW_MS, REPORTS_AN_HOUR } from "#model/report";
import type { Ids } from "#platform/ids";

type GuardAnswersNeeds = {
  readonly ids: Ids;
  /** Null while nobody knows. */
  readonly reportsLeft: (userId: string) => ReportsLeft | null;
};

const POLICY = `"reports";q=${REPORTS_AN_HOUR};w=${REPORT_WINDOW_MS / 1_000}`;

/** What every answer below `/v1/guard` is like: with its request id, and how many reports its caller has left. */
export class GuardAnswers {
  constructor(private readonly deps: GuardAnswersNeeds) {}

  /** `work` gets the call's id, and throws `GuardError`s for what callers are to see. */
  async reply(caller: Pick<Principal, "user">, work: (id: string) => Promise<Reply>): Promise<Response> {
    const id = this.deps.ids();
    try {
      const { status, body, isReplayed } = await work(id);
      return new Response(body, {
        status,
        headers: {
          "content-type": "application/json",
          "x-request-id": id,
          "cache-control": "no-store",
          ...(isReplayed && { "idempotency-replayed": "true" }),
          ...this.limits(caller),
        },
      });
    } catch (error) {
      if (!(error instanceof GuardError)) throw error;
      const { code, message, param, extra, headers } = error;
      const limited = { param, extra, headers: { ...this.limits(caller), ...headers } };
      return errorResponse(new GuardError(code, message, limited), id);
    }
  }

  /** draft-ietf-httpapi-ratelimit-headers-10. */
  private limits({ user }: Pick<Principal, "user">): Readonly<Record<string, string>> {
    const left = this.deps.reportsLeft(user.id);
    if (!left) return { "ratelimit-policy": POLICY };
    return {
      "ratelimit-policy": POLICY,
      ratelimit: `"reports";r=${left.remaining};t=${Math.ceil(left.resetMs / 1_000)}`,
    };
  }
}
