import { ERROR_CATALOGUE, type ErrorCode } from "#core/errors";
import type { JsonRecord } from "#core/json/json";
import { Type } from "#core/schema";
import type { ErrorForm } from "./route-doc";

const CODES = Object.keys(ERROR_CATALOGUE).filter(isCode);

/** The envelope of every error below `/v1` and `/api`. */
export const ErrorEnvelope = Type.Object(
  {
    error: Type.Object(
      {
        message: Type.String({ description: "For people. Never contains submitted content." }),
        type: Type.String({ description: "Error type, as in the OpenAI API." }),
        param: Type.Union([Type.String(), Type.Null()], {
          description: "JSON path of the part of the request the error is about.",
        }),
        code: Type.Unsafe<ErrorCode>({
          type: "string",
          enum: CODES,
          description: "Error code for programs; see docs/errors.md.",
        }),
        event_id: Type.Optional(Type.String({ description: "Id of the decision, to name in a dispute." })),
        guard: Type.Optional(Type.Unknown({ description: "Reason of the refusal: restriction, rule or layer." })),
      },
      { additionalProperties: true, description: "Some codes have additional fields." },
    ),
  },
  { $id: "Error", description: "An error." },
);

/** What a route can answer with beside what is its own, by what it is. */
export type ErrorKind = {
  readonly security: readonly JsonRecord[];
  readonly needsFresh: boolean;
  readonly hasBody: boolean;
  readonly hasParams: boolean;
  readonly hasQuery: boolean;
  readonly isChange: boolean;
  readonly isEarly: boolean;
};

/** Whatever is asked. */
const ALWAYS: readonly ErrorCode[] = ["invalid_host", "internal_error", "database_unavailable"];
const HELD_BACK: readonly ErrorCode[] = ["audit_unavailable", "shutting_down"];
/** Browsers send the cookie whatever page made the request, so changes also need the hub's own origin. */
const FOR_PEOPLE: readonly ErrorCode[] = ["origin_not_allowed"];

export const codesOf = (kind: ErrorKind, own: readonly ErrorCode[]): ErrorCode[] => {
  const isFor = (scheme: string): boolean => kind.security.some((one) => scheme in one);
  const codes = [
    ...ALWAYS,
    ...(kind.isEarly ? [] : (["setup_required"] as const)),
    ...(kind.security.length > 0 ? (["invalid_api_key"] as const) : []),
    ...(isFor("session") ? (["insufficient_scope"] as const) : []),
    ...(isFor("session") && kind.isChange ? FOR_PEOPLE : []),
    ...(kind.needsFresh ? (["fresh_session_required"] as const) : []),
    // Each call of a gateway token is recorded, reading too.
    ...(kind.isChange || isFor("gatewayToken") ? HELD_BACK : []),
    ...(kind.hasBody ? (["invalid_json", "invalid_value", "request_too_large"] as const) : []),
    ...(kind.hasQuery ? (["invalid_value"] as const) : []),
    ...(kind.hasParams ? (["not_found"] as const) : []),
    ...own,
  ];
  return [...new Set(codes)].sort();
};

/** By status, with the codes that come under it; those that many routes share stand once among the components. */
export const errorAnswers = (
  codes: readonly ErrorCode[],
  envelope: JsonRecord,
  shared: Record<string, unknown>,
  form: ErrorForm | null = null,
): JsonRecord => {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codes) {
    const { status } = ERROR_CATALOGUE[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, some]) => {
      const name = `${form === null ? "" : `${form.name}_`}${status}_${some.join("_")}`;
      shared[name] ??= form === null ? answerOf(some, envelope) : answerInForm(some, envelope, form);
      return [status, { $ref: `#/components/responses/${name}` }];
    }),
  );
};

const answerOf = (codes: readonly ErrorCode[], envelope: JsonRecord): JsonRecord => ({
  description: codes.map((code) => `\`${code}\``).join(", "),
  "x-error-codes": codes,
  content: {
    "application/json": {
      schema: {
        allOf: [
          envelope,
          {
            type: "object",
            properties: {
              error: {
                type: "object",
                properties: { code: { type: "string", enum: codes } },
                additionalProperties: true,
              },
            },
            additionalProperties: true,
          },
        ],
      },
      examples: Object.fromEntries(codes.map((code) => [code, { value: exampleOf(code) }])),
    },
  },
});

const answerInForm = (
  codes: readonly ErrorCode[],
  schema: JsonRecord,
  { exampleOf: example }: ErrorForm,
): JsonRecord => ({
  description: codes.map((code) => `\`${code}\``).join(", "),
  "x-error-codes": codes,
  content: {
    "application/json": {
      schema,
      examples: Object.fromEntries(codes.map((code) => [code, { value: example(code) }])),
    },
  },
});

const exampleOf = (code: ErrorCode): JsonRecord => ({
  error: {
    message: WORDS[code] ?? "What went wrong, in a sentence.",
    type: ERROR_CATALOGUE[code].type,
    param: null,
    code,
  },
});

/** Of those that every route can answer: what they say. */
const WORDS: Partial<Record<ErrorCode, string>> = {
  invalid_api_key: "Incorrect API key provided. A valid gateway token is needed: Authorization: Bearer gw-live-….",
  invalid_json: "The body is not valid JSON.",
  not_found: "There is no such thing.",
  internal_error: "Internal error of the hub. Operators find it in the log by x-request-id.",
};

function isCode(code: string): code is ErrorCode {
  return code in ERROR_CATALOGUE;
}

/** What any call of a gateway token can end with, whatever it asks. */
export const CALL_ERRORS: readonly ErrorCode[] = [
  ...(["killed", "agent_suspended", "rate_limit_exceeded", "insufficient_quota"] as const),
  ...(["guard_unavailable", "insufficient_scope", "invalid_value", "client_closed"] as const),
];

/** What a repeated `Idempotency-Key` can be answered with. */
export const IDEMPOTENCY_ERRORS: readonly ErrorCode[] = ["idempotency_mismatch", "idempotency_in_flight"];

/** What calls to a model or a tool can end with beside it. */
export const UPSTREAM_ERRORS: readonly ErrorCode[] = [
  ...(["content_filter", "upstream_error", "upstream_timeout"] as const),
  ...(["upstream_auth_failed", "upstream_rate_limited"] as const),
];
