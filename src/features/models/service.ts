import { matchesGlob } from "#core/glob";
import type { Dispatcher } from "#guard/dispatcher";
import type { Clock } from "#platform/clock";
import { causeOf, type Log } from "#platform/log";
import type { Provider } from "#upstream/port";
import type { Model } from "./schema";

/** How long a provider's own list is believed, and how long it may take. Milliseconds. */
const FRESH_MS = 300_000;
const PATIENCE_MS = 3_000;

/** Unix seconds. Nobody knows when a model was made; clients that sort or show years are not given 1970. */
const CREATED = 1_700_000_000;

type Listing = { readonly at: number; readonly names: readonly string[] };

/** The models a caller may name: those written out in a provider's globs, and those its `/models` lists that match one. */
export class ModelService {
  private readonly listings = new Map<string, Listing>();

  constructor(private readonly deps: { dispatcher: Dispatcher; clock: Clock; log: Log }) {}

  async list(): Promise<Model[]> {
    const models = new Map<string, Model>();
    const listed = await Promise.all(
      this.deps.dispatcher.all().map(async (provider) => ({ provider, names: await this.namesOf(provider) })),
    );
    for (const { provider, names } of listed) {
      for (const id of names) {
        if (!models.has(id)) models.set(id, { id, object: "model", created: CREATED, owned_by: provider.name });
      }
    }
    return [...models.values()];
  }

  /** A name a glob covers exists for us even when its provider does not list it. */
  async find(id: string): Promise<Model | null> {
    const [provider] = this.deps.dispatcher.route(id);
    return provider ? { id, object: "model", created: CREATED, owned_by: provider.name } : null;
  }

  private async namesOf(provider: Provider): Promise<readonly string[]> {
    const literal = provider.models.filter((glob) => !glob.includes("*"));
    if (literal.length === provider.models.length) return literal;
    const offered = await this.listingOf(provider);
    return [...literal, ...offered.filter((name) => provider.models.some((glob) => matchesGlob(glob, name)))];
  }

  /** A provider that does not answer costs only its own names: the last known ones are shown. */
  private async listingOf(provider: Provider): Promise<readonly string[]> {
    const known = this.listings.get(provider.name);
    const now = this.deps.clock();
    if (known && now - known.at < FRESH_MS) return known.names;
    try {
      const names = await provider.upstream.models(AbortSignal.timeout(PATIENCE_MS));
      this.listings.set(provider.name, { at: now, names });
      return names;
    } catch (error) {
      this.deps.log.warn("models.list_failed", { provider: provider.name, ...causeOf(error) });
      return known?.names ?? [];
    }
  }
}
