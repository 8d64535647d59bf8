import { said } from "#cli/apply/kind";
import { planned } from "#cli/apply/planned";
import { GuardError } from "#core/errors";
import type { Static } from "#core/schema";
import { ProviderEntry } from "#features/configuration/schema";
import {
  goodAliases,
  goodApis,
  goodCredential,
  goodGlobs,
  goodKey,
  goodName,
  goodUrl,
} from "#features/providers/checks";
import { DEFAULT_PRIORITY, keyPurpose } from "#features/providers/service";
import { MODEL_APIS } from "#model/model-api";
import { DEFAULT_APIS, defaultSource, type ProviderCredential, regionOf } from "#model/provider";
import type { ProviderRow } from "#store/port";

type Entry = Static<typeof ProviderEntry>;

const usualSource = ({ kind = "openai" }: Entry) => defaultSource(kind);

const credentialOf = (entry: Entry): ProviderCredential => ({ source: usualSource(entry), ...entry.credential });

const normal = (entry: Entry): Entry => {
  const { kind = "openai", apis = [], credential = {}, base_url } = entry;
  const source = credential.source ?? usualSource(entry);
  const region = source.startsWith("aws-") ? regionOf(base_url) : null;
  const about = said(credential, { source: usualSource(entry), ...(region !== null && { region }) });
  return said(
    {
      ...entry,
      base_url: base_url.replace(/\/+$/, ""),
      apis: MODEL_APIS.filter((api) => apis.includes(api)),
      credential: about,
    },
    {
      kind: "openai",
      apis: apis.length === 0 ? [] : DEFAULT_APIS[kind],
      aliases: {},
      priority: DEFAULT_PRIORITY,
      given_by: "operator",
      credential: {},
    },
  );
};

const entryOf = (row: ProviderRow, unseal: (purpose: string, sealed: string) => string): Entry => {
  const { id, name, kind, base_url, models, apis, aliases, priority, given_by, credential, sealed_key } = row;
  return {
    ...{ name, kind, base_url, priority, given_by, credential },
    models: [...models],
    aliases: { ...aliases },
    ...(apis !== null && { apis: [...apis] }),
    ...(sealed_key !== null && { api_key: unseal(keyPurpose(id), sealed_key) }),
  };
};

const taken = (name: string): GuardError =>
  new GuardError("already_exists", `Provider ${name} exists already.`, { param: "name" });

export const providers = planned({
  kind: "provider",
  section: "providers",
  schema: ProviderEntry,
  nameOf: ({ name }) => name,
  normal,
  check: ({ name, kind = "openai", base_url, models, apis = null, aliases = {}, api_key, ...entry }) => {
    goodName(name);
    goodGlobs(models);
    goodApis(kind, apis);
    goodAliases(aliases);
    const proof = credentialOf({ name, kind, base_url, models, ...entry });
    const credential = goodCredential(proof, { kind, baseUrl: goodUrl(base_url), hasKey: api_key !== undefined });
    if (api_key !== undefined) goodKey(api_key, credential);
  },
  fixed: ["kind"],
  isLater: ({ providers }) => providers !== null,
  stored: async ({ store, unseal }) =>
    (await store.providers.list()).map((row) => ({ id: row.id, entry: entryOf(row, unseal) })),
  create: async ({ by, parts }, entry) => {
    const { name, base_url, models, kind = "openai", apis = null, aliases = {}, given_by = "operator" } = entry;
    const { api_key: apiKey = null, priority = DEFAULT_PRIORITY } = entry;
    const about = { name, baseUrl: base_url, models, kind, apis, aliases, apiKey, priority };
    const made = await parts.providerService.add(by, { ...about, credential: credentialOf(entry) }, { given_by });
    if (made === null) throw taken(name);
  },
  change: async ({ by, parts }, { entry: { name } }, entry, fields) => {
    const { base_url, models, apis = null, aliases = {}, priority = DEFAULT_PRIORITY, given_by = "operator" } = entry;
    const before = await parts.providerService.byName(name);
    const isReached = fields.has("base_url") || fields.has("given_by");
    const isProven = fields.has("credential") || fields.has("api_key");
    await parts.providerService.change(by, before, {
      ...(isReached && { base_url, given_by }),
      ...(fields.has("models") && { models }),
      ...(fields.has("apis") && { apis }),
      ...(fields.has("aliases") && { aliases }),
      ...(fields.has("priority") && { priority }),
      ...(isProven && { credential: credentialOf(entry) }),
      ...(fields.has("api_key") && { api_key: entry.api_key ?? null }),
    });
  },
  remove: async ({ by, parts }, { entry: { name } }) => {
    await parts.providerService.remove(by, name);
  },
});
