import type { Directory } from "#engine/directory";
import type { Dispatcher } from "#engine/dispatcher";
import { type Clock, hasPassed } from "#platform/clock";
import type { ChangeFeed, DirectoryChanges, ProviderRow, ToolRegistry } from "#store/port";
import type { Provider } from "#upstream/port";

/** A process that has said nothing for half a minute counts as dead, and nobody waits for it. Milliseconds. */
const SIGN_OF_LIFE_MS = 10_000;

type Deps = {
  readonly now: Clock;
  readonly changes: ChangeFeed;
  readonly directory: Directory;
  readonly dispatcher: Dispatcher;
  readonly connect: (row: ProviderRow) => Provider;
  /** Always served, whatever the store says. */
  readonly builtIn: readonly Provider[];
  /** Takes in the tool gateway's registry as of a revision. */
  readonly takeTools: (registry: ToolRegistry, revision: number) => void;
  /** What governs agents, in this order. */
  readonly takers: readonly { take(changes: DirectoryChanges): void }[];
  /** The store was asked and has answered, also where nothing has changed. */
  readonly onHeard: () => void;
  /** Names this process in the change feed. */
  readonly processId: string;
};

/** Takes in what other processes have changed, and says so, so that a command line can wait until it holds here. */
export class Sync {
  private looking: Promise<void> | null = null;
  private next: Promise<void> | null = null;
  private saidAt = Number.NEGATIVE_INFINITY;
  private connected: ReadonlyMap<string, { readonly row: ProviderRow; readonly provider: Provider }> = new Map();

  constructor(private readonly deps: Deps) {}

  /**
   * Cheap when nothing has changed: one row read. Who asks during a look waits for the next one: this one may have
   * come too early for a change that was just made.
   */
  refresh(): Promise<void> {
    if (this.next) return this.next;
    if (!this.looking) return this.begin();
    this.next = this.looking.then(this.begin, this.begin);
    return this.next;
  }

  private readonly begin = (): Promise<void> => {
    this.next = null;
    this.looking = this.look().finally(() => {
      this.looking = null;
    });
    return this.looking;
  };

  private async look(): Promise<void> {
    const { changes, directory } = this.deps;
    if (directory.revision === 0 || (await changes.revision()) !== directory.revision) {
      const since = directory.revision;
      const news = await changes.changesSince(since);
      try {
        this.take(news);
      } catch (error) {
        // It is asked for again: what was not taken in would never hold here.
        directory.revision = since;
        throw error;
      }
      this.saidAt = Number.NEGATIVE_INFINITY;
    }
    this.deps.onHeard();
    await this.acknowledge();
  }

  /** What restricts comes before what may fail: a provider's key that does not open. */
  private take(news: DirectoryChanges): void {
    this.deps.directory.take(news);
    for (const taker of this.deps.takers) taker.take(news);
    if (news.tools) this.deps.takeTools(news.tools, news.revision);
    if (news.providers) this.route(news.providers);
  }

  private async acknowledge(): Promise<void> {
    const now = this.deps.now();
    if (!hasPassed(SIGN_OF_LIFE_MS, this.saidAt, now)) return;
    const isSaid = await this.deps.changes.acknowledge(this.deps.processId, this.deps.directory.revision);
    if (isSaid) this.saidAt = now;
  }

  /** Leaves the feed: nobody waits for this process any more. */
  leave(): Promise<void> {
    return this.deps.changes.forget(this.deps.processId);
  }

  private route(rows: readonly ProviderRow[]): void {
    const { dispatcher, connect, builtIn } = this.deps;
    // Only those that changed are connected anew: that opens a sealed key.
    const connected = rows.map((row) => {
      const before = this.connected.get(row.id);
      return before && Bun.deepEquals(before.row, row) ? before : { row, provider: connect(row) };
    });
    this.connected = new Map(connected.map((one) => [one.row.id, one]));
    dispatcher.replace([...connected.map(({ provider }) => provider), ...builtIn]);
  }
}
