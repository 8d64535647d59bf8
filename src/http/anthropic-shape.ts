import { anthropicErrorBody, REQUEST_ID } from "#core/anthropic-error";
import type { GuardError } from "#core/errors";

/** How an API that has a shape of its own words an error. */
export type ErrorShape = { readonly body: unknown; readonly headers: Readonly<Record<string, string>> };

/** Addresses whose clients read errors in Anthropic's shape, behind any base path. */
const MESSAGES = /\/v1\/messages(?:\/|$)/;
/** Addresses that clients of both shapes ask. */
const MODELS = /\/v1\/models(?:\/|$)/;
/** What every client of Anthropic's sends. */
const VERSION = "anthropic-version";

type HeaderOf = (name: string) => string | null;

/** Whether a client of Anthropic's asks for models. */
export const wantsAnthropicModels = (header: HeaderOf): boolean => header(VERSION) !== null;

/** An error as the clients of Anthropic's API read it; null where the caller is none of them. */
export const anthropicShape = (path: string, header: HeaderOf, error: GuardError, id: string): ErrorShape | null => {
  if (!MESSAGES.test(path) && !(MODELS.test(path) && wantsAnthropicModels(header))) return null;
  return { body: anthropicErrorBody(error, id), headers: { [REQUEST_ID]: id } };
};
