import { type Static, Type } from "#core/schema";
import {
  Id,
  listOf,
  Moment,
  oneOf,
  orNull,
  PAGE_QUERY,
  pageSchema,
  SuspensionResponse,
  searchIn,
  suspensionResponse,
} from "#http/openapi/schemas";
import { type Agent, currentReviewStatus, LIFECYCLES, ReviewStatus } from "#model/agent";
import { ProfileDifference } from "#policy/profile/diff";
import type { Effective } from "#policy/profile/effective";
import { GuardrailProfile } from "#policy/profile/profile";
import { RESTRICTION_KINDS, type Restriction } from "#policy/restrictions/restriction";
import { TIERS } from "#policy/review/review";

const closed = { additionalProperties: false } as const;
const email = Type.String({ maxLength: 254, description: "An e-mail address." });
const note = (description: string, maxLength: number) =>
  Type.Union([Type.String({ minLength: 1, maxLength }), Type.Null()], { description });
const reason = Type.String({ minLength: 1, maxLength: 1_000, description: "Reason, recorded in the audit log." });

const FACTS = {
  description: Type.Optional(note("Short description.", 2_000)),
  environment: Type.Optional(note("Where it runs: production, staging.", 100)),
  sponsor: Type.Optional(Type.Union([email, Type.Null()], { description: "Responsible when the owner leaves." })),
  owner: Type.Optional(email),
} as const;

export const NewAgent = Type.Object(
  {
    name: Type.String({
      minLength: 1,
      description: "Name, unique per owner: 1 to 100 characters, spaces allowed, not the form of an id.",
    }),
    ...FACTS,
  },
  { ...closed, $id: "NewAgent" },
);
export type NewAgent = Static<typeof NewAgent>;

export const AgentChange = Type.Object(
  {
    name: Type.Optional(
      Type.String({
        minLength: 1,
        description: "Name, unique per owner: 1 to 100 characters, spaces allowed, not the form of an id.",
      }),
    ),
    ...FACTS,
  },
  { ...closed, minProperties: 1, $id: "AgentChange" },
);
export type AgentChange = Static<typeof AgentChange>;

export const WithReason = Type.Object({ reason }, { ...closed, $id: "WithReason" });
export type WithReason = Static<typeof WithReason>;

export const Retirement = Type.Object(
  { confirm: Type.String({ description: "Name of the agent, typed as confirmation: retirement is permanent." }) },
  { ...closed, $id: "Retirement" },
);
export type Retirement = Static<typeof Retirement>;

/* What is shown of agents and their profiles. */

export const AgentResponse = Type.Object(
  {
    id: Id,
    name: Type.String(),
    owner: Type.String({ description: "E-mail address." }),
    owner_id: Type.String(),
    sponsor: orNull(Type.String({ description: "Responsible when the owner leaves." })),
    description: orNull(Type.String()),
    environment: orNull(Type.String({ examples: ["production"] })),
    review_status: ReviewStatus,
    lifecycle: oneOf(LIFECYCLES),
    suspended: orNull(SuspensionResponse),
    governed: Type.Boolean({ description: "Whether a profile is in force; otherwise the baseline policy applies." }),
    profile_version: orNull(Type.Integer()),
    review_due_at: orNull(Moment),
    created_at: Moment,
  },
  { $id: "Agent" },
);
export type AgentResponse = Static<typeof AgentResponse>;

/** What an agent did in the last day. */
export const AgentVolume = Type.Object(
  {
    calls: Type.Integer({ description: "Finished calls of models and tools." }),
    blocked: Type.Integer(),
    block_rate: orNull(Type.Number({ description: "Share of blocked calls in all calls; null without calls." })),
    cost_usd: Type.Number({ description: "In US dollars, of calls whose model has a price." }),
    unpriced_calls: Type.Integer({ description: "What they cost is not in the sum." }),
  },
  { description: "In the last 24 hours: whole hours and the current one." },
);
export type AgentVolume = Static<typeof AgentVolume>;

/** How an agent stands, as lists show it beside the agent. */
export const AgentStanding = Type.Object({
  health_score: orNull(Type.Integer({ minimum: 0, maximum: 100, description: "Null with too few calls." })),
  risk_tier: orNull(oneOf(TIERS, "Of the profile in force; null without one.")),
  band: Type.String({
    examples: ["healthy"],
    description: "`not_reviewed` where only the missing review keeps the score down.",
  }),
  drift_status: Type.String({ examples: ["stable"] }),
  trend: listOf(orNull(Type.Integer({ description: "Scores of the last days, oldest first, four a day." }))),
  restrictions: Type.Integer({ description: "In force now." }),
  suspended: Type.Boolean({ description: "By a restriction: all calls are refused." }),
  last_used_at: orNull(Moment),
  volume: AgentVolume,
});
export type AgentStanding = Static<typeof AgentStanding>;

