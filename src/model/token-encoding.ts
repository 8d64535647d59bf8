/** Encodings whose token ids can be read. */
export const TOKEN_ENCODINGS = ["cl100k_base", "o200k_base"] as const;
export type TokenEncoding = (typeof TOKEN_ENCODINGS)[number];

/** Source: `MODEL_TO_ENCODING` and `MODEL_PREFIX_TO_ENCODING` of github.com/openai/tiktoken. */
const ENCODINGS: readonly (readonly [model: RegExp, encoding: TokenEncoding])[] = [
  [/^guardhouse\/echo$/, "cl100k_base"],
  [/^text-embedding-(?:ada-002|3-(?:small|large))$/, "cl100k_base"],
  [/^(?:babbage|davinci)-002$/, "cl100k_base"],
  [/^(?:chatgpt-4o|gpt-4o|gpt-4\.1|gpt-4\.5|gpt-5|o1|o3|o4-mini|gpt-oss)(?![\da-z])/, "o200k_base"],
  [/^gpt-(?:3\.5|35|4)(?![\d.a-z])/, "cl100k_base"],
];
/** Routers put the maker before the name. */
const MAKER = /^(?:openai|azure)\//;

/** The encoding of a model's token ids, by its name; null where nobody here knows it. */
export const encodingOfModel = (model: string): TokenEncoding | null => {
  const name = model.replace(MAKER, "");
  return ENCODINGS.find(([pattern]) => pattern.test(name))?.[1] ?? null;
};
