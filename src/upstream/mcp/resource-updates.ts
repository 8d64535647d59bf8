import { isRecord, type JsonRecord } from "#core/json/json";
import type { RpcNotificationMethod } from "#model/tools/mcp";
import type { ResourceUpdatedNotificationParams, Unchecked } from "#model/tools/mcp-types";
import type { CancelSignal } from "#platform/cancellation";
import { ToolFailure, type UpstreamToolAnswer, type UpstreamWatch } from "#upstream/tool-port";

export const UPDATED: RpcNotificationMethod = "notifications/resources/updated";
export const ACKNOWLEDGED = "notifications/subscriptions/acknowledged";

/** Whether a server says that it tells of changes of single resources. */
export const tellsOfUpdates = ({ resources }: JsonRecord): boolean =>
  isRecord(resources) && resources["subscribe"] === true;

export const assertTellsOfUpdates = (slug: string, capabilities: JsonRecord): void => {
  if (tellsOfUpdates(capabilities)) return;
  throw new ToolFailure("garbage", `${slug} does not tell of changes of single resources.`, false);
};

/** Whether the notification is about the resource, or about a part of it (2025-11-25, resources). */
export const isAbout = (params: Unchecked<ResourceUpdatedNotificationParams> | undefined, uri: string): boolean => {
  const said = params?.uri;
  return typeof said === "string" && (said === uri || said.startsWith(uri.endsWith("/") ? uri : `${uri}/`));
};

/** The filter of `subscriptions/listen` for one resource, and whether a server agreed to it. */
export const filterOf = (uri: string): JsonRecord => ({ resourceSubscriptions: [uri] });
export const agreesTo = (params: JsonRecord | undefined, uri: string): boolean => {
  const agreed = params?.["notifications"];
  const uris = isRecord(agreed) ? agreed["resourceSubscriptions"] : undefined;
  return Array.isArray(uris) && uris.includes(uri);
};

/** The answer to a subscription, and when the connection is over that it was made on. */
type Subscribed = { readonly answer: UpstreamToolAnswer; readonly over: Promise<unknown> };

/** Who waits for news of which resource, on one connection. */
export class ResourceUpdates {
  private readonly watches = new Set<UpstreamWatch>();

  /** Tells those who wait for it. */
  hear(params: Unchecked<ResourceUpdatedNotificationParams> | undefined): void {
    for (const { uri, onUpdated } of this.watches) if (isAbout(params, uri)) onUpdated();
  }

  /**
   * Of a server of the 2025 era: asks to be told, until the watch's signal aborts or the connection is over. Resolves then.
   * Throws `ToolFailure`.
   */
  async watch(
    slug: string,
    watch: UpstreamWatch,
    ask: (method: "resources/subscribe" | "resources/unsubscribe", params: JsonRecord) => Promise<Subscribed>,
  ): Promise<void> {
    const { uri, signal, onBegun } = watch;
    let isOpen = false;
    this.watches.add(watch);
    try {
      const { answer, over } = await ask("resources/subscribe", { uri });
      isOpen = true;
      const ended = over.then(() => {
        isOpen = false;
      });
      if (answer.kind === "error") {
        const text = `${slug} refused to tell of changes of this resource (JSON-RPC error ${answer.code}).`;
        throw new ToolFailure("garbage", text, false);
      }
      if (!signal.aborted) onBegun();
      await Promise.race([ended, aborted(signal)]);
    } finally {
      this.watches.delete(watch);
      // Others may watch it on this connection, and a server counts no subscriptions. Best effort: what it tells that
      // nobody waits for is dropped.
      const isWatched = this.watches.values().some((other) => other.uri === uri);
      if (isOpen && !isWatched) await ask("resources/unsubscribe", { uri }).catch(() => undefined);
    }
  }
}

export const aborted = (signal: CancelSignal): Promise<void> =>
  new Promise((resolve) => {
    signal.addEventListener("abort", resolve, { once: true });
    if (signal.aborted) resolve();
  });
