import { resolve } from "node:path";
import type { HubPlace } from "#core/command-line";
import { parseRange } from "#core/ip-range";
import { type TSchema, Value } from "#core/schema";
import { customDetectors } from "#scan/custom";
import { isLocalListen, publicUrlOf } from "./address";
import type { Environment } from "./environment";
import { fromOtelEnvironment, headersOf, type Ignored } from "./otel-environment";
import { customRule } from "./policy";
import { type Config, ConfigSchema, configKeys, type Key } from "./schema";
import { fromServed } from "./served";
import {
  CONFIG_VARIABLE,
  fromEnvironment,
  fromFile,
  fromFlags,
  type Given,
  type Setting,
  type SettingSource,
} from "./sources";

/** The start is stopped: every problem found, each naming its key. Holds no secret values. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  constructor(readonly problems: readonly string[]) {
    super(problems.join("\n"));
  }
}

export type { Setting } from "./sources";

export type Loaded = {
  readonly config: Config;
  readonly settings: readonly Setting[];
  /** The TOML file that was read; null for none. */
  readonly file: string | null;
  /** Variables of OpenTelemetry that are set and left out. */
  readonly ignored: readonly Ignored[];
};

export type LoadOptions = {
  readonly environment: Environment;
  /** Values of flags by the path of their key. */
  readonly flags?: Readonly<Record<string, string | undefined>>;
  /** `--config`. */
  readonly file?: string | undefined;
  /**
   * For commands beside a hub: what no flag and no variable says is as the hub of the data directory serves, or last
   * served. A TOML file stands in place of all of that.
   */
  readonly besideHub?: boolean;
};

/** Text of a variable or flag → the value its key holds. Undefined when it cannot be one. */
const readText = (key: Key, text: string): unknown => {
  if (key.kind === "integer") return /^[+-]?\d+$/.test(text.trim()) ? Number(text) : undefined;
  if (key.kind === "number") return /^[+-]?\d*\.?\d+$/.test(text.trim()) ? Number(text) : undefined;
  if (key.kind === "string") return text;
  const parts = text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
  if (key.kind === "list") return parts;
  if (key.kind === "map" && !text.trim().startsWith("{")) {
    const pairs = parts.map((part) => part.split("=").map((side) => side.trim()));
    return pairs.every((pair) => pair.length === 2) ? Object.fromEntries(pairs) : undefined;
  }
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // reported with the key's expected form
  }
};

const fits = (schema: TSchema, value: unknown): boolean => Value.Check(schema, value);

/** What a message may say of a bad value: how it begins, unless it is or may hold a secret. */
const quote = (key: Key, value: unknown): string => {
  const text = JSON.stringify(value) ?? String(value);
  // A URL may hold a password.
  if (key.secret || /:\/\/[^/]*@/.test(text)) return "the value given is another (not shown)";
  return `got ${text.length > 80 ? `${text.slice(0, 77)}…` : text}`;
};

const notNetwork = (networks: readonly string[]): string | null => {
  const bad = networks.find((network) => parseRange(network) === null);
  return bad === undefined ? null : `${bad} is not a network`;
};

/** What HTTP cannot send would keep every export from leaving. */
const notHeaders = (text: string | null): string | null =>
  text === null || headersOf(text) !== null ? null : "a value is not percent-encoded, or holds what a header must not";

const notPair = (certificate: string | null, key: string | null): string | null =>
  (certificate === null) === (key === null) ? null : "a client's certificate and its key go together";

/** What is wrong with a value beyond its form, by the path of its key; null for nothing. */
const FURTHER: Readonly<
  Record<
    string,
    (
      config: Pick<
        Config,
        | "guard"
        | "tool_gateway"
        | "upstream"
        | "webhooks"
        | "oauth"
        | "trusted_proxies"
        | "bootstrap"
        | "oidc"
        | "password_sign_in"
        | "metrics"
        | "otel"
      >,
    ) => string | null
  >
> = {
  "tool_gateway.allow_private": ({ tool_gateway }) => notNetwork(tool_gateway.allow_private),
  "upstream.allow_private": ({ upstream }) => notNetwork(upstream.allow_private),
  trusted_proxies: ({ trusted_proxies }) => notNetwork(trusted_proxies),
  "bootstrap.admin_email": ({ bootstrap }) =>
    (bootstrap.admin_email === "") === (bootstrap.admin_password === null)
      ? null
      : "admin_email and admin_password go together",
  "oauth.allow_private": ({ oauth }) => notNetwork(oauth.allow_private),
  password_sign_in: ({ password_sign_in, oidc }) =>
    password_sign_in === "off" && oidc.issuer === "" ? "without oidc.issuer nobody could sign in" : null,
  "oidc.issuer": ({ oidc }) => {
    if (oidc.issuer.includes("/.well-known/")) return "the issuer is what stands before /.well-known/";
    return (oidc.issuer === "") === (oidc.client_id === "") ? null : "issuer and client_id go together";
  },
  "oidc.new_users": ({ oidc }) =>
    oidc.new_users === "create" && oidc.allowed_domains.length === 0
      ? "create needs allowed_domains: anybody with an account at the provider would be let in"
      : null,
  "oidc.role_map": ({ oidc }) =>
    Object.keys(oidc.role_map).length > 0 && oidc.role_claim === "" ? "it needs role_claim" : null,
  "metrics.listen": ({ metrics }) =>
    metrics.listen === "" || metrics.token !== null || isLocalListen(metrics.listen)
      ? null
      : "an address that others reach needs metrics.token",
  "otel.headers": ({ otel }) => notHeaders(otel.headers),
  "otel.traces_headers": ({ otel }) => notHeaders(otel.traces_headers),
  "otel.logs_headers": ({ otel }) => notHeaders(otel.logs_headers),
  "otel.client_key": ({ otel }) => notPair(otel.client_certificate, otel.client_key),
  "otel.traces_client_key": ({ otel }) => notPair(otel.traces_client_certificate, otel.traces_client_key),
  "otel.logs_client_key": ({ otel }) => notPair(otel.logs_client_certificate, otel.logs_client_key),
  "oidc.allow_private": ({ oidc }) => notNetwork(oidc.allow_private),
  "webhooks.allow_private": ({ webhooks }) => notNetwork(webhooks.allow_private),
  "guard.custom": ({ guard }) => {
    try {
      customDetectors(guard.custom.map(customRule));
      return null;
    } catch (error) {
      return error instanceof Error ? error.message : "not a list of rules";
    }
  },
};

