import type { JsonRecord } from "#core/json/json";
import type { ModelApiName } from "#model/model-api";
import type { ProviderKind } from "#model/provider";

/** A call as the kinds know it. */
export type KindCall = {
  readonly api: ModelApiName;
  /** Below an API's root, with a slash before it: `/chat/completions`. */
  readonly path: string;
  /** The provider's own name of the model. */
  readonly model: string;
  readonly stream: boolean;
};

/** Where providers of one kind are called, and what they are sent there. A new kind is one more of these. */
type KindRules = {
  /** What stands between the base URL and the path of an API. */
  readonly root: (api: ModelApiName) => string;
  /** Where the address is of another form: below the base URL. */
  readonly path?: (call: KindCall) => string | null;
  /** Where the body is of another form. */
  readonly body?: (call: KindCall, request: Readonly<JsonRecord>) => JsonRecord | null;
  /** Where models are listed, below the root of an API; null where they are not. */
  readonly list: { readonly api: ModelApiName; readonly path: string } | null;
  /** Whether Anthropic's headers are sent with `messages`, and whether the version is one of them. */
  readonly anthropicHeaders: "all" | "beta" | "none";
};

const MODELS = "/models";
/** What Vertex takes in place of the header `anthropic-version`: cloud.google.com/vertex-ai/generative-ai/docs/partner-models/claude. */
const VERTEX_VERSION = "vertex-2023-10-16";
/** The version of Anthropic's API that is asked for where the client names none. */
const ANTHROPIC_VERSION = "2023-06-01";
const COUNT_TOKENS = "/messages/count_tokens";

const cloudRoot = (api: ModelApiName): string => (api === "messages" ? "/anthropic/v1" : "/openai/v1");

const RULES: Readonly<Record<ProviderKind, KindRules>> = {
  openai: { root: () => "", list: { api: "chat", path: MODELS }, anthropicHeaders: "none" },
  anthropic: { root: () => "/v1", list: { api: "messages", path: `${MODELS}?limit=1000` }, anthropicHeaders: "all" },
  azure: { root: cloudRoot, list: { api: "chat", path: MODELS }, anthropicHeaders: "all" },
  bedrock: { root: cloudRoot, list: null, anthropicHeaders: "all" },
  vertex: {
    root: () => "/endpoints/openapi",
    path: ({ api, path, model, stream }) => {
      if (api !== "messages") return null;
      if (path === COUNT_TOKENS) return "/publishers/anthropic/models/count-tokens:rawPredict";
      // Versions of models stand behind an @, which Google's own clients send as it is.
      const name = encodeURIComponent(model).replaceAll("%40", "@");
      return `/publishers/anthropic/models/${name}:${stream ? "streamRawPredict" : "rawPredict"}`;
    },
    body: ({ api, path }, request) => {
      if (api !== "messages") return null;
      const { model, ...rest } = request;
      const version = { anthropic_version: VERTEX_VERSION };
      return path === COUNT_TOKENS ? { ...version, ...request } : { ...version, ...rest };
    },
    list: null,
    anthropicHeaders: "beta",
  },
};

/** Where the calls of one provider go. */
export type ProviderAddresses = {
  readonly of: (call: KindCall) => string;
  /** Where it lists its models; null where providers of its kind do not. */
  readonly list: string | null;
};

/** A base URL that ends in a version is the root of its API already. */
const isRoot = (baseUrl: string): boolean => /\/v\d+(?:beta\d*)?$/.test(URL.parse(baseUrl)?.pathname ?? "");

/** Made once a provider: a base URL takes longer to parse than all else about an address. */
export const addressesOf = (kind: ProviderKind, baseUrl: string): ProviderAddresses => {
  const { root, path, list } = RULES[kind];
  const hasRoot = kind !== "vertex" && isRoot(baseUrl);
  const of = (call: KindCall) => baseUrl + (path?.(call) ?? (hasRoot ? "" : root(call.api)) + call.path);
  return { of, list: list === null ? null : of({ ...list, model: "", stream: false }) };
};

/** The body where it differs from the request: another model name, or another form. Null where it does not. */
export const bodyOf = (
  kind: ProviderKind,
  call: KindCall,
  asked: string,
  request: Readonly<JsonRecord>,
): JsonRecord | null => {
  const named = call.model === asked ? request : { ...request, model: call.model };
  return RULES[kind].body?.(call, named) ?? (named === request ? null : named);
};

/** What is sent beside the credential: of the client's headers those that its API passes on, for providers that know them. */
export const headersOf = (
  kind: ProviderKind,
  api: ModelApiName,
  given: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> => {
  const { anthropicHeaders } = RULES[kind];
  if (api !== "messages" || anthropicHeaders === "none") return NO_HEADERS;
  const beta = given["anthropic-beta"];
  const version = given["anthropic-version"] ?? ANTHROPIC_VERSION;
  return {
    ...(anthropicHeaders === "all" && { "anthropic-version": version }),
    ...(beta !== undefined && { "anthropic-beta": beta }),
  };
};

const NO_HEADERS: Readonly<Record<string, string>> = {};
