import { type Static, type TSchema, Type } from "#core/schema";
import { SERVER_TOOLS } from "#model/server-tools";
import { PERMISSIONS } from "#policy/commands/permission";
import { HOOK_REDACTS, MAX_OFFLINE_MINUTES, OTHER_HOSTS } from "#policy/profile/local-rules";

/*
 * The nine sections an owner answers before an agent is governed. What is answered compiles into the guardrail
 * profile (`core/profile/compile.ts`), so each question asks for something the hub can hold the agent to, or that a
 * reviewer needs in order to decide.
 */

const oneOf = <const T extends readonly string[]>(values: T, description: string) =>
  Type.Union(
    values.map((value) => Type.Literal<T[number]>(value)),
    { description },
  );
const text = (description: string, maxLength = 4_000) => Type.String({ minLength: 1, maxLength, description });
const list = <T extends TSchema>(item: T, description: string, maxItems = 200) =>
  Type.Array(item, { maxItems, description });
const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const optional = <T extends TSchema>(schema: T) => Type.Optional(nullable(schema));
const limit = (description: string) => optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000, description }));
const dollars = (description: string) => optional(Type.Integer({ minimum: 1, maximum: 1_000_000, description }));
const closed = { additionalProperties: false } as const;

const Glob = Type.String({ minLength: 1, maxLength: 256, pattern: "^[^\\s]+$" });
const Host = Type.String({
  maxLength: 253,
  pattern: "^(\\*\\.)?[a-zA-Z0-9]([a-zA-Z0-9.-]*[a-zA-Z0-9])?(:\\d{1,5})?$",
  description: "A host name; *.example.org includes all subdomains.",
});

/** As profiles take patterns: 256 characters at most, none that nobody sees. */
const PATTERN = "[^\\s\\u0000-\\u001f\\u007f\\ufffe\\uffff][^\\u0000-\\u001f\\u007f\\ufffe\\uffff]{0,255}";
const CommandRule = Type.String({ maxLength: 280, pattern: `^(allow|ask|deny) +${PATTERN}$` });
const FileRule = Type.String({ maxLength: 290, pattern: `^(allow|ask|deny) +((read|write) +)?${PATTERN}$` });

export const AUDIENCES = ["self", "internal", "customer", "public"] as const;
export const DATA_CLASSES = ["public", "internal", "confidential", "special_category", "secret"] as const;
/** What a tool does to the world. `destructive` and `external` are wider words for delete and send. */
export const EFFECTS = ["read", "write", "pay", "send", "delete", "execute", "destructive", "external"] as const;
export const SOURCES = ["user", "web", "email", "file", "tool", "agent"] as const;
export const AUTONOMIES = ["suggest", "act_with_approval", "act"] as const;
export const EGRESS = ["none", "allow_list", "open"] as const;
/** What its providers may keep of its calls: what they answered through the hub, or nothing. */
export const PROVIDER_STATES = ["own", "forbid"] as const;
export const CONTENT_KEPT = ["none", "redacted", "full"] as const;
export const TAINTED_ACTIONS = ["allow", "flag", "block", "hold"] as const;

export type ToolEffect = (typeof EFFECTS)[number];

export const DeclaredTool = Type.Object(
  {
    server: optional(
      Type.String({
        pattern: "^[a-z0-9-]{1,24}$",
        description: "The slug of the tool server; null for an own function of the agent.",
      }),
    ),
    tool: Type.String({
      pattern: "^[A-Za-z0-9_.*-]{1,128}$",
      description: "The name of the tool; * for all tools of a server.",
    }),
    effect: oneOf(EFFECTS, "The most it can do."),
  },
  closed,
);
export type DeclaredTool = Static<typeof DeclaredTool>;

