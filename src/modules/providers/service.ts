import { type Actor, changeRecord } from "#core/change";
import { GuardError } from "#core/errors";
import type { Clock } from "#platform/clock";
import type { Ids } from "#platform/ids";
import type { Sealing } from "#platform/sealing";
import type { ProviderRow, ProviderStore } from "#store/port";

const NAME = /^[a-z0-9][a-z0-9._-]{0,39}$/;
/** The built-in provider's own name. */
const RESERVED = "guardhouse";
/** Lower goes first. */
export const DEFAULT_PRIORITY = 100;

export type NewProvider = {
  readonly name: string;
  readonly baseUrl: string;
  readonly models: readonly string[];
  readonly apiKey: string | null;
  readonly priority: number;
};

/** What is to be different; a key of null takes it away. */
export type ProviderWish = {
  readonly name?: string;
  readonly base_url?: string;
  readonly models?: readonly string[];
  readonly api_key?: string | null;
  readonly priority?: number;
};

/** What a provider's key is sealed for; needed again to open it. */
export const keyPurpose = (providerId: string): string => `provider.api_key:${providerId}`;

type Deps = {
  readonly providers: ProviderStore;
  readonly seal: Sealing["seal"];
  readonly now: Clock;
  readonly ids: Ids;
};

/** Model providers. A key is sealed before it reaches the store and never comes back out of here. */
export class ProviderService {
  constructor(private readonly deps: Deps) {}

  /** Null when the name is taken. Throws `invalid_value`; `state_conflict` when there are `most` already. */
  async add(
    by: Actor,
    { name, baseUrl, models, apiKey, priority }: NewProvider,
    { given_by, most }: { readonly given_by: ProviderRow["given_by"]; readonly most?: number } = {
      given_by: "operator",
    },
  ): Promise<ProviderRow | null> {
    const good = {
      name: goodName(name),
      base_url: goodUrl(baseUrl),
      models: goodGlobs(models),
      priority: goodPriority(priority),
    };
    const key = apiKey === null ? null : goodKey(apiKey);
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
    if (outcome === "full") throw new GuardError("state_conflict", `There are ${most} providers already.`);
    return outcome === "done" ? provider : null;
  }

  /** A new address makes it one that a user gave. Null when the name is taken. Throws `invalid_value`, `not_found`. */
  async change(by: Actor, before: ProviderRow, wanted: ProviderWish): Promise<ProviderRow | null> {
    const { name, base_url, models, api_key, priority } = wanted;
    const key = typeof api_key === "string" ? goodKey(api_key) : null;
    const open = {
      ...(name !== undefined && { name: goodName(name) }),
      ...(base_url !== undefined && { base_url: goodUrl(base_url), given_by: "user" as const }),
      ...(models !== undefined && { models: goodGlobs(models) }),
      ...(priority !== undefined && { priority: goodPriority(priority) }),
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

const CALLED: Readonly<Record<string, string>> = { base_url: "base URL", api_key: "API key" };

const invalid = (param: string, problem: string): GuardError =>
  new GuardError("invalid_value", `The ${CALLED[param] ?? param} ${problem}`, { param });

const goodName = (name: string): string => {
  if (!NAME.test(name)) throw invalid("name", "must be lower-case letters, digits, '.', '_' and '-', at most 40");
  if (name === RESERVED) throw invalid("name", `cannot be "${RESERVED}": that is the built-in provider`);
  return name;
};

/** Without slashes at the end. A URL with a user, a query or a fragment is refused: keys belong elsewhere. */
const goodUrl = (text: string): string => {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || (url.protocol !== "https:" && url.protocol !== "http:"))
    throw invalid("base_url", "must begin with http:// or https://");
  if (url.username !== "" || url.password !== "") throw invalid("base_url", "must not hold a user or a password");
  if (url.search !== "" || url.hash !== "") throw invalid("base_url", "must not hold a query or a fragment");
  return url.href.replace(/\/+$/, "");
};

const goodGlobs = (models: readonly string[]): string[] => {
  const globs = models.map((glob) => glob.trim()).filter((glob) => glob !== "");
  if (globs.length === 0) throw invalid("models", "must name at least one model or pattern, e.g. gpt-*");
  const bad = globs.find((glob) => !/^[\x21-\x7e]{1,200}$/.test(glob));
  if (bad !== undefined) throw invalid("models", "must be patterns of visible ASCII characters; * stands for anything");
  return [...new Set(globs)];
};

const goodPriority = (priority: number): number => {
  if (!Number.isInteger(priority) || priority < 0 || priority > 1_000_000) {
    throw invalid("priority", "must be a whole number from 0 to 1000000");
  }
  return priority;
};

/** A key goes into a header: one line of visible ASCII (stops header injection). */
const goodKey = (key: string): string => {
  const trimmed = key.trim();
  if (!/^[\x21-\x7e]{1,4096}$/.test(trimmed)) throw invalid("api_key", "must be one line of visible ASCII characters");
  return trimmed;
};
