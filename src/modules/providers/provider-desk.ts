import type { Actor } from "#core/change";
import { GuardError } from "#core/errors";
import { matchesGlob } from "#core/glob";
import { type IpRange, parseRange } from "#core/ip-range";
import { addressProblem } from "#core/webhook-address";
import { timestamp } from "#platform/clock";
import type { ProviderRow, ProviderStore } from "#store/port";
import type { Provider, ProviderCheck } from "#upstream/port";
import type { ProviderCheckView, ProviderView } from "./presenter";
import type { NewProviderBody, ProviderChange } from "./schema";
import { DEFAULT_PRIORITY, type ProviderService } from "./service";

type Deps = {
  readonly providers: ProviderService;
  readonly store: ProviderStore;
  readonly builtIn: readonly Provider[];
  /** Asks it for its models, with its key. */
  readonly check: (row: ProviderRow) => Promise<ProviderCheck>;
  /** `upstream.allow_private`. */
  readonly allowPrivate: readonly string[];
};

const MOST_PROVIDERS = 100;

/** Model providers as people look after them. */
export class ProviderDesk {
  private readonly allowed: readonly IpRange[];

  constructor(private readonly deps: Deps) {
    this.allowed = deps.allowPrivate.flatMap((text) => parseRange(text) ?? []);
  }

  /** In the order they are asked in. */
  async list(): Promise<ProviderView[]> {
    return [...(await this.deps.store.list()).map(shown), ...this.deps.builtIn.map(shownBuiltIn)];
  }

  /** Throws `not_found`. */
  async get(id: string): Promise<ProviderView> {
    const view = (await this.list()).find((provider) => provider.id === id.toLowerCase());
    if (!view) throw noProvider();
    return view;
  }

  /** Throws `invalid_value`, `already_exists`; `state_conflict` when there are too many. */
  async add(by: Actor, wanted: NewProviderBody): Promise<ProviderView> {
    const { name, base_url, models, api_key = null, priority = DEFAULT_PRIORITY } = wanted;
    this.checkAddress(base_url);
    const good = { name, baseUrl: base_url, models, apiKey: api_key, priority };
    const provider = await this.deps.providers.add(by, good, { given_by: "user", most: MOST_PROVIDERS });
    if (!provider) throw taken();
    return shown(provider);
  }

  /** Throws `not_found`, `invalid_value`, `already_exists`. */
  async change(by: Actor, id: string, patch: ProviderChange): Promise<ProviderView> {
    const row = await this.row(id);
    if (patch.base_url !== undefined) {
      this.checkAddress(patch.base_url);
      // Stops whoever may not read the key from having it sent to an address of their own.
      if (row.sealed_key !== null && patch.api_key === undefined) {
        const message = "A key is for the address it was given for: send api_key again, or null for none.";
        throw new GuardError("invalid_value", message, { param: "api_key" });
      }
    }
    const changed = await this.deps.providers.change(by, row, patch);
    if (!changed) throw taken();
    return shown(changed);
  }

  /** With its key. Throws `not_found`. */
  async remove(by: Actor, id: string): Promise<ProviderView> {
    const { name } = await this.row(id);
    return shown(await this.deps.providers.remove(by, name));
  }

  /** Throws `not_found`. */
  async test(id: string): Promise<ProviderCheckView> {
    const row = await this.row(id);
    const check = await this.deps.check(row);
    const served = check.models.filter((model) => row.models.some((glob) => matchesGlob(glob, model)));
    return { object: "provider_check", id: row.id, ...check, served };
  }

  private checkAddress(url: string): void {
    const problem = addressProblem(url, this.allowed, "upstream.allow_private");
    if (problem !== null) throw new GuardError("invalid_value", problem, { param: "base_url" });
  }

  private async row(id: string): Promise<ProviderRow> {
    const row = (await this.deps.store.list()).find((candidate) => candidate.id === id.toLowerCase());
    if (row) return row;
    if (this.deps.builtIn.some(({ name }) => name === id)) {
      throw new GuardError("state_conflict", "This provider is built in.");
    }
    throw noProvider();
  }
}

const shown = ({
  sealed_key,
  created_at,
  id,
  name,
  base_url,
  models,
  priority,
  given_by,
}: ProviderRow): ProviderView => ({
  object: "provider",
  ...{ id, name, base_url, models, priority },
  has_key: sealed_key !== null,
  given_by,
  built_in: false,
  created_at: timestamp(created_at),
});

const shownBuiltIn = ({ name, models, priority }: Provider): ProviderView => ({
  object: "provider",
  ...{ id: name, name, base_url: null, models, priority },
  has_key: false,
  given_by: "operator",
  built_in: true,
  created_at: null,
});

const noProvider = (): GuardError => new GuardError("not_found", "There is no such provider.", { param: "id" });

const taken = (): GuardError =>
  new GuardError("already_exists", "There is a provider of that name already.", { param: "name" });
