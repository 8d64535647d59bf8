import { errorBody, type GuardError } from "#core/errors";
import { isRecord, type JsonRecord } from "#core/json/json";
import type { ErrorSide } from "#guard/apis/api";

/** Errors as OpenAI words them. */
export const OPENAI_ERRORS: Omit<ErrorSide, "refusalOf"> = {
  bodyOf: (error: GuardError): JsonRecord => ({ ...errorBody(error) }),
  headersOf: () => ({}),
  ofProvider: (body: unknown): JsonRecord => {
    const error = isRecord(body) && isRecord(body["error"]) ? body["error"] : {};
    return {
      error: {
        message: typeof error["message"] === "string" ? error["message"] : "The provider refused the request.",
        type: typeof error["type"] === "string" ? error["type"] : "invalid_request_error",
        param: typeof error["param"] === "string" ? error["param"] : null,
        code: typeof error["code"] === "string" ? error["code"] : "upstream_rejected",
      },
    };
  },
};

/** The same, with all that a provider's own error says beside: what it objects to in an agent's doing. */
export const OPENAI_ERRORS_WHOLE: typeof OPENAI_ERRORS = {
  ...OPENAI_ERRORS,
  ofProvider: (body) => {
    const known = OPENAI_ERRORS.ofProvider(body)["error"];
    const error = isRecord(body) && isRecord(body["error"]) ? body["error"] : {};
    return { error: isRecord(known) ? { ...error, ...known } : known };
  },
};
