import { GuardError } from "#core/errors";
import { ORIGINS } from "#core/scan/detector";
import { type Static, Type, TypeCompiler } from "#core/schema";

export const ScanRequest = Type.Object(
  {
    text: Type.String(),
    origin: Type.Optional(Type.Union(ORIGINS.map((origin) => Type.Literal(origin)))),
    agent_id: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  },
  { $id: "ScanRequest" },
);
export type ScanRequest = Static<typeof ScanRequest>;

export const ScanFlag = Type.Object({
  type: Type.String({ examples: ["pii.email"] }),
  category: Type.String(),
  score: Type.Number({ minimum: 0, maximum: 1 }),
  action: Type.String({ description: "What the policy does about it: flag, redact or block." }),
  would: Type.Optional(Type.String({ description: "What a rule in monitor mode would have done." })),
  start: Type.Integer({ description: "UTF-16 units of the text sent." }),
  end: Type.Integer(),
  preview: Type.String({ description: "Masked." }),
  detector: Type.String(),
});

export const ScanResult = Type.Object(
  {
    safe: Type.Boolean({ description: "False when the policy would block or redact." }),
    scan_ms: Type.Number(),
    flags: Type.Array(ScanFlag),
    mode: Type.String({ description: "enforce, monitor or off: that of the policy that would apply to this caller." }),
    policy_revision: Type.Integer(),
  },
  { $id: "ScanResult" },
);
export type ScanResult = Static<typeof ScanResult>;

/** What people try out. */
export const TrialRequest = Type.Object(
  {
    text: Type.String({ description: "A text." }),
    origin: Type.Optional(Type.Union(ORIGINS.map((origin) => Type.Literal(origin)))),
    agent_id: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    repeat: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 200, description: "How often it is scanned again to time it, up to 200." }),
    ),
  },
  { additionalProperties: false, $id: "TrialRequest" },
);
export type TrialRequest = Static<typeof TrialRequest>;

export const TrialResult = Type.Object(
  {
    ...ScanResult.properties,
    timings_us: Type.Optional(
      Type.Unsafe<readonly number[]>(
        Type.Array(Type.Number(), {
          description: "Microseconds of each scan asked for, without the cache; fewer where they took too long.",
        }),
      ),
    ),
  },
  { $id: "TrialResult" },
);
export type TrialResult = Static<typeof TrialResult>;

const FIELDS: Readonly<Record<string, string>> = {
  "/text": "text must be a string",
  "/origin": `origin must be one of ${ORIGINS.join(", ")}`,
  "/agent_id": "agent_id must be a string",
};

export class ScanRequestCheck {
  private readonly compiled = TypeCompiler.Compile(ScanRequest);

  /** Throws `invalid_value`. */
  check(body: unknown): ScanRequest {
    if (this.compiled.Check(body)) return body;
    const path = this.compiled.Errors(body).First()?.path ?? "";
    throw new GuardError("invalid_value", `${FIELDS[path] ?? "The body must be a JSON object with a text"}.`, {
      param: path === "" ? undefined : path.slice(1),
    });
  }
}
