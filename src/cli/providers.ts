import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { DEFAULT_PRIORITY, type ProviderWish } from "#features/providers/service";
import { CLI_ACTOR } from "#model/change";
import { MODEL_APIS, type ModelApiName } from "#model/model-api";
import {
  CREDENTIAL_FIELDS,
  CREDENTIAL_SOURCES,
  DEFAULT_APIS,
  defaultSource,
  type ModelAliases,
  PROVIDER_KINDS,
  type ProviderCredential,
  type ProviderKind,
  SOURCE_RULES,
} from "#model/provider";
import { timestamp } from "#platform/clock";
import type { NotedBreaker, ProviderRow } from "#store/port";
import { checkProvider } from "#upstream/provider-check";
import { CliExit, EXIT, usage } from "./exit";
import { readStdin } from "./input";
import { card } from "./output";
import { checkedProvider } from "./provider-adapters";
import { changing, reading } from "./session";
import type { Invocation, RunVerb } from "./verb";

/** Never the key, nor its encrypted form. */
const shown = ({ name, base_url, models, priority, sealed_key, kind, apis, aliases, credential }: ProviderRow) => ({
  name,
  kind,
  base_url,
  models,
  apis: apis ?? DEFAULT_APIS[kind],
  aliases,
  priority,
  credential,
  has_key: sealed_key !== null,
});

const keyOf = ({ sealed_key, credential }: ProviderRow): string => {
  if (credential.secret_file !== undefined) return "file";
  if (SOURCE_RULES[credential.source].secret === "none") return credential.source;
  return sealed_key === null ? "none" : "set";
};

const cardOf = (row: ProviderRow): string => {
  const { name, base_url, models, priority, kind, apis, aliases, credential } = row;
  return card({
    name,
    kind,
    base_url,
    models: models.join(","),
    apis: (apis ?? DEFAULT_APIS[kind]).join(","),
    ...(Object.keys(aliases).length > 0 && {
      aliases: Object.entries(aliases)
        .map(([asked, upstream]) => `${asked}=${upstream}`)
        .join(","),
    }),
    priority: String(priority),
    ...(credential.source !== "key" && { credential: credential.source }),
    key: keyOf(row),
  });
};

const oneOf = <T extends string>(flag: string, text: string, known: readonly T[]): T => {
  const found = known.find((one) => one === text);
  if (found === undefined) throw usage(`--${flag}: ${text} is none of ${known.join(", ")}`);
  return found;
};

const apisOf = (text: string): ModelApiName[] => text.split(",").map((api) => oneOf("apis", api.trim(), MODEL_APIS));

const aliasesOf = (texts: readonly string[]): ModelAliases =>
  Object.fromEntries(
    texts.map((text) => {
      const [, asked, upstream] = /^([^=]+)=(.+)$/.exec(text) ?? [];
      if (asked === undefined || upstream === undefined) throw usage(`--alias: ${text} is not NAME=UPSTREAM_NAME`);
      return [asked, upstream];
    }),
  );

const credentialOf = ({ args }: Invocation, kind: ProviderKind): ProviderCredential => {
  const source = oneOf("credential", args.text("credential") ?? defaultSource(kind), CREDENTIAL_SOURCES);
  const fields = CREDENTIAL_FIELDS.flatMap((field) => {
    const value = args.text(field.replaceAll("_", "-"));
    return value === undefined ? [] : [[field, value] as const];
  });
  const file = args.on("follow-key-file") ? { secret_file: followed(args.text("api-key-file")) } : {};
  return { source, ...Object.fromEntries(fields), ...file };
};

/** The path as the hub will read it, from whatever directory it serves. */
const followed = (file: string | undefined): string => {
  if (file === undefined || file === "-") throw usage("--follow-key-file needs --api-key-file FILE");
  readFileSync(file);
  return resolve(file);
};

const readKey = async (invocation: Invocation): Promise<string | null> => {
  const { args, environment } = invocation;
  const file = args.text("api-key-file");
  const variable = args.text("api-key-env");
  if (file !== undefined && variable !== undefined) throw usage("--api-key-file or --api-key-env, not both");
  if (file !== undefined) return file === "-" ? readStdin(invocation, "the API key") : readFileSync(file, "utf8");
  if (variable === undefined) return null;
  const key = environment[variable];
  if (key === undefined || key === "") throw usage(`--api-key-env: variable ${variable} is not set, or empty`);
  return key;
};

export const addProvider: RunVerb = async (invocation) => {
  const { args, out } = invocation;
  const name = args.needOperand(0);
  const kind = oneOf("kind", args.text("kind") ?? "openai", PROVIDER_KINDS);
  const wanted = {
    name,
    baseUrl: args.need("base-url"),
    models: args.need("models").split(","),
    apiKey: args.on("follow-key-file") ? null : await readKey(invocation),
    priority: Number(args.text("priority") ?? DEFAULT_PRIORITY),
    kind,
    credential: credentialOf(invocation, kind),
    aliases: aliasesOf(args.texts("alias")),
    apis: ofFlag(args.text("apis"), apisOf) ?? null,
  };
  const provider = await changing(invocation, ({ parts }) => parts.providerService.add(CLI_ACTOR, wanted));
  if (!provider) throw new CliExit(EXIT.failure, `Provider ${name} exists already; remove it first`);
  await out.result(shown(provider), cardOf(provider));
  return EXIT.ok;
};

const ofFlag = <T>(text: string | undefined, read: (text: string) => T): T | undefined =>
  text === undefined ? undefined : read(text);

