import { COMMANDS, commandLine } from "#core/command-line";
import { type Static, type TSchema, Type } from "#core/schema";
import { oneOf } from "#http/openapi/schemas";
import { ALERT_KIND_NAMES, DESTINATION_KINDS, MAIL_SECURITY, RULE_PARTS } from "#model/alert";
import { BUDGET_PERIODS } from "#model/budget";
import { MODEL_APIS } from "#model/model-api";
import { ROLES, USER_STATES } from "#model/person";
import { PRICE_PARTS } from "#model/price";
import { type CREDENTIAL_FIELDS, CREDENTIAL_SOURCES, PROVIDER_KINDS } from "#model/provider";
import { PROTOCOL_VERSIONS, TRANSPORTS } from "#model/tools/tool";
import { type PolicyEdits, StoredEdits } from "#policy/baseline/edits";
import { ProfileBody } from "#policy/profile/profile";
import { RESTRICTION_KINDS } from "#policy/restrictions/restriction";
import { fileFormOf } from "./file-form";

/*
 * The configuration as a file: what `export config` writes, `apply` checks and puts in force, and
 * `/configuration.schema.json` describes. Names are keys, and objects name each other by them. What has its usual value
 * is left out.
 */

const closed = { additionalProperties: false } as const;
const text = (maxLength: number, description?: string) =>
  Type.String({ minLength: 1, maxLength, ...(description !== undefined && { description }) });
const optional = <T extends TSchema>(schema: T) => Type.Optional(schema);
const names = (description: string) => Type.Array(text(512), { maxItems: 500, description });

/**
 * Marks the schema of a secret, which files only refer to; with `query`, that of an address which is one where it has a
 * query.
 */
export const SECRET = "x-secret";

const Secret = Type.String({
  pattern: "^(env:[A-Za-z_][A-Za-z0-9_]{0,199}|file:.{1,1000})$",
  description: "Where the secret is: env:NAME or file:PATH. Unset: the stored one stays.",
  [SECRET]: true,
});

const Email = text(254, "E-mail address of the user.");
const AgentName = text(100, "Name of the agent.");
const ofAgent = { agent: AgentName, owner: text(254, "E-mail address of the agent's owner.") };

export const UserEntry = Type.Object(
  {
    email: Email,
    name: optional(text(100)),
    role: optional(oneOf(ROLES, "`member` if left out.")),
    state: optional(oneOf(USER_STATES, "As it is if left out; `active` for a new user.")),
  },
  closed,
);

export const ProviderEntry = Type.Object(
  {
    name: text(40),
    kind: optional(oneOf(PROVIDER_KINDS, "`openai` if left out.")),
    base_url: text(2_048),
    models: Type.Array(text(200), { minItems: 1, maxItems: 100, description: "Model names; * matches any text." }),
    apis: optional(Type.Array(oneOf(MODEL_APIS), { minItems: 1, description: "Those of the kind if left out." })),
    aliases: optional(Type.Record(Type.String({ maxLength: 200 }), text(200))),
    priority: optional(Type.Integer({ minimum: 0, maximum: 1_000_000, description: "100 if left out." })),
    given_by: optional(oneOf(["operator", "user"], "`user`: the address is checked at every connection.")),
    credential: optional(
      Type.Object(
        {
          source: optional(oneOf(CREDENTIAL_SOURCES, "The kind's usual one if left out.")),
          ...Type.Partial(
            Type.Object({
              tenant_id: text(128),
              client_id: text(128),
              access_key_id: text(128),
              region: text(128),
              profile: text(128),
            } satisfies Record<(typeof CREDENTIAL_FIELDS)[number], TSchema>),
          ).properties,
          secret_file: optional(text(1_000, "Absolute path of a file that the hub reads again when it changes.")),
        },
        closed,
      ),
    ),
    api_key: optional(Secret),
  },
  closed,
);

export const AgentEntry = Type.Object(
  {
    name: AgentName,
    owner: Email,
    sponsor: optional(Email),
    description: optional(text(2_000)),
    environment: optional(text(100)),
    suspended: optional(Type.Boolean({ description: "As it is if left out; false for a new agent." })),
  },
  closed,
);

export const ProfileEntry = Type.Object(
  { ...ofAgent, body: Type.Unsafe<Readonly<Record<string, unknown>>>(fileFormOf(ProfileBody)) },
  closed,
);

const Assignment = Type.Object(
  {
    agent: AgentName,
    tools: optional(names("Tools by their own names; all if left out.")),
    resources: optional(names("Patterns of URIs.")),
    prompts: optional(names("Prompts by their own names; * for all.")),
  },
  closed,
);

