import { anthropicErrorBody, REQUEST_ID } from "#core/anthropic-error";
import { isRecord } from "#core/json/json";
import type { ErrorSide } from "#guard/apis/api";

/** Errors as Anthropic words them. */
export const ANTHROPIC_ERRORS: Omit<ErrorSide, "refusalOf"> = {
  bodyOf: anthropicErrorBody,
  headersOf: (callId) => ({ [REQUEST_ID]: callId }),
  // As it came: its clients act on the words, to compact, to drop thinking, to ask again without what was refused.
  ofProvider: (body) =>
    isRecord(body) && isRecord(body["error"])
      ? body
      : {
          type: "error",
          error: { type: "invalid_request_error", message: "The provider refused the request." },
        },
  // `overloaded_error` with 529 among them: clients wait and try again, or take another model.
  showsFailure: (body) => isRecord(body) && body["type"] === "error" && isRecord(body["error"]),
};