/** The credential as the flags change it; undefined where none of them is given. */
const changedCredential = (
  invocation: Invocation,
  { kind, credential }: ProviderRow,
): ProviderCredential | undefined => {
  const { args } = invocation;
  const names = ["credential", ...CREDENTIAL_FIELDS.map((field) => field.replaceAll("_", "-"))];
  if (!args.on("follow-key-file") && names.every((name) => args.text(name) === undefined)) return undefined;
  const given = credentialOf(invocation, kind);
  const { secret_file: _, ...kept } = credential;
  return args.text("credential") === undefined ? { ...kept, ...given, source: kept.source } : given;
};

const wishOf = async (invocation: Invocation, before: ProviderRow): Promise<ProviderWish> => {
  const { args } = invocation;
  const key = args.on("follow-key-file") ? null : await readKey(invocation);
  if (key !== null && args.on("remove-api-key")) throw usage("a new API key or --remove-api-key, not both");
  const aliases = args.texts("alias");
  const wish = {
    name: args.text("name"),
    base_url: args.text("base-url"),
    models: ofFlag(args.text("models"), (text) => text.split(",")),
    api_key: args.on("remove-api-key") ? null : (key ?? undefined),
    priority: ofFlag(args.text("priority"), Number),
    apis: ofFlag(args.text("apis"), apisOf),
    aliases: aliases.length === 0 ? undefined : aliasesOf(aliases),
    credential: changedCredential(invocation, before),
  };
  const given = Object.entries(wish).filter(([, value]) => value !== undefined);
  if (given.length === 0) throw usage("nothing to change: give at least one of the flags");
  return Object.fromEntries(given);
};

/** `provider set`: what is not given stays. */
export const setProvider: RunVerb = async (invocation) => {
  const { args, out } = invocation;
  const provider = await changing(invocation, async ({ parts }) => {
    const before = await parts.providerService.byName(args.needOperand(0));
    return parts.providerService.change(CLI_ACTOR, before, await wishOf(invocation, before));
  });
  if (!provider) throw new CliExit(EXIT.failure, `Provider ${args.text("name")} exists already`);
  await out.result(shown(provider), cardOf(provider));
  return EXIT.ok;
};

/** As a hub that serves has it; of several, as the last that changed it. */
const breakerOf = (noted: NotedBreaker | undefined) => {
  const { state, failures, cause, since } = noted ?? { state: "closed", failures: 0, cause: null, since: null };
  return { state, failures, cause, since: since === null ? null : timestamp(since) };
};

const stateOf = (noted: NotedBreaker | undefined): string =>
  noted === undefined ? "ok" : `${noted.state} (${noted.failures} × ${noted.cause})`;

export const listProviders: RunVerb = async (invocation) => {
  const { providers, breakers } = await reading(invocation, async ({ store }) => ({
    providers: await store.providers.list(),
    breakers: new Map((await store.providers.breakers()).toReversed().map((one) => [one.provider_id, one])),
  }));
  const rows = providers.map((row) => [
    row.name,
    row.base_url,
    row.models.join(","),
    row.kind,
    (row.apis ?? DEFAULT_APIS[row.kind]).join(","),
    String(row.priority),
    keyOf(row),
    stateOf(breakers.get(row.id)),
  ]);
  const all = providers.map((row) => ({ ...shown(row), breaker: breakerOf(breakers.get(row.id)) }));
  await invocation.out.result(
    all,
    invocation.out.table(["NAME", "BASE URL", "MODELS", "KIND", "APIS", "PRIORITY", "KEY", "STATE"], rows),
  );
  return EXIT.ok;
};

export const removeProvider: RunVerb = async (invocation) => {
  const name = invocation.args.needOperand(0);
  const provider = await changing(invocation, ({ parts }) => parts.providerService.remove(CLI_ACTOR, name));
  await invocation.out.result({ ...shown(provider), removed: true }, `Removed ${name} and its key.`);
  return EXIT.ok;
};

export const testProvider: RunVerb = async (invocation) => {
  const { environment } = invocation;
  const config = invocation.config();
  const { provider, checked } = await reading(invocation, async ({ parts, unseal }) => {
    const row = await parts.providerService.byName(invocation.args.needOperand(0));
    return { provider: row, checked: checkedProvider(row, { config, unseal, environment }) };
  });
  const check = await checkProvider(checked);
  const { ok, status, models, problem, ms, apis } = check;
  const served = models.filter((model) => provider.models.some((glob) => globMatches(glob, model)));
  const lines = [
    `${ok ? "ok" : "failed"}: ${provider.base_url} answered ${status ?? "nothing"} in ${ms} ms`,
    ...(problem === null ? [] : [problem]),
    ...apis.map((api) => `  ${api.api}: ${api.ok ? "ok" : `${api.problem} (${api.status ?? "no answer"})`}`),
    ...(models.length > 0
      ? [`${models.length} models listed, ${served.length} of them match ${provider.models.join(",")}`]
      : []),
    ...served.slice(0, 50).map((model) => `  ${model}`),
  ];
  const { name, kind, base_url } = provider;
  await invocation.out.result(
    { name, kind, base_url, ok, status, ms, apis, models, served, problem },
    lines.join("\n"),
  );
  return ok ? EXIT.ok : EXIT.failure;
};

const globMatches = (glob: string, model: string): boolean =>
  new Bun.Glob(glob.replaceAll("/", ":")).match(model.replaceAll("/", ":"));
