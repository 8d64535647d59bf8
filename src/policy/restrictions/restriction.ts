import { type Static, Type } from "#core/schema";

export const RESTRICTION_KINDS = [
  "suspended",
  "model_restricted",
  "tool_restricted",
  "rate_limited",
  "output_redaction",
  "human_approval",
] as const;
export type RestrictionKind = (typeof RESTRICTION_KINDS)[number];

const limit = Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000 }));
const names = (description: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: 256 }), { maxItems: 500, description });
const closed = { additionalProperties: false } as const;

/** What each kind takes. All narrow; none can loosen anything. */
export const RESTRICTION_PARAMS = {
  suspended: Type.Object({}, closed),
  model_restricted: Type.Object({ models_allow: names("Models it may still use, as names or globs.") }, closed),
  tool_restricted: Type.Object(
    {
      tools_deny: Type.Optional(names("Tools it may not use: server__tool, server__* or a function's name.")),
      read_only: Type.Optional(Type.Boolean({ description: "Only tools declared as read-only." })),
      commands_deny: Type.Optional(names("Patterns of commands that hooks of coding agents refuse: git push *.")),
      files_deny: Type.Optional(names("Patterns of files that they refuse to read or write: ~/.ssh/**.")),
    },
    closed,
  ),
  rate_limited: Type.Object({ requests_per_minute: limit, tokens_per_minute: limit, concurrent: limit }, closed),
  output_redaction: Type.Object({}, closed),
  human_approval: Type.Object({ tools: names("Tools each call of which a person approves.") }, closed),
} as const satisfies Record<RestrictionKind, unknown>;

type ParamsOf<K extends RestrictionKind> = Static<(typeof RESTRICTION_PARAMS)[K]>;

/** What is narrowed, and how. */
export type RestrictionScope = {
  [K in RestrictionKind]: { readonly kind: K; readonly params: ParamsOf<K> };
}[RestrictionKind];

/** Where a restriction is enforced; it is contained once every point has said that it holds there. */
export const POINTS = ["calls", "tools", "streams"] as const;
export type Receipt = { readonly point: (typeof POINTS)[number]; readonly confirmed_at: number };

/** What set an automatic restriction off. Counts and event ids, never content. */
export type Trigger = {
  readonly rule: string;
  readonly evidence_event_ids: readonly string[];
  readonly metrics: Readonly<Record<string, number>>;
};

/** Something an agent may not do for a while. Times are Unix milliseconds. */
export type Restriction = RestrictionScope & {
  readonly id: string;
  readonly agent_id: string;
  readonly source: "manual" | "automatic";
  /** The user, or null for the hub itself and the command line. */
  readonly set_by: string | null;
  readonly trigger: Trigger | null;
  readonly reason: string;
  readonly starts_at: number;
  /** Null for until it is lifted. */
  readonly expires_at: number | null;
  readonly lifted_at: number | null;
  readonly lifted_by: string | null;
  readonly lift_reason: string | null;
  readonly receipts: readonly Receipt[];
};

/** What denials and records call a restriction that says no. */
export const layerOf = ({ id }: Pick<Restriction, "id">): string => `restriction ${id}`;

/**
 * From when it is known on: each begins when it is set, and the clock of the hub that set it may be ahead of this one's,
 * which must not put it off.
 */
export const isInForce = (
  { expires_at, lifted_at }: Pick<Restriction, "expires_at" | "lifted_at">,
  now: number,
): boolean => (expires_at === null || now < expires_at) && lifted_at === null;

export const KILL_LEVELS = ["agent", "owner", "tool_server", "model", "all"] as const;
export type KillLevel = (typeof KILL_LEVELS)[number];

/** Stops everything of its level at once, open streams too, until it is lifted. */
export type KillSwitch = {
  readonly id: string;
  readonly level: KillLevel;
  /** An agent's, user's or tool server's id, or a model's name or glob; null for `all`. */
  readonly target: string | null;
  readonly reason: string;
  readonly set_by: string | null;
  readonly set_at: number;
  readonly lifted_at: number | null;
  readonly lifted_by: string | null;
  readonly lift_reason: string | null;
  readonly receipts: readonly Receipt[];
};