export const ToolServerEntry = Type.Object(
  {
    slug: text(24),
    owner: Email,
    transport: optional(oneOf(TRANSPORTS, "`streamable-http` if left out.")),
    url: optional(
      Type.String({
        minLength: 1,
        maxLength: 2_048,
        description: "Or where it is, env:NAME or file:PATH: as it is exported where it has a query.",
        [SECRET]: "query",
      }),
    ),
    command: optional(Type.Array(Type.String({ maxLength: 4_096 }), { minItems: 1, maxItems: 100 })),
    given_by: optional(oneOf(["operator", "user"], "`user`: the address is checked at every connection.")),
    active: optional(Type.Boolean({ description: "true if left out." })),
    call_ms: optional(Type.Integer({ minimum: 1 })),
    list_ms: optional(Type.Integer({ minimum: 1 })),
    protocol: optional(oneOf(PROTOCOL_VERSIONS)),
    elicitation_hosts: optional(names("Hosts it may ask users to open a page of.")),
    published_as: optional(text(100, "What the hub's registry says of it; not published if left out.")),
    headers: optional(Type.Record(text(200), Secret)),
    variables: optional(Type.Record(text(200), Secret)),
    oauth: optional(
      Type.Object(
        {
          grant: oneOf(["client_credentials", "authorization_code"]),
          client_id: optional(text(1_000)),
          client_secret: optional(Secret),
          scope: optional(text(1_000)),
        },
        closed,
      ),
    ),
    assignments: optional(Type.Array(Assignment, { maxItems: 1_000 })),
  },
  closed,
);

export const PriceEntry = Type.Object(
  { model: text(200, "A model name; * matches any text."), provider: optional(text(40)), ...PRICE_PARTS },
  closed,
);

export const BudgetEntry = Type.Object(
  {
    period: oneOf(BUDGET_PERIODS),
    user: optional(text(254, "Whose budget; that of the hub without user and agent.")),
    agent: optional(AgentName),
    owner: optional(text(254, "E-mail address of the agent's owner.")),
    limit_usd: Type.Number({ minimum: 0, maximum: 1_000_000 }),
  },
  closed,
);

export const RestrictionEntry = Type.Object(
  {
    ...ofAgent,
    kind: oneOf(RESTRICTION_KINDS),
    params: optional(Type.Record(Type.String({ maxLength: 40 }), Type.Unknown())),
    reason: text(2_000),
    expires_at: optional(Type.String({ format: "date-time", maxLength: 40, description: "A time in RFC 3339." })),
  },
  closed,
);

export const PolicyEntry = Type.Object(
  { rules: Type.Unsafe<PolicyEdits>({ ...StoredEdits, minItems: 1, maxItems: 500 }) },
  { ...closed, description: "What is set by hand of the baseline policy." },
);

export const WebhookEntry = Type.Object(
  {
    url: text(2_048),
    events: Type.Array(text(64), { minItems: 1, maxItems: 100 }),
    description: optional(text(256)),
    active: optional(Type.Boolean({ description: "true if left out." })),
    secret: optional(Secret),
  },
  closed,
);

export const DestinationEntry = Type.Object(
  {
    name: text(100),
    kind: oneOf(DESTINATION_KINDS),
    active: optional(Type.Boolean({ description: "true if left out." })),
    host: optional(text(253)),
    port: optional(Type.Integer({ minimum: 1, maximum: 65_535 })),
    security: optional(oneOf(MAIL_SECURITY)),
    username: optional(text(254)),
    from: optional(text(254)),
    to: optional(Type.Array(text(254), { minItems: 1, maxItems: 50 })),
    url: optional(Secret),
    routing_key: optional(Secret),
    password: optional(Secret),
    signing: optional(Secret),
  },
  closed,
);

const { agent_id: _agent, destinations: _destinations, name: ruleName, ...measured } = RULE_PARTS;
export const AlertRuleEntry = Type.Object(
  {
    id: optional(text(64, "Of a built-in rule.")),
    name: ruleName,
    kind: oneOf(ALERT_KIND_NAMES),
    ...Type.Partial(Type.Object(measured)).properties,
    agent: optional(AgentName),
    owner: optional(text(254, "E-mail address of the agent's owner.")),
    destinations: optional(names("Names of destinations; all if left out.")),
  },
  closed,
);

const many = <T extends TSchema>(entry: T) => optional(Type.Array(entry, { maxItems: 20_000 }));

/** In the order in which what is new is made: what is named by others before those. */
export const ConfigurationFile = Type.Object(
  {
    etag: optional(
      Type.String({
        pattern: "^[0-9]{1,15}$",
        description:
          "Revision the file was exported at. Without it the file is the truth: what changed since is overwritten.",
      }),
    ),
    users: many(UserEntry),
    providers: many(ProviderEntry),
    agents: many(AgentEntry),
    profiles: many(ProfileEntry),
    tool_servers: many(ToolServerEntry),
    prices: many(PriceEntry),
    budgets: many(BudgetEntry),
    restrictions: many(RestrictionEntry),
    policy: optional(PolicyEntry),
    webhooks: many(WebhookEntry),
    alert_destinations: many(DestinationEntry),
    alert_rules: many(AlertRuleEntry),
  },
  {
    ...closed,
    $id: "GuardhouseConfiguration",
    title: "Guardhouse configuration",
    description: `What \`${commandLine(COMMANDS.exportConfig())}\` writes and \`${commandLine(COMMANDS.apply())}\` puts in force, as TOML.`,
  },
);
export type ConfigurationFile = Static<typeof ConfigurationFile>;

/** As JSON Schema of its own, for editors and CI. */
export const configurationSchema = (): string =>
  `${JSON.stringify({ $schema: "https://json-schema.org/draft/2020-12/schema", ...ConfigurationFile }, null, 2)}\n`;
