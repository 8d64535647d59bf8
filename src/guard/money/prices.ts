import { matchesGlob } from "#core/glob";
import { byPrecision, type Price, type PriceRow, tokenPricesOf } from "#model/price";
import type { ProviderKind } from "#model/provider";
import type { Clock } from "#platform/clock";
import { RecentlyUsed } from "#platform/recently-used";
import type { Catalogue } from "./catalogue";
import { type DatedPrice, priceAt } from "./dated-prices";

/** Models whose prices were looked up lately. */
const MAX_MODELS = 4_000;

type Seller = { readonly name: string; readonly base_url: string; readonly kind: ProviderKind };

/** Who set a price: the configuration file, people, or nobody, so that it is the one the hub brings along. */
export type PriceSource = "configuration" | "set" | "built_in";

/** `name`: of the model in the price list, or the pattern that somebody set a price for; never a caller's word. */
export type FoundPrice = { readonly name: string; readonly source: PriceSource; readonly price: Price };

type Found = (Pick<FoundPrice, "name" | "source"> & { readonly dated: readonly DatedPrice[] }) | null;

type PriceBookNeeds = {
  /** `[[prices]]`. */
  readonly configured: readonly PriceRow[];
  /** Providers that are part of the hub: what they answer costs nothing unless somebody says so. */
  readonly builtIn: readonly { readonly name: string }[];
  readonly catalogue: Pick<Catalogue, "find">;
  readonly now: Clock;
};

/** What each model costs at each provider. */
export class PriceBook {
  private set: readonly PriceRow[] = [];
  private sellers: ReadonlyMap<string, Seller> = new Map();
  private known = new RecentlyUsed<{ readonly found: Found }>(MAX_MODELS);

  constructor(private readonly needs: PriceBookNeeds) {}

  apply({ providers, prices }: Changes): void {
    if (prices) this.set = prices;
    if (providers) this.sellers = new Map(providers.map((row) => [row.name, row]));
    if (prices || providers) this.known = new RecentlyUsed(MAX_MODELS);
  }

  /** Null for a model without a price: what it costs is not known, and never nothing. */
  priceOf(provider: string, model: string): Price | null {
    return this.find(provider, model)?.price ?? null;
  }

  find(provider: string, model: string): FoundPrice | null {
    const key = `${provider} ${model}`;
    let known = this.known.get(key);
    if (known === undefined) {
      known = { found: this.lookUp(provider, model) };
      this.known.set(key, known);
    }
    if (known.found === null) return null;
    const { name, source, dated } = known.found;
    const price = priceAt(dated, this.needs.now());
    return price === null ? null : { name, source, price };
  }

  private lookUp(provider: string, model: string): Found {
    const { configured, builtIn, catalogue } = this.needs;
    const own = [
      ...configured.map((row) => ({ row, source: "configuration" as const })),
      ...this.set.map((row) => ({ row, source: "set" as const })),
    ].filter(({ row }) => (row.provider === null || row.provider === provider) && matchesGlob(row.model, model));
    // Of two for the same models that of the configuration file counts: it comes first, and sorting is stable.
    const [first] = own.toSorted((one, other) => byPrecision(one.row, other.row));
    if (first) {
      const dated = [{ price: { ...tokenPricesOf(first.row.prices), tiers: [] } }];
      return { name: first.row.model, source: first.source, dated };
    }
    if (builtIn.some(({ name }) => name === provider)) return { name: provider, source: "built_in", dated: FREE };
    const seller = this.sellers.get(provider);
    const found = seller ? catalogue.find(seller, model) : null;
    return found === null ? null : { name: found.id, source: "built_in", dated: found.prices };
  }
}

type Changes = { readonly providers: readonly Seller[] | null; readonly prices: readonly PriceRow[] | null };

const FREE: readonly DatedPrice[] = [{ price: { ...tokenPricesOf({ input: 0, output: 0 }), tiers: [] } }];