const isGood = (key: Key, value: unknown): boolean => value !== undefined && fits(key.schema, value);

/** The value that a key has by what was given; undefined where it is none. */
const settled = (key: Key, given: Given): unknown => {
  const value = givenValue(key, given);
  return isGood(key, value) ? value : undefined;
};

const givenValue = (key: Key, given: Given): unknown =>
  given.raw && typeof given.value === "string" ? readText(key, given.value) : given.value;

const settle = (key: Key, given: Given, problems: string[]): Setting => {
  const value = givenValue(key, given);
  if (!isGood(key, value))
    problems.push(`${key.path}: expected ${key.expects}; ${quote(key, given.value)} (from ${given.origin})`);
  return { key, value, origin: given.origin };
};

const freezeDeep = <T>(value: T): T => {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) freezeDeep(inner);
  }
  return value;
};

const assemble = (settings: readonly Setting[]): Record<string, unknown> => {
  const root: Record<string, unknown> = {};
  for (const { key, value } of settings) {
    const [section, name] = key.path.split(".");
    if (section === undefined) continue;
    if (name === undefined) root[section] = value;
    else root[section] = { ...Object(root[section]), [name]: value };
  }
  return root;
};

const withDerived = (settings: readonly Setting[]): Setting[] => {
  const listen = settings.find(({ key }) => key.path === "listen")?.value;
  return settings.map((setting) => {
    if (setting.key.path !== "public_url") return setting;
    if (setting.value !== "") return { ...setting, value: String(setting.value).replace(/\/+$/, "") };
    return { ...setting, value: publicUrlOf(String(listen)), origin: "from listen" };
  });
};

/** What the hub of the directory serves with, as far as it is good here and nothing that was given contradicts it. */
const servedBeside = (keys: readonly Key[], given: readonly SettingSource[]): SettingSource => {
  const dataDir = given.map((source) => source.get("data_dir")?.value).find((value) => typeof value === "string");
  const served = fromServed(dataDir ?? String(keys.find(({ path }) => path === "data_dir")?.fallback));
  const isOther = given.some((source) => source.has("listen"));
  return new Map(
    keys.flatMap((key) => {
      const noted = served.get(key.path);
      const isDerived = key.path === "public_url" && isOther;
      return noted && !isDerived && isGood(key, noted.value) ? [[key.path, noted] as const] : [];
    }),
  );
};

/** Flags before environment before file before defaults; throws `ConfigError` with everything that is wrong. */
export const loadConfig = ({ environment, flags = {}, file, besideHub = false }: LoadOptions): Loaded => {
  const keys = configKeys();
  const problems: string[] = [];
  const named = file ?? (environment[CONFIG_VARIABLE] || undefined);
  const { source: standard, ignored } = fromOtelEnvironment({ keys, settled }, environment);
  const given = [fromFlags(flags), fromEnvironment(keys, environment, problems), standard];
  const rest =
    named !== undefined ? fromFile(keys, named, problems) : besideHub ? servedBeside(keys, given) : new Map();
  const sources: SettingSource[] = [...given, rest];
  const found = keys.map((key): Setting => {
    const given = sources.map((source) => source.get(key.path)).find((entry) => entry !== undefined);
    return given ? settle(key, given, problems) : { key, value: structuredClone(key.fallback), origin: "default" };
  });
  if (problems.length > 0) throw new ConfigError(problems);
  const settings = withDerived(found);
  const config: unknown = assemble(settings);
  if (!isConfig(config)) throw new ConfigError(["the configuration does not have its own form"]);
  const further = settings.flatMap(({ key, origin }) => {
    const problem = FURTHER[key.path]?.(config) ?? null;
    return problem === null ? [] : [`${key.path}: ${problem} (from ${origin})`];
  });
  if (further.length > 0) throw new ConfigError(further);
  return { config: freezeDeep(config), settings, file: named === undefined ? null : resolve(named), ignored };
};

const isConfig = (value: unknown): value is Config => fits(ConfigSchema, value);

type GivenConfig = Pick<Loaded, "config" | "settings" | "file">;

/** What a command's reader has to repeat to mean the same hub from the same folder: nothing where nothing was given. */
export const givenPlace = ({ config, settings, file }: GivenConfig): HubPlace => {
  const origin = settings.find(({ key }) => key.path === "data_dir")?.origin;
  const isNamed = origin !== undefined && origin !== "default" && origin !== file;
  return { config: file, data_dir: isNamed ? resolve(config.data_dir) : null };
};

/** The same from any folder, for what a serving hub shows: its readers are elsewhere. */
export const hubPlace = (given: GivenConfig): HubPlace => {
  const place = givenPlace(given);
  const isNamed = place.config !== null || place.data_dir !== null;
  return isNamed ? place : { config: null, data_dir: resolve(given.config.data_dir) };
};
