import type { ProviderKind } from "#model/provider";

/* How providers and tool servers are called in traces. */

/** Where something is reached. */
export type Address = { readonly host: string; readonly port: number };

export type TracedProvider = { readonly genAiName: string; readonly address: Address | null };

const OF_KIND: Readonly<Record<Exclude<ProviderKind, "openai">, string>> = {
  anthropic: "anthropic",
  azure: "azure.ai.openai",
  bedrock: "aws.bedrock",
  vertex: "gcp.vertex_ai",
};

/** Providers that speak OpenAI's API under a well-known name of their own, by the end of their host name. */
const OF_HOST: readonly (readonly [host: string, name: string])[] = [
  ["generativelanguage.googleapis.com", "gcp.gemini"],
  ["api.mistral.ai", "mistral_ai"],
  ["api.deepseek.com", "deepseek"],
  ["api.groq.com", "groq"],
  ["api.x.ai", "x_ai"],
  ["api.perplexity.ai", "perplexity"],
  ["api.cohere.com", "cohere"],
  ["api.cohere.ai", "cohere"],
  ["api.moonshot.ai", "moonshot_ai"],
  ["api.moonshot.cn", "moonshot_ai"],
];

/** The value of `gen_ai.provider.name`: what speaks OpenAI's API is called so where nothing better is known. */
export const providerOf = (kind: ProviderKind, baseUrl: string): TracedProvider => {
  const address = addressOf(baseUrl);
  const known = OF_HOST.find(([host]) => address?.host === host)?.[1];
  return { genAiName: kind === "openai" ? (known ?? "openai") : OF_KIND[kind], address };
};

/** Null for what is no http or https URL. */
export const addressOf = (text: string): Address | null => {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:")) return null;
  const fallback = url.protocol === "https:" ? 443 : 80;
  return { host: url.hostname.replace(/^\[|\]$/g, ""), port: url.port === "" ? fallback : Number(url.port) };
};
