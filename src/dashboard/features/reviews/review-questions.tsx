import type { Answers, Section } from "#policy/review/questionnaire";

export type Option = { readonly value: string; readonly label: string };

/** One question of the form, and how it is answered. */
export type Question<Name extends string = string> = {
  readonly name: Name;
  readonly label: string;
  readonly hint?: string;
  readonly required?: true;
} & (
  | { readonly as: "line" | "text" | "number" | "yes" | "tools" }
  /** One a line. `none`: what is said when the answer is that there are none. */
  | { readonly as: "list"; readonly none?: string }
  | { readonly as: "one"; readonly options: readonly Option[]; readonly usual?: string }
  | { readonly as: "several"; readonly options: readonly Option[]; readonly none?: string }
);

type Questions = { readonly [S in Section]: readonly Question<keyof Answers[S] & string>[] };

const option = (value: string, label: string): Option => ({ value, label });

export const EFFECT_OPTIONS: readonly Option[] = [
  option("read", "read"),
  option("write", "write"),
  option("pay", "pay"),
  option("send", "send to others"),
  option("delete", "delete"),
  option("execute", "run code"),
  option("destructive", "destroy"),
  option("external", "reach outside"),
];

const PERMISSIONS: readonly Option[] = [
  option("allow", "allow"),
  option("ask", "ask the user"),
  option("deny", "deny"),
];

/** What each section is about, for who answers it. */
export const SECTION_TEXTS: Readonly<Record<Section, readonly [title: string, hint: string]>> = {
  ownership: ["Identity and ownership", "Owner, sponsor and contact."],
  purpose: ["Purpose and users", "Intended use and audience."],
  data_privacy: ["Data and privacy", "Data the agent sees, and what the hub stores."],
  models: ["Models and prompts", "Everything not listed is denied."],
  tools: ["Tools and permissions", "Everything not listed is denied."],
  input_trust: ["Untrusted input", "Sources of text that may contain injections."],
  secrets_security: ["Secrets and security", "Credentials, links and code execution."],
  oversight: ["Oversight and limits", "Autonomy, limits and scanner settings."],
  monitoring: ["Monitoring and incidents", "Alerts and incident handling."],
};

