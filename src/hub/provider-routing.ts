import type { Dispatcher } from "#guard/dispatcher";
import type { BreakerReading } from "#model/provider";
import type { FeedChanges, ProviderRow } from "#store/port";
import type { Provider } from "#upstream/port";

type ProviderRoutingNeeds = {
  readonly dispatcher: Pick<Dispatcher, "replace">;
  /** Makes a stored provider callable. */
  readonly connect: (row: ProviderRow) => Provider;
  /** Always served, whatever the store says. */
  readonly builtIn: readonly Provider[];
};

/** Keeps the providers that calls are sent to as the store has them. */
export class ProviderRouting {
  private connected: ReadonlyMap<string, { readonly row: ProviderRow; readonly provider: Provider }> = new Map();

  constructor(private readonly needs: ProviderRoutingNeeds) {}

  /** Null for one that is not connected, or has none. */
  breakerOf(id: string): BreakerReading | null {
    return this.connected.get(id)?.provider.breaker?.read() ?? null;
  }

  breakers(): { readonly provider: string; readonly reading: BreakerReading }[] {
    return [...this.connected.values()].flatMap(({ provider: { name, breaker } }) =>
      breaker ? [{ provider: name, reading: breaker.read() }] : [],
    );
  }

  apply({ providers }: Pick<FeedChanges, "providers">): void {
    if (!providers) return;
    const { dispatcher, connect, builtIn } = this.needs;
    // Only those that changed are connected anew: that opens a sealed key.
    const connected = providers.map((row) => {
      const before = this.connected.get(row.id);
      return before && Bun.deepEquals(before.row, row) ? before : { row, provider: connect(row) };
    });
    this.connected = new Map(connected.map((one) => [one.row.id, one]));
    dispatcher.replace([...connected.map(({ provider }) => provider), ...builtIn]);
  }
}
