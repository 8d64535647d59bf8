import { ToolFailure, type UpstreamWatch } from "#upstream/tool-port";
import { discard, endless, isEventStream } from "./http-body.ts";
import type { HttpClient } from "./http-client.ts";
import type { Deadlines } from "./http-deadline.ts";
import { failureOf } from "./http-failure.ts";
import { ACKNOWLEDGED, agreesTo, filterOf, isAbout, UPDATED } from "./resource-updates.ts";
import { type Link, requestHeaders } from "./streamable-http-link.ts";
import { isAnswerTo, MessageStream } from "./streamable-http-messages.ts";

/** No id of a request of ours. */
const WATCH_ID = "watch";
/** The longest delay timers take: a resource may stay as it is for as long as it likes. */
const FOREVER_MS = 2 ** 31 - 1;

/** The stream on which a server of 2026-07-28 tells of changes of one resource. */
export class ResourceStream {
  constructor(
    private readonly http: HttpClient,
    private readonly slug: string,
    private readonly deadlines: Deadlines,
    private readonly link: Link,
  ) {}

  /** As of `ToolUpstream`. */
  async watch(watch: UpstreamWatch): Promise<void> {
    const { link, slug } = this;
    const params = { notifications: filterOf(watch.uri), _meta: link.envelope };
    const body = JSON.stringify({ jsonrpc: "2.0", id: WATCH_ID, method: "subscriptions/listen", params });
    const headers = requestHeaders(link, "subscriptions/listen", null, {});
    const deadline = this.deadlines.begin(FOREVER_MS, watch.signal);
    try {
      const response = await this.http.send({ method: "POST", headers, body, signal: deadline.signal });
      if (response.status !== 200 || !isEventStream(response)) {
        discard(response);
        throw new ToolFailure("garbage", `${slug} refused to tell of changes (status ${response.status}).`, false);
      }
      await this.read(response, watch);
    } catch (error) {
      if (deadline.ending === null) throw failureOf(error, slug, deadline);
    } finally {
      this.deadlines.finish(deadline);
    }
  }

  private async read({ body }: Response, { uri, onBegun, onUpdated }: UpstreamWatch): Promise<void> {
    for await (const message of new MessageStream(endless(this.slug)).messages(body)) {
      // Answered, a subscription is over.
      if (isAnswerTo(message, WATCH_ID)) return;
      if (message.kind !== "notification") continue;
      const { method, params } = message;
      if (method === ACKNOWLEDGED && agreesTo(params, uri)) onBegun();
      else if (method === UPDATED && isAbout(params, uri)) onUpdated();
    }
  }
}