export const QUESTIONS: Questions = {
  ownership: [
    {
      name: "sponsor",
      label: "Sponsor",
      as: "line",
      hint: "E-mail address of the user responsible when the owner leaves. Not the owner. Optional if the agent has a sponsor.",
    },
    { name: "team", label: "Team", as: "line" },
    { name: "contact", label: "Contact", as: "line", hint: "A person, a channel, an address." },
    { name: "repo_url", label: "Repository", as: "line", hint: "An http or https address." },
  ],
  purpose: [
    { name: "intended_use", label: "Intended use", as: "text", required: true },
    { name: "prohibited_use", label: "Prohibited use", as: "list", hint: "One a line." },
    {
      name: "audience",
      label: "Audience",
      as: "one",
      required: true,
      options: [
        option("self", "owner only"),
        option("internal", "organisation"),
        option("customer", "customers"),
        option("public", "anybody"),
      ],
    },
    {
      name: "annex_iii_area",
      label: "High-risk area of the EU AI Act",
      as: "line",
      hint: "Such as employment or credit (Annex III). Empty if none applies; any area makes the tier at least high.",
    },
    {
      name: "disclosure",
      label: "AI disclosure",
      as: "text",
      hint: "Text shown to users.",
    },
  ],
  data_privacy: [
    {
      name: "data_classes",
      label: "Data classes",
      as: "several",
      required: true,
      none: "No data",
      options: [
        option("public", "public"),
        option("internal", "internal"),
        option("confidential", "confidential"),
        option("special_category", "special categories, such as health or beliefs"),
        option("secret", "secrets, such as keys and passwords"),
      ],
    },
    {
      name: "pii_types_expected",
      label: "Required personal data",
      as: "list",
      hint: "Finding types such as pii.email, one a line. They pass and are flagged.",
    },
    {
      name: "regions",
      label: "Countries of data subjects",
      as: "list",
      hint: "Such as DE or FR, one a line.",
    },
    {
      name: "store_content",
      label: "Stored content",
      as: "one",
      usual: "nothing",
      options: [
        option("none", "nothing"),
        option("redacted", "content with findings redacted"),
        option("full", "full content"),
      ],
    },
    { name: "retention_days", label: "Retention days", as: "number" },
    {
      name: "provider_state",
      label: "Responses kept at the model's provider",
      as: "one",
      usual: "its own only",
      options: [option("own", "its own only"), option("forbid", "none")],
    },
  ],
  models: [
    {
      name: "models",
      label: "Models",
      as: "list",
      required: true,
      none: "No models",
      hint: "Names or patterns such as gpt-5*, one a line.",
    },
    { name: "providers", label: "Expected providers", as: "list", hint: "One a line." },
    {
      name: "system_prompt_sha256",
      label: "SHA-256 of system prompts",
      as: "list",
      hint: "64 hexadecimal digits, one a line.",
    },
    { name: "max_tokens", label: "Max output tokens", as: "number" },
  ],
  tools: [
    { name: "tools", label: "Tools and their impact", as: "tools", required: true },
    {
      name: "approval_needed",
      label: "Tools that need approval for each call",
      as: "list",
      hint: "Such as mail__send, or the tool's name alone; one a line.",
    },
    { name: "max_calls_per_conversation", label: "Max tool calls per conversation", as: "number" },
    {
      name: "prompts",
      label: "Prompts of tool servers",
      as: "list",
      hint: "Such as files__review or files__*; one a line.",
    },
    {
      name: "resources",
      label: "Resources of tool servers",
      as: "list",
      hint: "Such as guardhouse://files/*; one a line.",
    },
    {
      name: "server_tools",
      label: "Tools that run at the model's provider",
      as: "several",
      options: [
        option("web_search", "web search"),
        option("web_fetch", "web fetch"),
        option("code_execution", "code execution"),
        option("code_interpreter", "code interpreter"),
        option("computer", "computer"),
        option("browser", "browser"),
        option("shell", "shell"),
        option("file_search", "file search"),
        option("image_generation", "image generation"),
        option("mcp", "remote MCP servers"),
        option("advisor", "advisor"),
        option("other", "any other"),
      ],
    },
    {
      name: "mcp_hosts",
      label: "Hosts of remote MCP servers",
      as: "list",
      hint: "Such as mcp.example.org or *.example.org, one a line.",
    },
    {
      name: "commands",
      label: "Commands of a coding agent",
      as: "list",
      hint: "allow, ask or deny, and a pattern, such as deny git push *; one a line. The strictest that matches holds.",
    },
    {
      name: "other_commands",
      label: "Other commands",
      as: "one",
      usual: "ask where some are allowed, else allow",
      options: PERMISSIONS,
    },
    {
      name: "command_hosts",
      label: "Hosts its commands may name",
      as: "list",
      hint: "Such as github.com or *.example.org, one a line.",
    },
    {
      name: "other_hosts",
      label: "Commands that name other hosts",
      as: "one",
      usual: "deny where hosts are listed",
      options: [option("ask", "ask the user"), option("deny", "deny")],
    },
    {
      name: "files",
      label: "Files of a coding agent",
      as: "list",
      hint: "allow, ask or deny, read or write or neither for both, and a pattern, such as deny read ~/.ssh/**; one a line.",
    },
    {
      name: "other_reads",
      label: "Reading other files",
      as: "one",
      usual: "ask where some are allowed, else allow",
      options: PERMISSIONS,
    },
    {
      name: "other_writes",
      label: "Writing other files",
      as: "one",
      usual: "ask where some are allowed, else allow",
      options: PERMISSIONS,
    },
    {
      name: "hook_redact",
      label: "Findings its hook cannot redact",
      as: "one",
      usual: "deny",
      options: [option("deny", "deny"), option("allow", "allow and record")],
    },
    {
      name: "hook_offline_minutes",
      label: "Minutes its hook decides commands and files while the hub cannot be reached",
      as: "number",
    },
  ],
  input_trust: [
    {
      name: "sources",
      label: "Sources of input",
      as: "several",
      required: true,
      none: "No input",
      options: [
        option("user", "users"),
        option("web", "web pages"),
        option("email", "e-mail"),
        option("file", "files"),
        option("tool", "tool results"),
        option("agent", "other agents"),
      ],
    },
    { name: "memory", label: "Memory across conversations", as: "yes" },
    {
      name: "tainted_arguments",
      label: "Tool call with side effects whose argument comes only from another tool's result",
      as: "one",
      usual: "by tier and sources",
      options: [
        option("allow", "allow"),
        option("flag", "flag"),
        option("block", "block"),
        option("hold", "hold for approval"),
      ],
    },
  ],
  secrets_security: [
    { name: "credential_handling", label: "Credential handling", as: "text" },
    {
      name: "egress",
      label: "Link policy",
      as: "one",
      usual: "no links, unless hosts are listed below",
      options: [option("none", "no links"), option("allow_list", "listed hosts"), option("open", "all hosts")],
    },
    {
      name: "egress_hosts",
      label: "Allowed hosts",
      as: "list",
      hint: "Such as docs.example.org or *.example.org, one a line.",
    },
    { name: "code_execution", label: "Code execution", as: "yes" },
  ],
  oversight: [
    {
      name: "autonomy",
      label: "Autonomy",
      as: "one",
      required: true,
      options: [
        option("suggest", "suggests only"),
        option("act_with_approval", "acts with approval"),
        option("act", "acts autonomously"),
      ],
    },
    { name: "stop_procedure", label: "Stop procedure", as: "text" },
    { name: "requests_per_minute", label: "Requests per minute", as: "number" },
    { name: "requests_per_day", label: "Requests per day", as: "number" },
    { name: "tokens_per_minute", label: "Tokens per minute", as: "number" },
    { name: "tokens_per_day", label: "Tokens per day", as: "number" },
    { name: "usd_per_day", label: "Budget per day", as: "number", hint: "In US dollars, by UTC." },
    { name: "usd_per_week", label: "Budget per week", as: "number", hint: "From Monday." },
    { name: "usd_per_month", label: "Budget per month", as: "number" },
    { name: "concurrent", label: "Concurrent requests", as: "number" },
    { name: "max_iterations", label: "Max calls per conversation", as: "number" },
    {
      name: "fail_mode",
      label: "Scanner failure",
      as: "one",
      usual: "refuse calls",
      options: [option("closed", "refuse calls"), option("open", "allow unscanned; not for high tiers")],
    },
    {
      name: "block_response",
      label: "Block response",
      as: "one",
      usual: "error",
      options: [option("error", "error"), option("completion", "empty completion")],
    },
    {
      name: "sensitivity",
      label: "Sensitivity",
      as: "one",
      usual: "balanced",
      options: [option("strict", "strict"), option("balanced", "balanced"), option("permissive", "permissive")],
    },
    {
      name: "mode",
      label: "Mode",
      as: "one",
      usual: "enforce",
      options: [option("enforce", "enforce"), option("monitor", "monitor: nothing is blocked")],
    },
  ],
  monitoring: [
    { name: "alert_contact", label: "Alert contact", as: "line" },
    { name: "incident_plan", label: "Incident plan", as: "text" },
    { name: "slo", label: "Service level objective", as: "text" },
  ],
};

const isSection = (name: string): name is Section => name in QUESTIONS;

/** In the order they are answered in. */
export const SECTIONS: readonly Section[] = Object.keys(QUESTIONS).filter(isSection);
export const sectionNamed = (name: string | undefined): Section | undefined => SECTIONS.find((one) => one === name);
