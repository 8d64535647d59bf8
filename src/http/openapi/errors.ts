import { ERROR_CATALOGUE, type ErrorCode } from "#core/errors";
import type { JsonRecord } from "#core/json";
import { Type } from "#core/schema";

const CODES = Object.keys(ERROR_CATALOGUE).filter(isCode);

/** The envelope of every error below `/v1` and `/api`. */
export const ErrorEnvelope = Type.Object(
  {
    error: Type.Object(
      {
        message: Type.String({ description: "For people. Never holds what was sent." }),
        type: Type.String({ description: "The kind, in the words of OpenAI's API." }),
        param: Type.Union([Type.String(), Type.Null()], {
          description: "JSON path of the part of the request that is meant.",
        }),
        code: Type.Unsafe<ErrorCode>({
          type: "string",
          enum: CODES,
          description: "For programs: what happened. docs/errors.md says what each means and what to do.",
        }),
        event_id: Type.Optional(Type.String({ description: "The decision's event: what a dispute names." })),
        guard: Type.Optional(Type.Unknown({ description: "Why it was refused: which restriction, rule or layer." })),
      },
      { additionalProperties: true, description: "Some codes have further fields of their own." },
    ),
  },
  { $id: "Error", description: "What went wrong." },
);

/** What a route can answer with beside what is its own, by what it is. */
export type Kind = {
  readonly security: readonly JsonRecord[];
  readonly needsFresh: boolean;
  readonly hasBody: boolean;
  readonly hasParams: boolean;
  readonly hasQuery: boolean;
  readonly isChange: boolean;
  readonly isEarly: boolean;
};

/** Whatever is asked. */
const ALWAYS: readonly ErrorCode[] = ["invalid_host", "internal_error"];
const HELD_BACK: readonly ErrorCode[] = ["audit_unavailable", "shutting_down"];
/** A cookie is sent along whoever makes a browser ask, so that changes also need the hub's own origin. */
const FOR_PEOPLE: readonly ErrorCode[] = ["origin_not_allowed"];

export const codesOf = (kind: Kind, own: readonly ErrorCode[]): ErrorCode[] => {
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
): JsonRecord => {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codes) {
    const { status } = ERROR_CATALOGUE[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, some]) => {
      const name = `${status}_${some.join("_")}`;
      shared[name] ??= answerOf(some, envelope);
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
  internal_error: "Something went wrong inside the hub. Operators find it in the log.",
};

function isCode(code: string): code is ErrorCode {
  return code in ERROR_CATALOGUE;
}
