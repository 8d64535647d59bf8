import { type Static, type TSchema, Type } from "#core/schema";
import { SERVER_TOOLS } from "#model/server-tools";
import { CONTENT_KEPT, EFFECTS, PROVIDER_STATES, TAINTED_ACTIONS } from "#policy/review/questionnaire";
import { TIERS } from "#policy/review/review";
import { ACTIONS, ORIGINS } from "#scan/detector";
import { RULE_MODES } from "#scan/policy";
import { ProfileCommands, ProfileFiles, ProfileHooks } from "./local-rules";

const oneOf = <const T extends readonly string[]>(values: T) =>
  Type.Union(values.map((value) => Type.Literal<T[number]>(value)));
const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const count = nullable(Type.Integer({ minimum: 1 }));
const score = Type.Optional(Type.Number({ minimum: 0, maximum: 1 }));

/** What is done about one flag type and all below it, from which score on, at which origins. */
export const ProfileRule = Type.Object(
  {
    type: Type.String({ pattern: "^[a-z0-9_-]+(\\.[a-z0-9_-]+)*$" }),
    origins: Type.Optional(Type.Array(oneOf(ORIGINS), { minItems: 1 })),
    thresholds: Type.Object({ flag: score, redact: score, block: score }, { additionalProperties: false }),
    mode: Type.Optional(oneOf(RULE_MODES)),
  },
  // A misspelt `origins` would make a rule hold everywhere.
  { additionalProperties: false },
);

/** One family of detectors. `monitor` ends by itself at `monitor_until` (RFC 3339). */
const Detectors = Type.Object({
  enabled: Type.Boolean(),
  mode: oneOf(RULE_MODES),
  monitor_until: nullable(Type.String()),
  rules: Type.Array(ProfileRule),
});

const amount = Type.Optional(nullable(Type.Number({ minimum: 0, maximum: 1_000_000 })));

/** Requests, tokens and dollars; null or absent for no limit. Days, weeks from Monday and months are in UTC. */
export const Limits = Type.Object({
  requests_per_minute: count,
  requests_per_day: count,
  tokens_per_minute: count,
  tokens_per_day: count,
  usd_per_day: amount,
  usd_per_week: amount,
  usd_per_month: amount,
  concurrent: count,
  /** Calls in one conversation. */
  calls_per_conversation: count,
});
export type Limits = Static<typeof Limits>;

/** `server__tool`, `server__*`, a function's own name, or `*`. */
const ToolName = Type.String({ minLength: 1, maxLength: 160 });

export const ProfileTools = Type.Object({
  /** What holds for a tool that is not named. */
  default: oneOf(["deny", "allow"]),
  allow: Type.Array(ToolName),
  /** The most each tool can do, as declared. */
  effects: Type.Record(Type.String(), oneOf(EFFECTS)),
  require_human: Type.Array(ToolName),
  /** When a tool that acts is called with a value only another tool's result had. */
  tainted_arguments: oneOf(TAINTED_ACTIONS),
  /** Which values count for that; absent in profiles of earlier versions: all that are found, at tools that act. */
  tainted_values: Type.Optional(
    Type.Object(
      {
        /** The score of their kind from which on they count; what scores less is noted. */
        from: Type.Number({ minimum: 0, maximum: 1 }),
        /** Whether tools that read count where they are given a tool's URL with data added to it. */
        reading_tools: Type.Boolean(),
      },
      { additionalProperties: false },
    ),
  ),
  max_calls_per_conversation: count,
});

/** What an agent is held to: immutable, numbered, hashed. A change is a new version. */
export const GuardrailProfile = Type.Object(
  {
    id: Type.String(),
    agent_id: Type.String(),
    version: Type.Integer({ minimum: 1 }),
    /** SHA-256, hex, of the canonical JSON of everything below `effective_from`. */
    content_hash: Type.String(),
    status: oneOf(["active", "superseded", "revoked"]),
    /** Null for one an operator set by hand. */
    review_id: nullable(Type.String()),
    approved_by: Type.Array(Type.String()),
    effective_from: Type.String(),

    risk_tier: oneOf(TIERS),
    mode: oneOf(RULE_MODES),
    preset: oneOf(["strict", "balanced", "permissive", "custom"]),
    fail_mode: oneOf(["closed", "open"]),
    detectors: Type.Object({
      pii: Detectors,
      secrets: Detectors,
      prompt_injection: Detectors,
      tools: Detectors,
      custom: Detectors,
    }),
    models: Type.Object({
      allow: Type.Array(Type.String()),
      deny: Type.Array(Type.String()),
      max_output_tokens: count,
    }),
    tools: ProfileTools,
    /** Tools that run at the provider; absent for none. */
    server_tools: Type.Optional(
      Type.Object({ allow: Type.Array(oneOf(SERVER_TOOLS)), mcp_hosts: Type.Array(Type.String()) }),
    ),
    /** Prompts and resources of tool servers: public names, and patterns of public URIs; absent for none. */
    prompts: Type.Optional(Type.Array(Type.String())),
    resources: Type.Optional(Type.Array(Type.String())),
    /** What coding agents do on their machines, as their hooks tell of it; absent for no rules. */
    commands: Type.Optional(ProfileCommands),
    files: Type.Optional(ProfileFiles),
    hooks: Type.Optional(ProfileHooks),
    /** State at the provider: responses of its own, or none; absent for `own`. */
    provider_state: Type.Optional(oneOf(PROVIDER_STATES)),
    data: Type.Object({
      classes: Type.Array(Type.String()),
      regions: Type.Array(Type.String()),
      store_content: oneOf(CONTENT_KEPT),
      retention_days: Type.Integer({ minimum: 1 }),
    }),
    limits: Limits,
    egress: Type.Object({
      /** Hosts answers may link to; null for all. */
      url_allow: nullable(Type.Array(Type.String())),
      /** What is done about links elsewhere, and about images in Markdown, which clients fetch unasked. */
      urls: oneOf(ACTIONS),
      images: oneOf(ACTIONS),
    }),
    streaming: Type.Object({ hold_back_chars: Type.Integer({ minimum: 16 }) }),
    block_response: oneOf(["error", "completion"]),
    disclosure: nullable(Type.String()),
    tunable: Type.Object({ max_threshold_delta: Type.Number({ minimum: 0, maximum: 1 }) }),
  },
  { $id: "GuardrailProfile" },
);
export type GuardrailProfile = Static<typeof GuardrailProfile>;

/** What an approval compiles, and an operator may set: a profile without what publishing adds to it. */
export const ProfileBody = Type.Omit(
  GuardrailProfile,
  ["id", "agent_id", "version", "content_hash", "status", "review_id", "approved_by", "effective_from"],
  { additionalProperties: false },
);
export type ProfileBody = Static<typeof ProfileBody>;
