import { Type } from "#core/schema";
import {
  APPLICATION_NAME,
  MAX_APPLICATIONS,
  MAX_BUDGET_MS,
  MIN_BUDGET_MS,
  REDACT_BECOMES,
  SOURCE_NAME,
} from "#model/hook-source";
import { SOURCE_KINDS } from "#model/verdict";

/** LiteLLM asks with a gateway token, which no configuration has. */
const KINDS = SOURCE_KINDS.filter((kind) => kind !== "litellm");
const Agent = Type.String({ minLength: 1, maxLength: 100 });

/** One of `[[hooks.source]]`, as an operator writes it. */
export const HookSourceSaid = Type.Object(
  {
    name: Type.String({ pattern: SOURCE_NAME }),
    kind: Type.Union(KINDS.map((kind) => Type.Literal(kind))),
    user: Type.Optional(Type.String({ minLength: 3, maxLength: 254 })),
    agent: Type.Optional(Agent),
    applications: Type.Optional(
      Type.Record(Type.String({ pattern: APPLICATION_NAME }), Agent, { maxProperties: MAX_APPLICATIONS }),
    ),
    redact: Type.Optional(Type.Union(REDACT_BECOMES.map((one) => Type.Literal(one)))),
    budget_ms: Type.Optional(Type.Integer({ minimum: MIN_BUDGET_MS, maximum: MAX_BUDGET_MS })),
    secret_env: Type.Optional(Type.String({ pattern: "^[A-Za-z_][A-Za-z0-9_]{0,127}$" })),
    secret_file: Type.Optional(Type.String({ minLength: 1, maxLength: 1_024 })),
  },
  { additionalProperties: false },
);
