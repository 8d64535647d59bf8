import type { Caller } from "#core/caller";
import { GuardError } from "#core/errors";
import { REPORT_WINDOW_MS, REPORTS_AN_HOUR } from "#core/report";
import { jsonReply, type Reply } from "#engine/idempotency";
import type { ReportsLeft } from "#engine/report-quota";
import { errorResponse } from "#http/errors";
import type { Ids } from "#platform/ids";

type Deps = {
  readonly ids: Ids;
  /** Null while nobody knows. */
  readonly reportsLeft: (userId: string) => ReportsLeft | null;
};

const POLICY = `"reports";q=${REPORTS_AN_HOUR};w=${REPORT_WINDOW_MS / 1_000}`;

/** What every answer below `/v1/guard` is like: with its request id, and how many reports its caller has left. */
export class GuardAnswers {
  constructor(private readonly deps: Deps) {}

  /** `work` gets the call's id, and throws `GuardError`s for what callers are to see. */
  json(caller: Caller, work: (id: string) => Promise<unknown>): Promise<Response> {
    return this.reply(caller, async (id) => jsonReply(200, await work(id)));
  }

  async reply(caller: Pick<Caller, "user">, work: (id: string) => Promise<Reply>): Promise<Response> {
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
  private limits({ user }: Pick<Caller, "user">): Readonly<Record<string, string>> {
    const left = this.deps.reportsLeft(user.id);
    if (!left) return { "ratelimit-policy": POLICY };
    return {
      "ratelimit-policy": POLICY,
      ratelimit: `"reports";r=${left.remaining};t=${Math.ceil(left.resetMs / 1_000)}`,
    };
  }
}
