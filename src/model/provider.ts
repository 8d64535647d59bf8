import { isRecord, parseJson } from "#core/json/json";
import { Type } from "#core/schema";
import { MODEL_APIS, type ModelApiName } from "./model-api";

/** What a provider's API, its addresses and its credentials are like. `openai` is everything compatible with OpenAI's. */
export const PROVIDER_KINDS = ["openai", "anthropic", "azure", "bedrock", "vertex"] as const;
export type ProviderKind = (typeof PROVIDER_KINDS)[number];

/** What a provider of each kind is asked by where nobody says otherwise. */
export const DEFAULT_APIS: Readonly<Record<ProviderKind, readonly ModelApiName[]>> = {
  openai: ["chat", "responses", "embeddings", "completions"],
  anthropic: ["messages"],
  azure: ["chat", "responses", "embeddings"],
  bedrock: ["chat", "responses", "messages"],
  vertex: ["chat", "messages"],
};

/** What a provider of each kind can be asked by at all: for the others the hub knows no address there. */
export const POSSIBLE_APIS: Readonly<Record<ProviderKind, readonly ModelApiName[]>> = {
  openai: ["chat", "responses", "messages", "embeddings", "completions"],
  anthropic: ["messages"],
  azure: ["chat", "responses", "messages", "embeddings", "completions"],
  bedrock: ["chat", "responses", "messages"],
  vertex: ["chat", "messages"],
};

/** Where what authenticates the hub at a provider comes from. */
export const CREDENTIAL_SOURCES = [
  "key",
  "entra",
  "aws-keys",
  "aws-profile",
  "aws-web-identity",
  "aws-container",
  "aws-instance",
  "service-account",
  "metadata-server",
] as const;
export type CredentialSource = (typeof CREDENTIAL_SOURCES)[number];

/** What is said of a source beside its secret. None of it is secret. */
export const CREDENTIAL_FIELDS = ["tenant_id", "client_id", "access_key_id", "region", "profile"] as const;
export type CredentialField = (typeof CREDENTIAL_FIELDS)[number];

export type ProviderCredential = Readonly<Partial<Record<CredentialField, string>>> & {
  readonly source: CredentialSource;
  /** An absolute path: the secret is read there and not kept. */
  readonly secret_file?: string;
};

type SourceRule = {
  readonly kinds: readonly ProviderKind[];
  readonly needs: readonly CredentialField[];
  readonly takes: readonly CredentialField[];
  readonly secret: "needed" | "possible" | "none";
  /** It is the machine's own identity: only who operates the hub may have it sent anywhere. */
  readonly isOfMachine: boolean;
};

const aws = (rest: Partial<SourceRule>): SourceRule => ({
  kinds: ["bedrock"],
  needs: ["region"],
  takes: [],
  secret: "none",
  isOfMachine: true,
  ...rest,
});

export const SOURCE_RULES: Readonly<Record<CredentialSource, SourceRule>> = {
  key: {
    kinds: ["openai", "anthropic", "azure", "bedrock"],
    needs: [],
    takes: [],
    secret: "possible",
    isOfMachine: false,
  },
  entra: {
    kinds: ["azure"],
    needs: ["tenant_id", "client_id"],
    takes: [],
    secret: "needed",
    isOfMachine: false,
  },
  "aws-keys": aws({ needs: ["region", "access_key_id"], secret: "needed", isOfMachine: false }),
  "aws-profile": aws({ takes: ["profile"] }),
  "aws-web-identity": aws({}),
  "aws-container": aws({}),
  "aws-instance": aws({}),
  "service-account": { kinds: ["vertex"], needs: [], takes: [], secret: "needed", isOfMachine: false },
  "metadata-server": { kinds: ["vertex"], needs: [], takes: [], secret: "none", isOfMachine: true },
};

export const defaultSource = (kind: ProviderKind): CredentialSource => (kind === "vertex" ? "service-account" : "key");

/** Whether the hub sends something of the machine it runs on, which nobody but its operator may decide. */
export const isOfMachine = ({ source, secret_file }: ProviderCredential): boolean =>
  SOURCE_RULES[source].isOfMachine || secret_file !== undefined;

/** A model name as callers give it, and the name the provider has for it. */
export type ModelAliases = Readonly<Record<string, string>>;

export type ProviderProblem = { readonly param: string; readonly problem: string };

const FIELD_FORMS: Readonly<Record<CredentialField, RegExp>> = {
  tenant_id: /^[A-Za-z0-9.-]{1,128}$/,
  client_id: /^[A-Za-z0-9-]{1,128}$/,
  access_key_id: /^[A-Z0-9]{8,128}$/,
  region: /^[a-z]{2,4}(?:-[a-z0-9]+){1,4}$/,
  profile: /^[\w.@+-]{1,128}$/,
};

