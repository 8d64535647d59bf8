import type { ModelApiName } from "#model/model-api";
import type { ModelAliases, ProviderKind } from "#model/provider";
import { AnswerTooLarge, textWithin } from "./answer-limit";
import { type GuardedFetch, NotConnected } from "./guarded-fetch";
import { addressesOf, bodyOf, headersOf } from "./kinds";
import { plainFetch, plainHeaders } from "./plain-fetch";
import { type ApiCheck, type Credential, CredentialFailure, type ProviderCheck } from "./port";

export type CheckedProvider = {
  readonly kind: ProviderKind;
  readonly baseUrl: string;
  readonly models: readonly string[];
  readonly aliases: ModelAliases;
  /** Those that are tried. */
  readonly apis: readonly ModelApiName[];
  readonly credential: Credential;
  /** So much of an answer is read. */
  readonly maxBytes: number;
  /** For an address that is to be checked first. */
  readonly fetch?: GuardedFetch | undefined;
};

/** How long a provider may take for each answer. */
const LIMIT_MS = 10_000;
const SHOWN_MODELS = 1_000;

const PATHS: Readonly<Record<ModelApiName, string>> = {
  chat: "/chat/completions",
  responses: "/responses",
  messages: "/messages",
  embeddings: "/embeddings",
  completions: "/completions",
};

/**
 * Lists the models, where providers of the kind do, and sends an empty request to each API: a provider that has the
 * API refuses it, and it costs nothing. Reports nothing a provider wrote but model names, and never a credential.
 */
export const checkProvider = async (provider: CheckedProvider): Promise<ProviderCheck> => {
  const began = performance.now();
  const listed = await listOf(provider);
  const apis = await Promise.all(provider.apis.map((api) => apiCheck(provider, api)));
  const ms = Math.round(performance.now() - began);
  if (listed !== null) return { ...listed, apis, ms };
  const works = apis.find(({ ok }) => ok);
  const problem = works ? null : (apis[0]?.problem ?? null);
  const status = (works ?? apis[0])?.status ?? null;
  return { ok: works !== undefined, status, models: [], problem, apis, ms };
};

type Listed = Pick<ProviderCheck, "ok" | "status" | "models" | "problem">;

const listOf = async (provider: CheckedProvider): Promise<Listed | null> => {
  const { kind, baseUrl, maxBytes } = provider;
  const url = addressesOf(kind, baseUrl).list;
  if (url === null) return null;
  try {
    const headers = headersOf(kind, kind === "anthropic" ? "messages" : "chat", {});
    const response = await ask(provider, { method: "GET", url, headers, body: "" });
    const body = await textWithin(response, maxBytes);
    const { status } = response;
    if (status !== 200) return { ok: false, status, models: [], problem: meaningOf(status) };
    const models = modelsIn(body);
    const problem =
      models === null ? "The answer is no model list; is the base URL right (often it ends in /v1)?" : null;
    return { ok: models !== null, status: 200, models: models ?? [], problem };
  } catch (error) {
    return { ok: false, status: null, models: [], problem: reasonOf(error) };
  }
};

const apiCheck = async (provider: CheckedProvider, api: ModelApiName): Promise<ApiCheck> => {
  const { kind, baseUrl, models, aliases } = provider;
  // In an address there must be some name; in the body there is none, so that nothing can come of it.
  const model = Object.values(aliases)[0] ?? models.find((glob) => !glob.includes("*")) ?? "any";
  const call = { api, path: PATHS[api], model, stream: false };
  try {
    const body = JSON.stringify(bodyOf(kind, { ...call, model: "" }, "", {}) ?? {});
    const headers = headersOf(kind, api, {});
    const response = await ask(provider, { method: "POST", url: addressesOf(kind, baseUrl).of(call), headers, body });
    await response.body?.cancel();
    const { status } = response;
    const ok = status < 300 || IS_THERE.includes(status);
    return { api, ok, status, problem: ok ? null : apiProblem(status) };
  } catch (error) {
    return { api, ok: false, status: null, problem: reasonOf(error) };
  }
};

/** What providers say to an empty request by an API they have: that it is not valid, or that there are too many. */
const IS_THERE: readonly number[] = [400, 422, 429];

type Question = {
  readonly method: "GET" | "POST";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

const ask = async ({ credential, fetch = plainFetch }: CheckedProvider, question: Question): Promise<Response> => {
  const { method, url, body } = question;
  const signal = AbortSignal.timeout(LIMIT_MS);
  const headers = plainHeaders({ "content-type": "application/json", ...question.headers });
  const authorized = await credential.authorize({ method, url, headers, body }, signal);
  // A redirect would carry the key to wherever it points.
  return fetch(url, { method, headers: authorized, redirect: "manual", signal, ...(method === "POST" && { body }) });
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
  if (status === 404) return "The base URL has no /models: check it (often it ends in /v1).";
  if (status >= 300 && status < 400) return "The provider answered with a redirect, which is not followed.";
  return "The provider did not answer with a model list.";
};

const apiProblem = (status: number): string => {
  if (status === 401 || status === 403) return "The provider refused the key.";
  if (status === 404 || status === 405 || status === 501) return "The provider does not have this API at this address.";
  if (status >= 300 && status < 400) return "The provider answered with a redirect, which is not followed.";
  return "The provider failed.";
};

const reasonOf = (error: unknown): string => {
  if (error instanceof Error && error.name === "TimeoutError") return `No answer within ${LIMIT_MS / 1000} s.`;
  if (error instanceof NotConnected) return error.message;
  if (error instanceof AnswerTooLarge) return `${error.message} It is larger than upstream.answer_bytes allows.`;
  if (error instanceof CredentialFailure) return error.message;
  const code = error instanceof Error && "code" in error ? ` (${error.code})` : "";
  return `No connection${code}.`;
};