export const ListedAgent = Type.Object(
  { ...AgentResponse.properties, standing: AgentStanding },
  { $id: "ListedAgent", description: "With its latest health, drift, restrictions and traffic." },
);
export type ListedAgent = Static<typeof ListedAgent>;
export const AgentPage = pageSchema(ListedAgent);

const ORDERS = ["health", "calls", "blocks", "cost", "last"] as const;
/** Filters and order of a list; all but `q` look at the newest 2,000 agents. */
export const AGENT_LIST_QUERY = {
  q: searchIn("the name or the owner's e-mail address"),
  state: oneOf(LIFECYCLES, "Agents suspended by a restriction count as suspended."),
  tier: oneOf([...TIERS, "none"], "Of the profile in force; none without one."),
  review_status: ReviewStatus,
  sort: oneOf(
    ORDERS.flatMap((one) => [one, `-${one}` as const]),
    "Health, calls, block rate and cost of the last 24 hours, or last call; with - the largest first. Default: newest first.",
  ),
  ...PAGE_QUERY,
} as const;
export type AgentListQuery = {
  readonly [Name in keyof typeof AGENT_LIST_QUERY]?: Static<(typeof AGENT_LIST_QUERY)[Name]>;
};
export const ProfilePage = pageSchema(GuardrailProfile);

/** What one version changed against another. */
export const ComparedProfile = Type.Object(
  {
    ...GuardrailProfile.properties,
    changes: Type.Optional(listOf(ProfileDifference)),
  },
  { $id: "ComparedProfile" },
);

type OpenEffective = Omit<Effective, "policy"> & { readonly policy: Omit<Effective["policy"], "custom"> };

const EffectiveRules = Type.Unsafe<OpenEffective>({
  type: "object",
  properties: {
    profile_version: { type: ["integer", "null"] },
    mode: { type: "string", enum: ["enforce", "monitor", "off"] },
    policy: { type: "object", description: "Scanner rules, without custom patterns." },
  },
  required: ["profile_version", "mode", "policy"],
  additionalProperties: true,
  description: "The strictest value of all layers, with its layer.",
  examples: [{ profile_version: 3, mode: "enforce", policy: { mode: "enforce", hold_back: 256, rules: [] } }],
});

export const EffectiveView = Type.Object(
  {
    governed: Type.Boolean(),
    profile: orNull(GuardrailProfile),
    effective: orNull(EffectiveRules),
    explain: listOf(
      Type.Object({
        field: Type.String({ examples: ["limits.requests_per_minute"] }),
        value: Type.Unknown({ examples: [10] }),
        from: Type.String({ description: "Source layer.", examples: ["profile v3"] }),
      }),
    ),
    restrictions: listOf(
      Type.Object({
        id: Id,
        kind: oneOf(RESTRICTION_KINDS),
        params: Type.Unsafe<Restriction["params"]>({ type: "object", additionalProperties: true }),
        source: oneOf(["manual", "automatic"]),
        reason: Type.String(),
        starts_at: Moment,
        expires_at: orNull(Moment),
      }),
    ),
  },
  { $id: "AgentEffective" },
);
export type EffectiveView = Static<typeof EffectiveView>;

/** E-mail addresses by user id; an id stands for itself when its account is gone. */
type Emails = (userId: string) => string;

/** Whom `agentResponse` names. */
export const peopleOf = ({ owner_id, sponsor_id, suspension }: Agent): (string | null)[] => [
  owner_id,
  sponsor_id,
  suspension?.by ?? null,
];

/** An agent as people are shown it. Its review is shown as it stands at `now`. */
export const agentResponse = (agent: Agent, emails: Emails, now: number): AgentResponse => ({
  id: agent.id,
  name: agent.name,
  owner: emails(agent.owner_id),
  owner_id: agent.owner_id,
  sponsor: agent.sponsor_id === null ? null : emails(agent.sponsor_id),
  description: agent.description,
  environment: agent.environment,
  review_status: currentReviewStatus(agent, now),
  lifecycle: agent.lifecycle,
  suspended:
    agent.lifecycle === "suspended" && agent.suspension !== null ? suspensionResponse(agent.suspension, emails) : null,
  /** Whether a profile of its own governs it; else the hub's baseline does. */
  governed: agent.profile_version !== null && agent.lifecycle !== "retired" && agent.review_status !== "revoked",
  profile_version: agent.profile_version,
  review_due_at: agent.review_due_at === null ? null : new Date(agent.review_due_at).toISOString(),
  created_at: new Date(agent.created_at).toISOString(),
});