/** The first thing that is wrong with a credential of a kind of provider; null for nothing. */
export const credentialProblem = (
  kind: ProviderKind,
  credential: ProviderCredential,
  hasSecret: boolean,
): ProviderProblem | null => {
  const { source } = credential;
  const rule = SOURCE_RULES[source];
  if (!rule.kinds.includes(kind)) return { param: "credential", problem: `${source} is not for the kind ${kind}` };
  for (const field of CREDENTIAL_FIELDS) {
    const problem = fieldProblem(field, credential[field], rule);
    if (problem !== null) return { param: field, problem: `${problem} ${source}` };
  }
  const isGiven = hasSecret || credential.secret_file !== undefined;
  if (rule.secret === "needed" && !isGiven) return { param: "api_key", problem: `is needed for ${source}` };
  return rule.secret === "none" && isGiven ? { param: "api_key", problem: `is not for ${source}` } : null;
};

const fieldProblem = (field: CredentialField, value: string | undefined, { needs, takes }: SourceRule) => {
  if (value === undefined) return needs.includes(field) ? "is needed for" : null;
  if (!needs.includes(field) && !takes.includes(field)) return "is not for";
  return FIELD_FORMS[field].test(value) ? null : "does not have the form it has for";
};

/** Endpoints of AWS that are signed for under a name of their own. */
const OWN_SERVICES = ["bedrock-mantle", "aws-external-anthropic"];

/** The name that requests to an endpoint of Bedrock are signed for. */
export const signingServiceOf = (url: string): string => {
  const [first = ""] = new URL(url).hostname.split(".");
  return OWN_SERVICES.includes(first) ? first : "bedrock";
};

/** The AWS region that the host name of an endpoint of AWS names; null for others. */
export const regionOf = (baseUrl: string): string | null => {
  const { hostname } = new URL(baseUrl);
  return /\.([a-z]{2,4}(?:-[a-z]+)+-\d+)\.(?:amazonaws\.(?:com(?:\.cn)?|eu)|api\.aws)$/.exec(hostname)?.[1] ?? null;
};

/** What a provider failed of: it refused the credential, answered with an error of its own, or did not answer. */
export type BreakerCause = "auth" | "server" | "connection";

/**
 * Whether a provider's credential is used: `open` after failures in a row, then it is asked only when no other provider
 * answers; `half_open` while one call tries whether it works again.
 */
export const BREAKER_STATES = ["closed", "open", "half_open"] as const;
export type BreakerState = (typeof BREAKER_STATES)[number];

export type BreakerReading = {
  readonly state: BreakerState;
  /** In a row. */
  readonly failures: number;
  /** Of the last failure; null while there is none. */
  readonly cause: BreakerCause | null;
  /** When the state began, in Unix milliseconds; null for one that has always been closed. */
  readonly since: number | null;
};

const oneOf = <const T extends readonly string[]>(values: T) =>
  Type.Union(values.map((value) => Type.Literal<T[number]>(value)));

const text = Type.Optional(Type.String());

/** What is stored of a provider as JSON. */
export const ProviderSaid = Type.Object({
  models: Type.Array(Type.String()),
  apis: Type.Union([Type.Array(oneOf(MODEL_APIS)), Type.Null()]),
  aliases: Type.Record(Type.String(), Type.String()),
  credential: Type.Object({
    source: oneOf(CREDENTIAL_SOURCES),
    tenant_id: text,
    client_id: text,
    access_key_id: text,
    region: text,
    profile: text,
    secret_file: text,
  }),
});

/** A service account of Google, as its JSON key file has it. */
export type ServiceAccount = {
  readonly email: string;
  /** PEM, PKCS #8. */
  readonly privateKey: string;
  readonly keyId: string | null;
  readonly tokenUrl: string;
};

const TOKEN_URL = "https://oauth2.googleapis.com/token";

/** Null for what is no key file of a service account. */
export const serviceAccountOf = (text: string): ServiceAccount | null => {
  const body = parseJson(text);
  if (!isRecord(body)) return null;
  const { client_email, private_key, private_key_id, token_uri } = body;
  if (typeof client_email !== "string" || typeof private_key !== "string") return null;
  if (!private_key.includes("-----BEGIN PRIVATE KEY-----")) return null;
  return {
    email: client_email,
    privateKey: private_key,
    keyId: typeof private_key_id === "string" ? private_key_id : null,
    tokenUrl: typeof token_uri === "string" && URL.canParse(token_uri) ? token_uri : TOKEN_URL,
  };
};