export const SECTIONS = {
  ownership: Type.Object(
    {
      sponsor: optional(text("E-mail address of the user responsible when the owner leaves; not the owner.", 254)),
      team: optional(text("The team it belongs to.", 200)),
      contact: optional(text("Whom to reach about it.", 254)),
      repo_url: optional(
        Type.String({
          pattern: "^https?://",
          maxLength: 2_000,
          description: "Repository: an http or https URL.",
        }),
      ),
    },
    closed,
  ),
  purpose: Type.Object(
    {
      intended_use: text("What it is for."),
      prohibited_use: Type.Optional(list(text("What it must not be used for.", 500), "What it must not be used for.")),
      audience: oneOf(AUDIENCES, "People who use the agent or read its answers."),
      annex_iii_area: optional(text("The high-risk area of the EU AI Act it falls in, if any.", 200)),
      disclosure: optional(text("How users are informed that an AI answers.", 1_000)),
    },
    closed,
  ),
  data_privacy: Type.Object(
    {
      data_classes: list(oneOf(DATA_CLASSES, "A class of data it sees."), "The classes of data it sees."),
      pii_types_expected: Type.Optional(
        list(
          Type.String({ pattern: "^pii(\\.[a-z0-9_]+)*$" }),
          "Finding types of personal data the agent needs: they pass and are flagged.",
        ),
      ),
      regions: Type.Optional(
        list(Type.String({ pattern: "^[A-Z]{2}$" }), "Countries of the people whose data the agent sees."),
      ),
      store_content: Type.Optional(
        oneOf(CONTENT_KEPT, "Content of calls to store, encrypted, beside the audit record."),
      ),
      retention_days: optional(Type.Integer({ minimum: 1, maximum: 3_650, description: "Retention in days." })),
      provider_state: Type.Optional(
        oneOf(
          PROVIDER_STATES,
          "Whether its calls may have the model's provider keep responses, or continue its own (own), or not (forbid).",
        ),
      ),
    },
    closed,
  ),
  models: Type.Object(
    {
      models: list(Glob, "The models it uses, as names or globs."),
      providers: Type.Optional(list(Glob, "The providers it expects them of.")),
      system_prompt_sha256: Type.Optional(
        list(Type.String({ pattern: "^[0-9a-f]{64}$" }), "SHA-256 of its system prompts, in hex."),
      ),
      max_tokens: limit("The most tokens of one answer."),
    },
    closed,
  ),
  tools: Type.Object(
    {
      tools: list(DeclaredTool, "The tools it uses, and the most each can do.", 1_000),
      approval_needed: Type.Optional(
        list(Type.String({ maxLength: 200 }), "Tools a person approves each call of: server__tool, or the name alone."),
      ),
      max_calls_per_conversation: limit("The most calls of tools in one conversation."),
      prompts: Type.Optional(
        list(Type.String({ maxLength: 200 }), "Prompts of tool servers it uses: server__prompt, or server__* for all."),
      ),
      resources: Type.Optional(
        list(
          Type.String({ maxLength: 1_000 }),
          "Resources of tool servers it reads: URIs of the hub, such as guardhouse://files/*; * stands for anything.",
        ),
      ),
      server_tools: Type.Optional(
        list(
          oneOf(SERVER_TOOLS, "A kind of tool that runs at the provider."),
          "Tools of the model's provider that it may turn on; they run outside the tool gateway.",
        ),
      ),
      commands: Type.Optional(
        list(CommandRule, "What it runs on its machine: allow, ask or deny, and a pattern: deny git push *."),
      ),
      other_commands: Type.Optional(oneOf(PERMISSIONS, "What holds for other commands.")),
      command_hosts: Type.Optional(list(Host, "Hosts that its commands may name.")),
      other_hosts: Type.Optional(oneOf(OTHER_HOSTS, "What holds for commands that name other hosts.")),
      files: Type.Optional(
        list(
          FileRule,
          "Files on its machine: allow, ask or deny, read, write or both, a pattern: deny read ~/.ssh/**.",
        ),
      ),
      other_reads: Type.Optional(oneOf(PERMISSIONS, "What holds for reading other files.")),
      other_writes: Type.Optional(oneOf(PERMISSIONS, "What holds for writing other files.")),
      hook_redact: Type.Optional(
        oneOf(HOOK_REDACTS, "What becomes of a text with findings to redact, where its hook cannot replace it."),
      ),
      hook_offline_minutes: optional(
        Type.Integer({
          minimum: 0,
          maximum: MAX_OFFLINE_MINUTES,
          description: "How long its hook decides commands and files by itself while the hub cannot be reached.",
        }),
      ),
      mcp_hosts: Type.Optional(list(Host, "Hosts of the remote MCP servers that the provider may call for it.")),
    },
    closed,
  ),
  input_trust: Type.Object(
    {
      sources: list(oneOf(SOURCES, "Where what it reads comes from."), "Where what it reads comes from."),
      memory: Type.Optional(Type.Boolean({ description: "Whether the agent has memory across conversations." })),
      tainted_arguments: Type.Optional(
        oneOf(
          TAINTED_ACTIONS,
          "Action when a tool with side effects is called with a value that comes only from another tool's result.",
        ),
      ),
    },
    closed,
  ),
  secrets_security: Type.Object(
    {
      credential_handling: optional(text("Which credentials it handles, and how.")),
      egress: Type.Optional(
        Type.Union(
          [oneOf(EGRESS, "Where its answers may link to."), list(Host, "The hosts its answers may link to.")],
          {
            description: "Link policy for its answers: one of these, or a list of hosts.",
          },
        ),
      ),
      egress_hosts: Type.Optional(list(Host, "The hosts its answers may link to.")),
      code_execution: Type.Optional(Type.Boolean({ description: "Whether the agent runs code." })),
    },
    closed,
  ),
  oversight: Type.Object(
    {
      autonomy: oneOf(AUTONOMIES, "Whether it suggests, acts once approved, or acts."),
      stop_procedure: optional(text("How a person stops it.")),
      requests_per_minute: limit("The most calls a minute."),
      requests_per_day: limit("The most calls a day."),
      tokens_per_minute: limit("The most tokens a minute."),
      tokens_per_day: limit("The most tokens a day."),
      usd_per_day: dollars("The most its calls of models may cost a day, in US dollars (UTC)."),
      usd_per_week: dollars("The most they may cost a week."),
      usd_per_month: dollars("The most they may cost a month."),
      concurrent: limit("The most calls at a time."),
      max_iterations: limit("The most calls in one conversation."),
      fail_mode: Type.Optional(oneOf(["closed", "open"], "Whether a call passes when the scanner fails.")),
      block_response: Type.Optional(
        oneOf(["error", "completion"], "How a block is answered: with an error, or with an empty completion."),
      ),
      sensitivity: Type.Optional(oneOf(["strict", "balanced", "permissive"], "How soon the scanner acts.")),
      mode: Type.Optional(oneOf(["enforce", "monitor"], "monitor: what would be done is recorded, and not done.")),
    },
    closed,
  ),
  monitoring: Type.Object(
    {
      alert_contact: optional(text("Whom to alert.", 254)),
      incident_plan: optional(text("Procedure when something goes wrong.")),
      slo: optional(text("What it promises its users.", 500)),
    },
    closed,
  ),
} as const;

export type Section = keyof typeof SECTIONS;

/** What each section is about, for people. */
export const SECTION_TITLES: Readonly<Record<Section, string>> = {
  ownership: "Identity and ownership",
  purpose: "Purpose and users",
  data_privacy: "Data and privacy",
  models: "Models and prompts",
  tools: "Tools and permissions",
  input_trust: "Untrusted input and injection",
  secrets_security: "Secrets and security",
  oversight: "Human oversight and limits",
  monitoring: "Monitoring and incidents",
};

export const SECTION_KEYS = Object.keys(SECTIONS) as readonly Section[];

/** All nine sections, complete: what is submitted and frozen. */
export const Answers = Type.Object(SECTIONS, { ...closed, $id: "ReviewAnswers" });
export type Answers = Static<typeof Answers>;

/** A draft: any sections, each as far as it goes; a section that is there is checked for what it has. */
export const DraftAnswers = Type.Partial(
  Type.Mapped(Type.KeyOf(Type.Object(SECTIONS)), (key) => Type.Partial(Type.Index(Type.Object(SECTIONS), key))),
  closed,
);
export type DraftAnswers = { readonly [S in Section]?: Partial<Answers[S]> };
