import { AnswerTooLarge, textWithin } from "./answer-limit";
import { type GuardedFetch, NotConnected } from "./guarded-fetch";
import { plainFetch } from "./plain-fetch";
import type { ProviderCheck } from "./port";

/** How long a provider may take to list its models. */
const LIMIT_MS = 10_000;
const SHOWN_MODELS = 1_000;

/**
 * `GET {base_url}/models` with the key, by `get` where the address is to be checked first; `maxBytes` of the answer are
 * read. Says nothing a provider wrote but its model names, and never the key.
 */
export const askForModels = async (
  baseUrl: string,
  key: string | null,
  maxBytes: number,
  get: GuardedFetch = plainFetch,
): Promise<ProviderCheck> => {
  const began = performance.now();
  const ended = () => Math.round(performance.now() - began);
  try {
    const response = await get(`${baseUrl}/models`, {
      headers: key === null ? {} : { authorization: `Bearer ${key}` },
      // A redirect would carry the key to wherever it points.
      redirect: "manual",
      signal: AbortSignal.timeout(LIMIT_MS),
    });
    const body = await textWithin(response, maxBytes);
    if (response.status !== 200)
      return { ok: false, status: response.status, models: [], problem: meaningOf(response.status), ms: ended() };
    const models = modelsIn(body);
    const problem =
      models === null ? "The answer is no model list; is the base URL right (often it ends in /v1)?" : null;
    return { ok: models !== null, status: 200, models: models ?? [], problem, ms: ended() };
  } catch (error) {
    return { ok: false, status: null, models: [], problem: reasonOf(error), ms: ended() };
  }
};

const modelsIn = (body: string): string[] | null => {
  try {
    const list: unknown = Object(JSON.parse(body)).data;
    if (!Array.isArray(list)) return null;
    const names = list.map((entry: unknown): unknown => Object(entry).id);
    return names.filter((name) => typeof name === "string").slice(0, SHOWN_MODELS);
  } catch {
    return null; // no JSON: reported as no model list
  }
};

const meaningOf = (status: number): string => {
  if (status === 401 || status === 403) return "The provider refused the key.";
  if (status === 404) return "There is no /models there; is the base URL right (often it ends in /v1)?";
  if (status >= 300 && status < 400) return "The provider answered with a redirect, which is not followed.";
  return "The provider did not answer with a model list.";
};

const reasonOf = (error: unknown): string => {
  if (error instanceof Error && error.name === "TimeoutError") return `No answer within ${LIMIT_MS / 1000} s.`;
  if (error instanceof NotConnected) return error.message;
  if (error instanceof AnswerTooLarge) return `${error.message} It is larger than upstream.answer_bytes allows.`;
  const code = error instanceof Error && "code" in error ? ` (${error.code})` : "";
  return `No connection${code}.`;
};
