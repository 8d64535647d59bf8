import { GuardError } from "#core/errors";
import { MODEL_APIS, SPOKEN } from "#model/model-api";

/*
 * What clients ask for that the hub does not serve, and which setting of theirs helps. A client that only hears "404"
 * takes the model or the key for wrong, and some ask five times.
 */

/** As in a sentence: a, b and c. */
const listed = (words: readonly string[]): string => `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;

const SERVED = `This hub serves ${listed(MODEL_APIS.map((api) => SPOKEN[api].name))}.`;
const MORE = "More: docs/clients.md.";

/** By address; the first that fits counts. Each is tried at the end of a path, behind any base path. */
const HINTS: readonly (readonly [path: RegExp, hint: string])[] = [
  [/\/v1\/v1(?:\/|$)/, "The address has /v1 twice, because the client adds it: remove /v1 from its base URL."],
  [
    /\/v1\/conversations(?:\/|$)/,
    "Conversations that the provider keeps are not served: send the whole conversation in `input` of /v1/responses.",
  ],
  [/\/v1\/responses(?:\/|$)/, "Of the Responses API this address is not served; /openapi.json lists those that are."],
  [
    /\/v1\/messages\/batches(?:\/|$)/,
    "Message batches are not served: what is in them would be answered without being scanned. Send each as a call to /v1/messages.",
  ],
  [
    /\/v1\/(?:moderations|images|audio|videos|files|uploads|batches|realtime|vector_stores|assistants|threads|fine_tuning|containers|evals)(?:\/|$)/,
    `${SERVED} This OpenAI API is not served: set another base URL for it in the client. Texts sent there are not scanned.`,
  ],
  [
    /\/openai\/(?:deployments|v1)(?:\/|$)/,
    `${SERVED} Azure addresses are not served: use the plain OpenAI client with the base URL {hub_url}/v1 and the model's name. The api-key header is accepted.`,
  ],
  [
    /\/(?:v1beta(?:\/|$)|v1\/(?:models|projects)\/.+:(?:stream)?[gG]enerate)/,
    `${SERVED} Gemini's API is not served: choose an OpenAI-compatible provider in the client, with the base URL {hub_url}/v1.`,
  ],
  [
    /\/api\/(?:chat|generate|tags|show|embed|embeddings|ps|pull|version)$/,
    `${SERVED} Ollama's own API is not served: choose an OpenAI-compatible provider in the client, with the base URL {hub_url}/v1.`,
  ],
  [
    /(?<!\/v1)\/(?:chat\/completions|models|responses|embeddings|completions|messages)$/,
    "The /v1 is missing: the client's base URL is {hub_url}/v1.",
  ],
];

const PATHS = [...MODEL_APIS.map((api) => SPOKEN[api].path), "/v1/models", "/v1/guard/scan", "/mcp/gateway"];
const NOTHING = `There is nothing at this address. The hub serves ${listed(PATHS)}.`;

/** For an address at which nothing is served. */
export const notOffered = (path: string): GuardError => {
  const plain = path.length > 1 ? path.replace(/\/+$/, "") : path;
  const hint = HINTS.find(([pattern]) => pattern.test(plain))?.[1];
  const message = hint === undefined ? NOTHING : `There is nothing at this address. ${hint} ${MORE}`;
  return new GuardError("unknown_url", message);
};

type Route = { readonly method: string; readonly path: string };

/**
 * The methods an address takes, of a list of routes: tells a wrong method (405) from a wrong address (404).
 * A path's `*` stands for one segment or more.
 */
export const methodsAt = (routes: () => readonly Route[]): ((path: string) => readonly string[]) => {
  let patterns: readonly { readonly method: string; readonly fits: RegExp }[] | undefined;
  return (path) => {
    patterns ??= routes().map(({ method, path: template }) => ({ method, fits: patternOf(template) }));
    // The router takes an address with a slash at its end for the one without.
    const plain = path.length > 1 ? path.replace(/\/$/, "") : path;
    const methods = patterns.filter(({ fits }) => fits.test(plain)).map(({ method }) => method);
    return methods.includes("GET") ? [...new Set([...methods, "HEAD"])] : [...new Set(methods)];
  };
};

const patternOf = (template: string): RegExp => {
  const segments = template.split("/").map((segment) => {
    if (segment === "*") return ".+";
    return segment.startsWith(":") ? "[^/]+" : RegExp.escape(segment);
  });
  return new RegExp(`^${segments.join("/")}$`);
};
