import type { ResourceWatch, ToolNews } from "#features/tools/dialect/port";
import { type PolicyResolver, subjectOf } from "#guard/enforcement/policy-resolver";
import type { ToolRegistryCache } from "#guard/tools/registry-cache";
import type { ResourceWatches } from "#guard/tools/resource-watches";
import type { ToolViews } from "#guard/tools/view";
import type { TokenPrincipal } from "#model/principal";
import type { ToolServer } from "#model/tools/tool";
import type { CancelSignal } from "#platform/cancellation";

type PermittedWatchNeeds = {
  readonly resourceWatches: ResourceWatches;
  readonly toolRegistry: Pick<ToolRegistryCache, "onChange">;
  readonly views: ToolViews;
  readonly policyResolver: Pick<PolicyResolver, "stopOf">;
};

/** What is watched: the server, its own URI, and the public one. */
type Watched = { readonly server: ToolServer; readonly own: string; readonly uri: string };

/** A resource that a caller watches, for as long as they may read it: decided anew at each change and each look. */
export class PermittedWatch implements ResourceWatch {
  readonly uri: string;
  private stops: readonly (() => void)[] = [];
  private isOver = false;

  private constructor(
    private readonly deps: PermittedWatchNeeds,
    private caller: TokenPrincipal,
    private readonly watched: Watched,
    private readonly news: ToolNews,
  ) {
    this.uri = watched.uri;
  }

  /** Resolves when the server tells of changes. Throws `ToolFailure`. */
  static async begin(
    deps: PermittedWatchNeeds,
    caller: TokenPrincipal,
    watched: Watched,
    signal: CancelSignal,
    news: ToolNews,
  ): Promise<PermittedWatch> {
    const made = new PermittedWatch(deps, caller, watched, news);
    const listener = { onUpdated: () => made.updated(), onEnded: made.end };
    const stop = await deps.resourceWatches.begin(watched.server, watched.own, listener, signal);
    made.stops = [stop, deps.toolRegistry.onChange(() => made.look())];
    // It ended while it began.
    if (made.isOver) for (const each of made.stops) each();
    return made;
  }

  readonly lookAs = (now: TokenPrincipal): void => {
    this.caller = now;
    this.look();
  };

  readonly end = (): void => {
    if (this.isOver) return;
    this.isOver = true;
    for (const stop of this.stops) stop();
    this.news.onEnded();
  };

  private updated(): void {
    this.look();
    if (!this.isOver) this.news.onUpdated();
  }

  private look(): void {
    if (this.isOver || this.isPermitted()) return;
    // Its client reads again and learns why.
    this.news.onUpdated();
    this.end();
  }

  /** As a read would be decided now, with the server as it is now. */
  private isPermitted(): boolean {
    const { views, policyResolver } = this.deps;
    const { caller, watched } = this;
    const { id } = watched.server;
    const server = views.serversOf(caller).find((one) => one.id === id);
    if (!server || policyResolver.stopOf({ ...subjectOf(caller), model: null, server_id: id }) !== null) return false;
    return views.resourceScope(caller, server)(watched.own) === null;
  }
}
