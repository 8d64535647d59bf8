import type { ProviderKind } from "#model/provider";
import { embedded } from "#platform/embedded";
import { readCatalogue } from "./catalogue-source";
import type { CatalogueModel, CatalogueProvider, Match } from "./dated-prices";

/* Prices that the hub brings along. Nothing is fetched: a price that changed is known with the next version, or set. */

/** The name in the executable of the table of prices. */
export const PRICE_TABLE = "prices";

/** Whose prices those of a kind are, at addresses that nobody in the catalogue has: a company's own proxy above all. */
const BY_KIND: Readonly<Record<ProviderKind, string>> = {
  openai: "openai",
  anthropic: "anthropic",
  azure: "azure",
  bedrock: "aws",
  vertex: "google",
};

/** A provider as it stands in the table: its models packed by themselves, since a hub asks for those of a few of them. */
type StoredProvider = Omit<CatalogueProvider, "models"> & { readonly models: Uint8Array<ArrayBuffer> };

/** The table as the build writes it into the executable. */
export const priceTable = (): readonly StoredProvider[] =>
  readCatalogue().map(({ models, ...provider }) => ({ ...provider, models: packedModels(models) }));

const packedModels = (models: readonly CatalogueModel[]): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(Bun.zstdCompressSync(JSON.stringify(models), { level: 9 }));

const modelsIn = (packed: Uint8Array<ArrayBuffer>): readonly CatalogueModel[] =>
  JSON.parse(Bun.zstdDecompressSync(packed).toString()) as readonly CatalogueModel[];

const read = (): readonly CatalogueProvider[] => {
  // Written by the build of this same code: no other executable has this file.
  const table = embedded(PRICE_TABLE) as readonly StoredProvider[] | null;
  return table ? providersIn(table) : readCatalogue();
};

/** The models of each are read when one of them is asked for: those of all take as long as a whole call may. */
export const providersIn = (table: readonly StoredProvider[]): readonly CatalogueProvider[] =>
  table.map(({ models: stored, ...provider }) => {
    let models: readonly CatalogueModel[] | null = null;
    return {
      ...provider,
      get models() {
        models ??= modelsIn(stored);
        return models;
      },
    };
  });

/** Read when the first price is asked for: a hub that only serves built-in models never does. */
export class Catalogue {
  #providers: readonly CatalogueProvider[] | null = null;

  constructor(private readonly readAll: () => readonly CatalogueProvider[] = read) {}

  /** A model at a provider, by the name the provider gives it; null for one that is not known. */
  find(provider: { readonly base_url: string; readonly kind: ProviderKind }, model: string): CatalogueModel | null {
    this.#providers ??= this.readAll();
    const all = this.#providers;
    const id = BY_KIND[provider.kind];
    const seller =
      all.find(({ url }) => new RegExp(`^(?:${url})`).test(provider.base_url)) ?? all.find((one) => one.id === id);
    if (!seller) return null;
    const name = model.toLowerCase();
    const dashed = name.replaceAll(DAY, "-$1-$2-$3");
    return (
      modelIn(seller, name) ?? this.#modelOfOthers(seller, name) ?? (dashed === name ? null : modelIn(seller, dashed))
    );
  }

  #modelOfOthers({ others }: CatalogueProvider, name: string): CatalogueModel | null {
    for (const id of others) {
      const other = this.#providers?.find((one) => one.id === id);
      const found = other ? modelIn(other, name) : null;
      if (found !== null) return found;
    }
    return null;
  }
}

/** `-20250514`, as some write the day that others write with dashes. */
const DAY = /-(20\d{2})(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(?=-|:|$)/g;

const modelIn = ({ models }: CatalogueProvider, name: string): CatalogueModel | null =>
  models.find(({ match }) => fits(match, name)) ?? null;

const fits = (match: Match, name: string): boolean => {
  if ("or" in match) return match.or.some((one) => fits(one, name));
  if ("and" in match) return match.and.every((one) => fits(one, name));
  if ("equals" in match) return name === match.equals;
  if ("starts_with" in match) return name.startsWith(match.starts_with);
  if ("ends_with" in match) return name.endsWith(match.ends_with);
  return "contains" in match ? name.includes(match.contains) : new RegExp(match.regex).test(name);
};
