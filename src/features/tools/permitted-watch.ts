import { GuardError } from "#core/errors";
import type { ResourceWatch, ToolNews } from "#features/tools/dialect/port";
import { type PolicyResolver, subjectOf } from "#guard/enforcement/policy-resolver";
import type { ToolRegistryCache } from "#guard/tools/registry-cache";
import type { ResourceWatches } from "#guard/tools/resource-watches";
import type { ToolViews } from "#guard/tools/view";
import type { TokenPrincipal } from "#model/principal";
import type { ToolServer } from "#model/tools/tool";
import type { CancelSignal } from "#platform/cancellation";
import { ToolFailure } from "#upstream/tool-port";
import type { Subscriptions } from "./dialect/subscriptions";
import type { Look, Looks } from "./looks";

type PermittedWatchNeeds = {
  readonly resourceWatches: ResourceWatches;
  readonly toolRegistry: Pick<ToolRegistryCache, "onChange">;
  readonly views: ToolViews;
  readonly policyResolver: Pick<PolicyResolver, "stopOf">;
  readonly looks: Looks;
  /** Of all callers; those that begin, too. */
  readonly open: Subscriptions;
};

/** Resources that one token may watch, over all of its sessions and streams. */
export const MAX_WATCHED_OF_TOKEN = 128;

/** What is watched: the server, its own URI, and the public one. */
type Watched = { readonly server: ToolServer; readonly own: string; readonly uri: string };

/** A resource that a caller watches, for as long as they may read it: decided anew at each change and each look. */
export class PermittedWatch implements ResourceWatch {
  readonly uri: string;
  private stops: readonly (() => void)[] = [];
  private isOver = false;
  private readonly tokenId: string;
  private readonly look: Look;

  private constructor(
    private readonly deps: PermittedWatchNeeds,
    caller: TokenPrincipal,
    private readonly watched: Watched,
    private readonly news: ToolNews,
  ) {
    this.uri = watched.uri;
    this.tokenId = caller.token.id;
    this.look = deps.looks.begin(caller, () => this.decide());
  }

  /** Resolves when the server tells of changes. Throws `ToolFailure`, and `rate_limit_exceeded`. */
  static async begin(
    deps: PermittedWatchNeeds,
    caller: TokenPrincipal,
    watched: Watched,
    signal: CancelSignal,
    news: ToolNews,
  ): Promise<PermittedWatch> {
    const made = new PermittedWatch(deps, caller, watched, news);
    if (!deps.open.add(made.tokenId, made.end)) {
      throw new GuardError(
        "rate_limit_exceeded",
        `A token watches at most ${MAX_WATCHED_OF_TOKEN} resources. Unsubscribe from another one.`,
      );
    }
    const { server, own } = watched;
    const listener = { onUpdated: () => made.updated(), onEnded: made.end };
    try {
      made.stops = [
        await deps.resourceWatches.begin(server, own, listener, signal),
        deps.toolRegistry.onChange(made.look.ask),
      ];
    } catch (error) {
      made.end();
      throw error;
    }
    if (!made.isOver) return made;
    for (const stop of made.stops) stop();
    throw new ToolFailure("unreachable", `${server.slug} does not tell of changes.`, false);
  }

  get isEnded(): boolean {
    return this.isOver;
  }

  readonly lookAs = (now: TokenPrincipal): void => this.look.lookAs(now);

  readonly end = (): void => {
    if (this.isOver) return;
    this.isOver = true;
    this.deps.open.remove(this.tokenId, this.end);
    this.look.end();
    for (const stop of this.stops) stop();
    this.news.onEnded();
  };

  private updated(): void {
    this.decide();
    if (!this.isOver) this.news.onUpdated();
  }

  private decide(): void {
    if (this.isOver || this.isPermitted()) return;
    // Its client reads again and learns why.
    this.news.onUpdated();
    this.end();
  }

  /** As a read would be decided now, with the server as it is now. */
  private isPermitted(): boolean {
    const { views, policyResolver } = this.deps;
    const { watched } = this;
    const { caller } = this.look;
    const { id } = watched.server;
    const server = views.serversOf(caller).find((one) => one.id === id);
    if (!server || policyResolver.stopOf({ ...subjectOf(caller), model: null, server_id: id }) !== null) return false;
    return views.resourceScope(caller, server)(watched.own) === null;
  }
}
