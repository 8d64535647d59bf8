import { GuardError } from "#core/errors";
import { MODEL_APIS, type ModelApiName } from "#model/model-api";
import {
  CREDENTIAL_FIELDS,
  credentialProblem,
  defaultSource,
  type ModelAliases,
  POSSIBLE_APIS,
  type ProviderCredential,
  type ProviderKind,
  regionOf,
  serviceAccountOf,
} from "#model/provider";

/* What people say of a provider, checked. Each throws `invalid_value` for the parameter it looks at. */

const NAME = /^[a-z0-9][a-z0-9._-]{0,39}$/;
/** The built-in provider's own name. */
const RESERVED = "guardhouse";
const MAX_ALIASES = 100;

const CALLED: Readonly<Record<string, string>> = {
  base_url: "base URL",
  api_key: "API key",
  apis: "list of APIs",
  tenant_id: "tenant id",
  client_id: "client id",
  access_key_id: "access key id",
};

const invalid = (param: string, problem: string): GuardError =>
  new GuardError("invalid_value", `The ${CALLED[param] ?? param} ${problem}`, { param });

export const goodName = (name: string): string => {
  if (!NAME.test(name)) throw invalid("name", "must be lower-case letters, digits, '.', '_' and '-', at most 40");
  if (name === RESERVED) throw invalid("name", `cannot be "${RESERVED}": that is the built-in provider`);
  return name;
};

/** Without slashes at the end. A URL with a user, a query or a fragment is refused: keys belong elsewhere. */
export const goodUrl = (text: string): string => {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || (url.protocol !== "https:" && url.protocol !== "http:"))
    throw invalid("base_url", "must begin with http:// or https://");
  if (url.username !== "" || url.password !== "") throw invalid("base_url", "must not hold a user or a password");
  if (url.search !== "" || url.hash !== "") throw invalid("base_url", "must not hold a query or a fragment");
  return url.href.replace(/\/+$/, "");
};

export const goodGlobs = (models: readonly string[]): string[] => {
  const globs = models.map((glob) => glob.trim()).filter((glob) => glob !== "");
  if (globs.length === 0) throw invalid("models", "must name at least one model or pattern, e.g. gpt-*");
  const bad = globs.find((glob) => !/^[\x21-\x7e]{1,200}$/.test(glob));
  if (bad !== undefined) throw invalid("models", "must be patterns of visible ASCII characters; * stands for anything");
  return [...new Set(globs)];
};

export const goodPriority = (priority: number): number => {
  if (!Number.isInteger(priority) || priority < 0 || priority > 1_000_000) {
    throw invalid("priority", "must be a whole number from 0 to 1000000");
  }
  return priority;
};

/** A key goes into a header: one line of visible ASCII (stops header injection). That of a service account is a file. */
export const goodKey = (key: string, { source }: ProviderCredential): string => {
  const trimmed = key.trim();
  if (source === "service-account") {
    if (trimmed.length > MAX_KEY_FILE || serviceAccountOf(trimmed) === null) {
      throw invalid("api_key", "must be the JSON key file of a service account");
    }
    return trimmed;
  }
  if (!/^[\x21-\x7e]{1,4096}$/.test(trimmed)) throw invalid("api_key", "must be one line of visible ASCII characters");
  return trimmed;
};

const MAX_KEY_FILE = 16_384;

export const goodApis = (kind: ProviderKind, apis: readonly ModelApiName[] | null): readonly ModelApiName[] | null => {
  if (apis === null) return null;
  const possible = POSSIBLE_APIS[kind];
  if (apis.length === 0) throw invalid("apis", "must name at least one API");
  const bad = apis.find((api) => !possible.includes(api));
  if (bad !== undefined) throw invalid("apis", `can be ${possible.join(", ")} for providers of kind ${kind}`);
  return MODEL_APIS.filter((api) => apis.includes(api));
};

export const goodAliases = (aliases: ModelAliases): ModelAliases => {
  const names = Object.entries(aliases).flat();
  if (names.length > 2 * MAX_ALIASES) throw invalid("aliases", `can be ${MAX_ALIASES} at most`);
  const isGood = names.every((name) => /^[\x21-\x7e]{1,200}$/.test(name) && !name.includes("*"));
  if (!isGood) throw invalid("aliases", "must be model names of visible ASCII characters without *");
  return aliases;
};

type Given = { readonly kind: ProviderKind; readonly baseUrl: string; readonly hasKey: boolean };

/** With the region that the address names, where it is one of AWS. */
export const goodCredential = (
  wanted: ProviderCredential | undefined,
  { kind, baseUrl, hasKey }: Given,
): ProviderCredential => {
  const said = wanted ?? { source: defaultSource(kind) };
  const region = said.source.startsWith("aws-") ? (said.region ?? regionOf(baseUrl)) : said.region;
  const fields = CREDENTIAL_FIELDS.flatMap((field) => {
    const value = field === "region" ? region : said[field];
    return value === undefined || value === null ? [] : [[field, value] as const];
  });
  const file = said.secret_file === undefined ? {} : { secret_file: said.secret_file };
  const credential: ProviderCredential = { source: said.source, ...Object.fromEntries(fields), ...file };
  const problem = credentialProblem(kind, credential, hasKey);
  if (problem !== null) throw invalid(problem.param, problem.problem);
  return credential;
};
