import { GuardError } from "#core/errors";
import { type Actor, changeRecord } from "#model/change";
import type { ModelApiName } from "#model/model-api";
import type { ModelAliases, ProviderCredential, ProviderKind } from "#model/provider";
import type { Clock } from "#platform/clock";
import type { Ids } from "#platform/ids";
import type { Sealing } from "#platform/sealing";
import type { ProviderRow, ProviderStore } from "#store/port";
import { goodAliases, goodApis, goodCredential, goodGlobs, goodKey, goodName, goodPriority, goodUrl } from "./checks";

/** Lower goes first. */
export const DEFAULT_PRIORITY = 100;

export type NewProvider = {
  readonly name: string;
  readonly baseUrl: string;
  readonly models: readonly string[];
  readonly apiKey: string | null;
  readonly priority: number;
  /** `openai` where it is not given. */
  readonly kind?: ProviderKind;
  /** Those of its kind where they are not given. */
  readonly apis?: readonly ModelApiName[] | null;
  readonly aliases?: ModelAliases;
  /** A key where it is not given. */
  readonly credential?: ProviderCredential;
};

/** What is to be different; a key of null takes it away. */
export type ProviderWish = {
  readonly name?: string;
  readonly base_url?: string;
  readonly models?: readonly string[];
  readonly api_key?: string | null;
  readonly priority?: number;
  readonly apis?: readonly ModelApiName[] | null;
  readonly aliases?: ModelAliases;
  readonly credential?: ProviderCredential;
  /** Who gave the new address; a user if it is not said. */
  readonly given_by?: ProviderRow["given_by"];
};

/** What a provider's key is sealed for; needed again to open it. */
export const keyPurpose = (providerId: string): string => `provider.api_key:${providerId}`;

type ProviderServiceNeeds = {
  readonly providers: ProviderStore;
  readonly seal: Sealing["seal"];
  readonly now: Clock;
  readonly ids: Ids;
};

/** Model providers. A key is sealed before it reaches the store and never comes back out of here. */
export class ProviderService {
  constructor(private readonly deps: ProviderServiceNeeds) {}

  /** Null when the name is taken. Throws `invalid_value`; `state_conflict` when there are `most` already. */
  async add(
    by: Actor,
    { name, baseUrl, models, apiKey, priority, kind = "openai", apis = null, aliases = {}, credential }: NewProvider,
    { given_by, most }: { readonly given_by: ProviderRow["given_by"]; readonly most?: number } = {
      given_by: "operator",
    },
  ): Promise<ProviderRow | null> {
    const good = {
      name: goodName(name),
      base_url: goodUrl(baseUrl),
      models: goodGlobs(models),
      priority: goodPriority(priority),
      kind,
      apis: goodApis(kind, apis),
      aliases: goodAliases(aliases),
      credential: goodCredential(credential, { kind, baseUrl: goodUrl(baseUrl), hasKey: apiKey !== null }),
    };
    const key = apiKey === null ? null : goodKey(apiKey, good.credential);
    const id = this.deps.ids();
    const provider: ProviderRow = {
      ...good,
      id,
      sealed_key: key === null ? null : this.deps.seal(keyPurpose(id), key),
      created_at: this.deps.now(),
      given_by,
    };
    const record = this.record(by, "provider.add", provider.id, { ...good, has_key: key !== null });
    const outcome = await this.deps.providers.add(provider, record, most);
    if (outcome === "full")
      throw new GuardError("state_conflict", `The limit of ${most} providers is reached. Remove one first.`);
    return outcome === "done" ? provider : null;
  }

  /** A new address makes it one that a user gave. Null when the name is taken. Throws `invalid_value`, `not_found`. */
  async change(by: Actor, before: ProviderRow, wanted: ProviderWish): Promise<ProviderRow | null> {
    const { name, base_url, models, api_key, priority, apis, aliases, given_by = "user" } = wanted;
    const credential = this.changedCredential(before, wanted);
    const key = typeof api_key === "string" ? goodKey(api_key, credential ?? before.credential) : null;
    const open = {
      ...(name !== undefined && { name: goodName(name) }),
      ...(base_url !== undefined && { base_url: goodUrl(base_url), given_by }),
      ...(models !== undefined && { models: goodGlobs(models) }),
      ...(priority !== undefined && { priority: goodPriority(priority) }),
      ...(apis !== undefined && { apis: goodApis(before.kind, apis) }),
      ...(aliases !== undefined && { aliases: goodAliases(aliases) }),
      ...(credential !== null && { credential }),
    };
    const sealed_key = key === null ? null : this.deps.seal(keyPurpose(before.id), key);
    const patch = { ...open, ...(api_key !== undefined && { sealed_key }) };
    if (Object.keys(patch).length === 0) return before;
    const detail = { ...open, ...(api_key !== undefined && { has_key: key !== null }) };
    const record = this.record(by, "provider.update", before.id, detail);
    const outcome = await this.deps.providers.update(before.id, patch, record);
    if (outcome === "missing") throw new GuardError("not_found", "There is no such provider any more", { param: "id" });
    return outcome === "taken" ? null : { ...before, ...patch };
  }

  /** The credential after a change of it, its key or its address; null where it stays. */
  private changedCredential(before: ProviderRow, wanted: ProviderWish): ProviderCredential | null {
    const { api_key, base_url, credential } = wanted;
    if (api_key === undefined && base_url === undefined && credential === undefined) return null;
    const hasKey = api_key === undefined ? before.sealed_key !== null : api_key !== null;
    const given = { kind: before.kind, baseUrl: goodUrl(base_url ?? before.base_url), hasKey };
    // A key that is given now takes the place of a file.
    const { secret_file: _file, ...kept } = before.credential;
    const stays = credential === undefined && api_key === undefined;
    const good = goodCredential(stays ? before.credential : (credential ?? kept), given);
    return stays ? null : good;
  }

  /** Throws `not_found`. */
  async byName(name: string): Promise<ProviderRow> {
    const provider = (await this.deps.providers.list()).find((candidate) => candidate.name === name);
    if (!provider) throw new GuardError("not_found", `There is no provider ${name}`, { param: "name" });
    return provider;
  }

  /** Throws `not_found`. */
  async remove(by: Actor, name: string): Promise<ProviderRow> {
    const provider = await this.byName(name);
    const record = this.record(by, "provider.remove", provider.id, { name });
    if (!(await this.deps.providers.remove(name, record))) {
      throw new GuardError("not_found", `There is no provider ${name} any more`, { param: "name" });
    }
    return provider;
  }

  private record(by: Actor, kind: string, id: string, detail: Readonly<Record<string, unknown>>): string {
    const change = { kind, by, subject: "provider", subject_id: id, detail };
    return changeRecord(change, { id: this.deps.ids(), at: this.deps.now() });
  }
}
