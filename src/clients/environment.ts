import { CLIENT_VARIABLES } from "#model/client-variables";
import { OTHER_SERVICES } from "./claude-code";
import { ZED_KEY } from "./zed";

type Variables = Readonly<Record<string, string>>;
type Hub = { readonly hub: string; readonly token: string };

/** What OpenAI's SDKs, and those that go by its variables, read. */
export const openaiVariables = ({ hub, token }: Hub): Variables => ({
  OPENAI_BASE_URL: `${hub}/v1`,
  OPENAI_API_BASE: `${hub}/v1`,
  OPENAI_API_KEY: token,
  // Traces hold texts, and are sent to OpenAI with the key.
  OPENAI_AGENTS_DISABLE_TRACING: "1",
});

/** What a program is run with, so that SDKs of OpenAI and Anthropic in it ask the hub; undefined for what it must not have. */
export const programVariables = ({ hub, token }: Hub): Readonly<Record<string, string | undefined>> => ({
  [CLIENT_VARIABLES.url]: hub,
  [CLIENT_VARIABLES.token]: token,
  ...openaiVariables({ hub, token }),
  ANTHROPIC_BASE_URL: hub,
  ANTHROPIC_AUTH_TOKEN: token,
  // Would be sent instead of it.
  ANTHROPIC_API_KEY: undefined,
  ...Object.fromEntries(OTHER_SERVICES.map((name) => [name, undefined])),
  // The hub does not serve Gemini's own API: a program that uses it is refused, instead of going past the hub.
  GOOGLE_GEMINI_BASE_URL: hub,
  [ZED_KEY]: token,
});
