import { GuardError } from "#core/errors";
import { shapedResponse } from "#http/errors";
import type { HostCheck } from "#http/hosts";
import type { Ids } from "#platform/ids";
import { causeOf, type Log } from "#platform/log";

/** Answers that carry every header already: looking each one up again costs the hot path more than scanning does. */
export class FinalResponses {
  private readonly answers = new WeakSet<Response>();

  add(answer: Response): Response {
    this.answers.add(answer);
    return answer;
  }

  has(answer: Response): boolean {
    return this.answers.has(answer);
  }
}

type HttpEntryNeeds = {
  readonly finalResponses: FinalResponses;
  readonly hosts: HostCheck;
  readonly handle: (request: Request) => Response | Promise<Response>;
  readonly ids: Ids;
  readonly log: Log;
};

/**
 * What every request passes before a route is looked for, and every answer on its way out: the host is ours,
 * the answer has a request id, and nothing thrown gets out unmapped.
 */
export class HttpEntry {
  constructor(private readonly deps: HttpEntryNeeds) {}

  async answer(request: Request): Promise<Response> {
    let response: Response;
    try {
      this.deps.hosts.check(request);
      response = await this.deps.handle(request);
    } catch (error) {
      // Of a host that is none, as "%2f", the whole address cannot be read: such requests end here too.
      const path = URL.parse(request.url)?.pathname ?? "/";
      response = shapedResponse(this.known(error), request, path, this.deps.ids);
    }
    if (this.deps.finalResponses.has(response)) return response;
    const { headers } = response;
    if (!headers.has("x-request-id")) headers.set("x-request-id", this.deps.ids());
    if (!headers.has("cache-control")) headers.set("cache-control", "no-store");
    headers.set("x-content-type-options", "nosniff");
    return response;
  }

  private known(error: unknown): GuardError {
    if (error instanceof GuardError) return error;
    this.deps.log.error("http.unexpected", causeOf(error));
    return new GuardError("internal_error", "Internal error of the hub. Operators find it in the log by x-request-id.");
  }
}
