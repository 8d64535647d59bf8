import type { Answers, Section } from "#core/review/questionnaire";

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

/** What each section is about, for who answers it. */
export const SECTION_TEXTS: Readonly<Record<Section, readonly [title: string, hint: string]>> = {
  ownership: ["Identity and ownership", "Who answers for it, also when you are away."],
  purpose: ["Purpose and users", "What it is for, and who meets it."],
  data_privacy: ["Data and privacy", "What it sees, and what the hub keeps of it."],
  models: ["Models and prompts", "What is not named here is not allowed to it."],
  tools: ["Tools and permissions", "What is not named here is not allowed to it."],
  input_trust: ["Untrusted input", "Whoever writes what it reads may try to steer it."],
  secrets_security: ["Secrets and security", "What it holds, and where its answers may lead."],
  oversight: ["Oversight and limits", "How far it goes by itself, and how fast."],
  monitoring: ["Monitoring and incidents", "What happens when something goes wrong."],
};

export const QUESTIONS: Questions = {
  ownership: [
    {
      name: "sponsor",
      label: "Sponsor",
      as: "line",
      hint: "E-mail address of a user who answers for it when its owner leaves. Somebody else than the owner. May be left out when the agent has one already.",
    },
    { name: "team", label: "Team", as: "line" },
    { name: "contact", label: "Whom to reach about it", as: "line", hint: "A person, a channel, an address." },
    { name: "repo_url", label: "Where its source is", as: "line", hint: "An http or https address." },
  ],
  purpose: [
    { name: "intended_use", label: "What it is for", as: "text", required: true },
    { name: "prohibited_use", label: "What it must not be used for", as: "list", hint: "One a line." },
    {
      name: "audience",
      label: "Who uses it, or reads what it writes",
      as: "one",
      required: true,
      options: [
        option("self", "only its owner"),
        option("internal", "people of the organisation"),
        option("customer", "customers"),
        option("public", "anybody"),
      ],
    },
    {
      name: "annex_iii_area",
      label: "High-risk area of the EU AI Act",
      as: "line",
      hint: "Such as employment or credit (Annex III). Leave it empty when it falls in none; any makes the tier high at least.",
    },
    {
      name: "disclosure",
      label: "How people are told that an AI answers",
      as: "text",
      hint: "The words they are shown.",
    },
  ],
  data_privacy: [
    {
      name: "data_classes",
      label: "Classes of data it sees",
      as: "several",
      required: true,
      none: "It sees no data",
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
      label: "Personal data it must see to do its work",
      as: "list",
      hint: "Flag types such as pii.email, one a line. These pass and are flagged.",
    },
    {
      name: "regions",
      label: "Countries whose people's data it sees",
      as: "list",
      hint: "Such as DE or FR, one a line.",
    },
    {
      name: "store_content",
      label: "What is kept of its calls",
      as: "one",
      usual: "nothing",
      options: [
        option("none", "nothing"),
        option("redacted", "the texts, with findings redacted"),
        option("full", "the texts as they were"),
      ],
    },
    { name: "retention_days", label: "How many days that is kept", as: "number" },
  ],
  models: [
    {
      name: "models",
      label: "Models it uses",
      as: "list",
      required: true,
      none: "It uses no model",
      hint: "Names or patterns such as gpt-5*, one a line.",
    },
    { name: "providers", label: "Providers it expects them of", as: "list", hint: "One a line." },
    {
      name: "system_prompt_sha256",
      label: "SHA-256 of its system prompts",
      as: "list",
      hint: "64 hexadecimal digits, one a line.",
    },
    { name: "max_tokens", label: "The most tokens of one answer", as: "number" },
  ],
  tools: [
    { name: "tools", label: "Tools it uses, and the most each can do", as: "tools", required: true },
    {
      name: "approval_needed",
      label: "Tools a person approves each call of",
      as: "list",
      hint: "Such as mail__send, or the tool's name alone; one a line.",
    },
    { name: "max_calls_per_conversation", label: "The most calls of tools in one conversation", as: "number" },
  ],
  input_trust: [
    {
      name: "sources",
      label: "Where what it reads comes from",
      as: "several",
      required: true,
      none: "It reads nothing",
      options: [
        option("user", "its users"),
        option("web", "web pages"),
        option("email", "e-mail"),
        option("file", "files"),
        option("tool", "results of tools"),
        option("agent", "other agents"),
      ],
    },
    { name: "memory", label: "It remembers from one conversation to the next", as: "yes" },
    {
      name: "tainted_arguments",
      label: "When a tool that acts is called with a value only another tool's result had",
      as: "one",
      usual: "by its tier and sources",
      options: [
        option("allow", "let it through"),
        option("flag", "let it through and flag it"),
        option("block", "block it"),
        option("hold", "hold it until a person approves"),
      ],
    },
  ],
  secrets_security: [
    { name: "credential_handling", label: "Which credentials it handles, and how", as: "text" },
    {
      name: "egress",
      label: "Where its answers may link to",
      as: "one",
      usual: "nowhere, unless hosts are named below",
      options: [option("none", "nowhere"), option("allow_list", "the hosts below"), option("open", "anywhere")],
    },
    {
      name: "egress_hosts",
      label: "Hosts its answers may link to",
      as: "list",
      hint: "Such as docs.example.org or *.example.org, one a line.",
    },
    { name: "code_execution", label: "It runs code", as: "yes" },
  ],
  oversight: [
    {
      name: "autonomy",
      label: "How far it goes by itself",
      as: "one",
      required: true,
      options: [
        option("suggest", "it suggests, people act"),
        option("act_with_approval", "it acts once a person approves"),
        option("act", "it acts"),
      ],
    },
    { name: "stop_procedure", label: "How a person stops it", as: "text" },
    { name: "requests_per_minute", label: "The most calls a minute", as: "number" },
    { name: "requests_per_day", label: "The most calls a day", as: "number" },
    { name: "tokens_per_minute", label: "The most tokens a minute", as: "number" },
    { name: "tokens_per_day", label: "The most tokens a day", as: "number" },
    { name: "concurrent", label: "The most calls at a time", as: "number" },
    { name: "max_iterations", label: "The most calls in one conversation", as: "number" },
    {
      name: "fail_mode",
      label: "When the scanner fails",
      as: "one",
      usual: "refuse the call",
      options: [option("closed", "refuse the call"), option("open", "let it pass; not for high tiers")],
    },
    {
      name: "block_response",
      label: "How a block is answered",
      as: "one",
      usual: "with an error",
      options: [option("error", "with an error"), option("completion", "with an empty completion")],
    },
    {
      name: "sensitivity",
      label: "How soon the scanner acts",
      as: "one",
      usual: "balanced",
      options: [option("strict", "soon"), option("balanced", "balanced"), option("permissive", "late")],
    },
    {
      name: "mode",
      label: "Whether it is held to this",
      as: "one",
      usual: "held to it",
      options: [option("enforce", "held to it"), option("monitor", "only watched: nothing is blocked")],
    },
  ],
  monitoring: [
    { name: "alert_contact", label: "Whom to alert", as: "line" },
    { name: "incident_plan", label: "What is done when something goes wrong", as: "text" },
    { name: "slo", label: "What it promises its users", as: "text" },
  ],
};

const isSection = (name: string): name is Section => name in QUESTIONS;

/** In the order they are answered in. */
export const SECTIONS: readonly Section[] = Object.keys(QUESTIONS).filter(isSection);
export const sectionNamed = (name: string | undefined): Section | undefined => SECTIONS.find((one) => one === name);
