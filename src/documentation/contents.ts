/** One page of the documentation: its Markdown file is `docs/NAME.md`, its address `/docs/NAME`. */
type Entry = { readonly name: string; readonly label: string; readonly about: string };
type Group = { readonly title: string; readonly pages: readonly Entry[] };

/** The documentation by task, in the order of its navigation. Decisions and the specification are reached by links. */
export const CONTENTS = [
  {
    title: "Start",
    pages: [
      { name: "getting-started", label: "Getting started", about: "From nothing to an agent whose calls are guarded." },
      { name: "dashboard", label: "Dashboard", about: "Screens, roles and keyboard shortcuts." },
      { name: "glossary", label: "Glossary", about: "The terms of the product." },
    ],
  },
  {
    title: "Connect agents",
    pages: [
      { name: "clients", label: "Clients", about: "Settings of clients and SDKs, and what they show at a block." },
      { name: "providers", label: "Model providers", about: "Kinds, credentials, failover." },
      { name: "model-apis", label: "Model APIs", about: "Chat Completions, Responses, Messages and others in detail." },
      { name: "errors", label: "Errors", about: "Codes, causes and what to do." },
      { name: "tool-gateway", label: "Tool gateway", about: "Tools of MCP servers at one address." },
      {
        name: "verdicts",
        label: "Verdicts",
        about: "Anthropic, Cursor, Copilot Studio, LiteLLM, hooks of coding agents: judged, not forwarded.",
      },
      { name: "sign-in-ides", label: "IDE sign-in", about: "OAuth for editors and other MCP clients." },
    ],
  },
  {
    title: "Govern",
    pages: [
      { name: "agents", label: "Agents and review", about: "Registering, reviewing and approving agents." },
      { name: "enforcement", label: "Enforcement", about: "How the profile of an agent applies to its calls." },
      { name: "restrictions", label: "Restrictions", about: "Kill switches, temporary restrictions, held calls." },
      { name: "money", label: "Prices and budgets", about: "What calls cost, and limits in money." },
      { name: "health", label: "Health and drift", about: "How an agent's health score is computed." },
      { name: "scanning", label: "Scanning", about: "Detectors, actions and labels." },
      { name: "policy", label: "Baseline policy", about: "What applies to calls without a profile." },
      { name: "reports", label: "Disputes", about: "Reporting wrong blocks and missed findings." },
      { name: "tuning", label: "Tuning", about: "From a report to a changed scanner." },
      { name: "detection", label: "Detection figures", about: "Measured precision and recall." },
      { name: "name-model", label: "Name model", about: "The model behind names, places and addresses." },
      { name: "injection-model", label: "Injection model", about: "The model behind injection findings." },
    ],
  },
  {
    title: "Operate",
    pages: [
      { name: "operating", label: "Operating", about: "Services, proxies, monitoring, backups, upgrades." },
      { name: "configuration", label: "Configuration", about: "Every setting with its default." },
      {
        name: "configuration-as-code",
        label: "Configuration as code",
        about: "The configuration in files, for git and CI.",
      },
      { name: "command-line", label: "Command line", about: "Every command with its flags." },
      { name: "sign-in", label: "Sign-in", about: "Users, passwords and OpenID Connect." },
      { name: "audit", label: "Audit log", about: "Records, verification and export." },
      { name: "tracing", label: "Traces and logs", about: "Calls for OpenTelemetry collectors." },
      { name: "alerts", label: "Alerts", about: "Who is told when something is wrong, and of what." },
      { name: "webhooks", label: "Webhooks", about: "Signed event notifications." },
      { name: "management", label: "Management API", about: "What operators do over HTTP." },
      { name: "security", label: "Security", about: "Threats, defences and known limits." },
      { name: "workers", label: "Workers", about: "Several processes on one host." },
      { name: "scaling", label: "Scaling", about: "Several hubs on one PostgreSQL." },
      { name: "releases", label: "Releases", about: "What a release has, and how to check it." },
    ],
  },
  {
    title: "Recipes",
    pages: [
      { name: "recipes/claude-code", label: "Claude Code", about: "Models and tools of Claude Code." },
      { name: "recipes/codex", label: "Codex CLI", about: "Models and tools of Codex." },
      { name: "recipes/cursor", label: "Cursor", about: "Chat and tools of Cursor." },
      { name: "recipes/langchain", label: "LangChain", about: "Chains and agents in Python and JavaScript." },
      { name: "recipes/litellm", label: "LiteLLM", about: "LiteLLM's proxy before or behind the hub." },
      { name: "recipes/systemd", label: "systemd", about: "User, folders, settings and unit of a service." },
      { name: "recipes/compose", label: "Docker Compose", about: "One hub in a container." },
      { name: "recipes/nginx", label: "nginx", about: "TLS in front of the hub." },
      { name: "recipes/caddy", label: "Caddy", about: "TLS with a certificate of its own." },
      { name: "recipes/prometheus", label: "Prometheus", about: "What to scrape, and first queries." },
      { name: "recipes/slack", label: "Slack", about: "Events of the hub in a channel." },
    ],
  },
  {
    title: "Project",
    pages: [
      { name: "CHANGELOG", label: "Changes", about: "What changed in each version." },
      { name: "architecture", label: "Architecture", about: "Parts of the program and the flow of a call." },
      { name: "development", label: "Development", about: "Building, testing and changing the program." },
      { name: "benchmarks", label: "Benchmarks", about: "Speed and memory, measured." },
    ],
  },
] as const satisfies readonly Group[];

export type PageName = (typeof CONTENTS)[number]["pages"][number]["name"];

export type DocumentationPage = Entry & { readonly group: string };

/** All pages of the navigation, in its order. */
export const PAGES: readonly DocumentationPage[] = CONTENTS.flatMap(({ title, pages }) =>
  pages.map((page) => ({ ...page, group: title })),
);
