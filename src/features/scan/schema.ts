import { type Static, Type } from "#core/schema";
import { ORIGINS } from "#scan/detector";

export const ScanRequest = Type.Object(
  {
    text: Type.String({ description: "Text to scan." }),
    origin: Type.Optional(Type.Union(ORIGINS.map((origin) => Type.Literal(origin)))),
    agent_id: Type.Optional(
      Type.Union([Type.String(), Type.Null()], {
        description: "Agent id: the text is scanned under the rules of this agent.",
      }),
    ),
  },
  { $id: "ScanRequest" },
);
export type ScanRequest = Static<typeof ScanRequest>;

export const ScanFlag = Type.Object({
  type: Type.String({ examples: ["pii.email"] }),
  category: Type.String(),
  score: Type.Number({ minimum: 0, maximum: 1 }),
  action: Type.String({ description: "Action of the policy: flag, redact or block." }),
  would: Type.Optional(Type.String({ description: "Action a rule in monitor mode would have taken." })),
  start: Type.Integer({ description: "In UTF-16 units of the submitted text." }),
  end: Type.Integer(),
  preview: Type.String({ description: "Masked." }),
  detector: Type.String(),
});

export const ScanResult = Type.Object(
  {
    safe: Type.Boolean({ description: "False when the policy would block or redact." }),
    scan_ms: Type.Number(),
    flags: Type.Array(ScanFlag),
    mode: Type.String({ description: "enforce, monitor or off, from the policy of the caller." }),
    policy_revision: Type.Integer(),
  },
  { $id: "ScanResult" },
);
export type ScanResult = Static<typeof ScanResult>;

/** What people try out. */
export const TrialRequest = Type.Object(
  {
    ...ScanRequest.properties,
    repeat: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 200, description: "Number of timed repetitions, at most 200." }),
    ),
  },
  { additionalProperties: false, $id: "TrialRequest" },
);
export type TrialRequest = Static<typeof TrialRequest>;

const TrialFlag = Type.Object({
  ...ScanFlag.properties,
  layer: Type.Optional(
    Type.String({ description: "Policy layer that decided, if not the baseline.", examples: ["profile v3"] }),
  ),
  rule: Type.Optional(Type.String({ description: "Its rule." })),
  tuned: Type.Optional(Type.String({ description: "Id of the tuning rule that changed the action." })),
});

export const TrialResult = Type.Object(
  {
    ...ScanResult.properties,
    flags: Type.Array(TrialFlag),
    timings_us: Type.Optional(
      Type.Unsafe<readonly number[]>(
        Type.Array(Type.Number(), {
          description: "Microseconds of each repetition, bypassing the cache; fewer if they took too long.",
        }),
      ),
    ),
  },
  { $id: "TrialResult" },
);
export type TrialResult = Static<typeof TrialResult>;
