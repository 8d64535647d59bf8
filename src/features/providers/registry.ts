import { COMMANDS, commandLine } from "#core/command-line";
import { GuardError } from "#core/errors";
import { matchesGlob } from "#core/glob";
import { addressProblem, type IpRange, parseRange } from "#core/ip-range";
import type { ProviderRouting } from "#hub/provider-routing";
import type { Actor } from "#model/change";
import { type BreakerReading, DEFAULT_APIS, isOfMachine, type ProviderCredential } from "#model/provider";
import { timestamp } from "#platform/clock";
import type { ProviderRow, ProviderStore } from "#store/port";
import type { Provider, ProviderCheck } from "#upstream/port";
import type { NewProviderBody, ProviderChange, ProviderCheckView, ProviderView } from "./schema";
import { DEFAULT_PRIORITY, type ProviderService } from "./service";

type ProviderRegistryNeeds = {
  readonly providers: ProviderService;
  readonly store: ProviderStore;
  readonly builtIn: readonly Provider[];
  /** Asks it for its models, with its key. */
  readonly check: (row: ProviderRow) => Promise<ProviderCheck>;
  /** `upstream.allow_private`. */
  readonly allowPrivate: readonly string[];
  /** Those that calls are sent to. */
  readonly routing: Pick<ProviderRouting, "breakerOf">;
};

const MAX_PROVIDERS = 100;

/** Model providers as people look after them. */
export class ProviderRegistry {
  private readonly allowed: readonly IpRange[];

  constructor(private readonly deps: ProviderRegistryNeeds) {
    this.allowed = deps.allowPrivate.flatMap((text) => parseRange(text) ?? []);
  }

  /** In the order they are asked in. */
  async list(): Promise<ProviderView[]> {
    return [...(await this.deps.store.list()).map((row) => this.shown(row)), ...this.deps.builtIn.map(shownBuiltIn)];
  }

  /** Throws `not_found`. */
  async get(id: string): Promise<ProviderView> {
    const view = (await this.list()).find((provider) => provider.id === id.toLowerCase());
    if (!view) throw noProvider();
    return view;
  }

  /** Throws `invalid_value`, `already_exists`; `state_conflict` when there are too many. */
  async add(by: Actor, wanted: NewProviderBody): Promise<ProviderView> {
    const { name, base_url, models, api_key = null, priority = DEFAULT_PRIORITY, ...rest } = wanted;
    this.checkAddress(base_url);
    checkSource(rest.credential);
    const good = { name, baseUrl: base_url, models, apiKey: api_key, priority, ...rest };
    const provider = await this.deps.providers.add(by, good, { given_by: "user", most: MAX_PROVIDERS });
    if (!provider) throw taken();
    return this.shown(provider);
  }

  /** Throws `not_found`, `invalid_value`, `already_exists`. */
  async change(by: Actor, id: string, patch: ProviderChange): Promise<ProviderView> {
    const row = await this.row(id);
    checkSource(patch.credential);
    if (patch.base_url !== undefined) {
      this.checkAddress(patch.base_url);
      // Stops users who may not read the key from having it sent to their own address.
      if (hasKey(row) && patch.api_key === undefined) {
        const message = "A key is for the address it was given for: send api_key again, or null for none.";
        throw new GuardError("invalid_value", message, { param: "api_key" });
      }
      if (isOfMachine(row.credential) && patch.credential === undefined) throw ofMachine();
    }
    const changed = await this.deps.providers.change(by, row, patch);
    if (!changed) throw taken();
    return this.shown(changed);
  }

  /** With its key. Throws `not_found`. */
  async remove(by: Actor, id: string): Promise<ProviderView> {
    const { name } = await this.row(id);
    return this.shown(await this.deps.providers.remove(by, name));
  }

  /** Throws `not_found`. */
  async test(id: string): Promise<ProviderCheckView> {
    const row = await this.row(id);
    const check = await this.deps.check(row);
    const served = check.models.filter((model) => row.models.some((glob) => matchesGlob(glob, model)));
    return { object: "provider_check", id: row.id, ...check, served };
  }

  private shown(row: ProviderRow): ProviderView {
    const { created_at, id, name, base_url, models, priority, given_by, kind, apis, aliases } = row;
    const { secret_file, ...credential } = row.credential;
    return {
      object: "provider",
      id,
      name,
      base_url,
      models,
      priority,
      kind,
      apis: apis ?? DEFAULT_APIS[kind],
      aliases,
      credential,
      key_file: secret_file !== undefined,
      breaker: shownBreaker(this.deps.routing.breakerOf(id) ?? CLOSED),
      has_key: hasKey(row),
      given_by,
      built_in: false,
      created_at: timestamp(created_at),
    };
  }

  private checkAddress(url: string): void {
    const problem = addressProblem(url, this.allowed, "upstream.allow_private");
    if (problem !== null) throw new GuardError("invalid_value", problem, { param: "base_url" });
  }

  private async row(id: string): Promise<ProviderRow> {
    const row = (await this.deps.store.list()).find((candidate) => candidate.id === id.toLowerCase());
    if (row) return row;
    if (this.deps.builtIn.some(({ name }) => name === id)) {
      throw new GuardError("state_conflict", "This provider is built in and cannot be changed.");
    }
    throw noProvider();
  }
}

const hasKey = ({ sealed_key, credential }: ProviderRow): boolean =>
  sealed_key !== null || credential.secret_file !== undefined;

/** What the machine is known by is sent nowhere but where its operator says. Throws `invalid_value`. */
const checkSource = (credential: ProviderCredential | undefined): void => {
  if (credential !== undefined && isOfMachine(credential)) throw ofMachine();
};

const ofMachine = (): GuardError =>
  new GuardError(
    "invalid_value",
    `Credentials of the machine are for the command line: ${commandLine(COMMANDS.addProvider())}.`,
    { param: "credential" },
  );

const CLOSED: BreakerReading = { state: "closed", failures: 0, cause: null, since: null };

const shownBreaker = ({ since, ...reading }: BreakerReading): ProviderView["breaker"] => ({
  ...reading,
  since: since === null ? null : timestamp(since),
});

const shownBuiltIn = ({ name, models, priority, apis }: Provider): ProviderView => ({
  object: "provider",
  id: name,
  name,
  base_url: null,
  models,
  priority,
  kind: null,
  apis: [...apis],
  aliases: {},
  credential: { source: "key" },
  key_file: false,
  breaker: shownBreaker(CLOSED),
  has_key: false,
  given_by: "operator",
  built_in: true,
  created_at: null,
});

const noProvider = (): GuardError => new GuardError("not_found", "There is no such provider.", { param: "id" });

const taken = (): GuardError =>
  new GuardError("already_exists", "There is already a provider of that name. Choose another name.", { param: "name" });
