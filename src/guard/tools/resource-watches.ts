import type { ToolConnections } from "#guard/tools/connections";
import type { ToolServer } from "#model/tools/tool";

/** Longest silence of a subscription's answer, milliseconds. */
const ANSWER_MS = 10_000;

type Watched = { readonly server: ToolServer; readonly uri: string; readonly listeners: Set<() => void> };

/**
 * Resources whose changes somebody waits for. A server is subscribed to once for all who do; what its session has forgotten
 * since is subscribed to again by `renew`.
 */
export class ResourceWatches {
  private readonly watched = new Map<string, Watched>();

  constructor(private readonly connections: ToolConnections) {}

  /** Returns how to stop. */
  watch(server: ToolServer, uri: string, onUpdated: () => void): () => void {
    const key = keyOf(server.id, uri);
    const one = this.watched.get(key) ?? { server, uri, listeners: new Set() };
    this.watched.set(key, one);
    if (one.listeners.size === 0) this.ask("resources/subscribe", one);
    one.listeners.add(onUpdated);
    return () => {
      if (!one.listeners.delete(onUpdated) || one.listeners.size > 0 || this.watched.get(key) !== one) return;
      this.watched.delete(key);
      this.ask("resources/unsubscribe", one);
    };
  }

  /** A server says that a resource of its has changed. */
  updated(serverId: string, uri: string): void {
    for (const listener of this.watched.get(keyOf(serverId, uri))?.listeners ?? []) listener();
  }

  renew(): void {
    for (const one of this.watched.values()) {
      this.connections.touch(one.server);
      this.ask("resources/subscribe", one);
    }
  }

  private ask(method: "resources/subscribe" | "resources/unsubscribe", { server, uri }: Watched): void {
    const signal = AbortSignal.timeout(ANSWER_MS);
    const rest = { meta: {}, clientCapabilities: null, silenceMs: ANSWER_MS, signal, onProgress: null };
    // A server that does not take it, or cannot be reached now, tells of nothing until it is asked again.
    this.connections.ask(server, { method, params: { uri }, ...rest }).catch(() => undefined);
  }
}

const keyOf = (serverId: string, uri: string): string => `${serverId} ${uri}`;
