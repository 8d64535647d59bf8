import { ROLES } from "#model/person";
import { HARNESS_NAMES } from "#model/verdict";
import { LOG_LEVELS } from "#platform/log";
import { KILL_LEVELS } from "#policy/restrictions/restriction";
import { ORIGINS } from "#scan/detector";
import { AGENT_VERBS } from "./agents-verbs";
import { ALERT_VERBS } from "./alert-verbs";
import type { CliFlag, CliFlags } from "./arguments";
import { AUDIT_VERBS } from "./audit-verbs";
import { BACKUP_VERBS } from "./backup-verbs";
import { CONFIGURATION_VERBS } from "./configuration-verbs";
import { CONNECT_VERBS } from "./connect-verbs";
import { HOOK_SOURCE_VERBS } from "./hook-verbs";
import { MONEY_VERBS } from "./money-verbs";
import { PROVIDER_VERBS } from "./provider-verbs";
import { REPORT_VERBS } from "./report-verbs";
import { TOOL_SERVER_VERBS } from "./tool-servers-verbs";
import { TUNING_VERBS } from "./tuning-verbs";
import type { Topic, Verb } from "./verb";
import { WEBHOOK_VERBS } from "./webhook-verbs";

const LISTEN: CliFlag = { value: "HOST:PORT", about: "address to listen on", fallback: "127.0.0.1:8787" };
const PUBLIC_URL: CliFlag = { value: "URL", about: "URL under which callers reach the hub" };
const SERVING: CliFlags = {
  listen: LISTEN,
  "public-url": PUBLIC_URL,
  durability: {
    value: "full|normal",
    about: "audit durability: power loss (full) or process crash (normal)",
    fallback: "full",
  },
  "log-level": { value: "LEVEL", about: "least level that is logged", values: LOG_LEVELS, fallback: "info" },
};
const OWNER: CliFlag = { value: "EMAIL", about: "owner of the agent, when AGENT is a name" };
const USER: CliFlag = { value: "EMAIL", about: "owner of the token", required: true };
const AGENT: CliFlag = { value: "AGENT", about: "agent the token is bound to: id or name" };
const AGENT_OWNER: CliFlag = { value: "EMAIL", about: "owner of the agent; default: the user" };
const TOKEN_NAME: CliFlag = { value: "NAME", about: "label of the token" };
const LIFETIME: CliFlag = { value: "DURATION", about: "e.g. 90d, 24h", fallback: "never" };

const serving: readonly Verb[] = [
  {
    name: "serve",
    ownSettings: true,
    summary: "Run the hub; ready when GET /readyz answers 200",
    flags: {
      ...SERVING,
      workers: { value: "N", about: "processes that serve together at the address", fallback: "1" },
    },
    load: () => import("./service").then((module) => module.start),
  },
  {
    name: "demo",
    ownSettings: true,
    summary: "Run a temporary hub with example calls as curl commands",
    flags: {
      ...SERVING,
      once: { about: "exit after the tour" },
      loop: { about: "show the report loop instead: block, dispute, verdict, approval, applied rule, rollback" },
    },
    load: () => import("./demo").then((module) => module.demo),
  },
  {
    name: "demo tools",
    summary: "Run the demo's MCP server on stdin and stdout",
    load: () => import("./demo-tools").then((module) => module.demoTools),
  },
  {
    name: "health",
    summary: "Check that a running hub is alive (for container health checks)",
    flags: { listen: LISTEN },
    load: () => import("./service").then((module) => module.health),
  },
];

const people: readonly Verb[] = [
  {
    name: "admin create",
    summary: "Create an administrator",
    operands: ["EMAIL"],
    form: "EMAIL [--name NAME] [--password-file FILE | --random-password]",
    flags: {
      name: { value: "NAME", about: "display name" },
      "password-file": { value: "FILE", about: "password in a file; - reads stdin" },
      "random-password": { about: "generate a password and show it once" },
    },
    load: () => import("./people").then((module) => module.createAdmin),
  },
  {
    name: "user create",
    summary: "Create a user",
    operands: ["EMAIL"],
    flags: {
      name: { value: "NAME", about: "display name" },
      role: { value: "ROLE", about: "role", values: ROLES, fallback: "member" },
    },
    load: () => import("./people").then((module) => module.createUser),
  },
  {
    name: "user invite",
    summary: "Create an invitation or password-reset link for a user",
    operands: ["EMAIL"],
    flags: {
      name: { value: "NAME", about: "display name" },
      role: { value: "ROLE", about: "role", values: ROLES, fallback: "member" },
    },
    load: () => import("./people").then((module) => module.inviteUser),
  },
  {
    name: "user role",
    summary: "Give a user another role",
    operands: ["EMAIL", ROLES.join("|")],
    load: () => import("./people").then((module) => module.changeRole),
  },
  {
    name: "user disable",
    summary: "Disable a user with all their tokens, sessions and grants",
    operands: ["EMAIL"],
    load: () => import("./people").then((module) => module.disableUser),
  },
  {
    name: "user enable",
    summary: "Enable a disabled user",
    operands: ["EMAIL"],
    load: () => import("./people").then((module) => module.enableUser),
  },
  {
    name: "user unlink",
    summary: "Remove the link between a user and an OpenID account, so that another account can be linked",
    operands: ["EMAIL"],
    load: () => import("./people").then((module) => module.unlinkUser),
  },
  { name: "user list", summary: "List users", load: () => import("./people").then((module) => module.listUsers) },
];

const tokens: readonly Verb[] = [
  {
    name: "token create",
    summary: "Create a gateway token; it is shown once",
    flags: { user: USER, agent: AGENT, owner: AGENT_OWNER, name: TOKEN_NAME, "expires-in": LIFETIME },
    load: () => import("./tokens").then((module) => module.createToken),
  },
  {
    name: "token import",
    summary: "Import a gateway token issued elsewhere (gw-live-… or gwk_…) from stdin",
    flags: { user: USER, agent: AGENT, owner: AGENT_OWNER, name: TOKEN_NAME, "expires-in": LIFETIME },
    load: () => import("./tokens").then((module) => module.importToken),
  },
  {
    name: "token list",
    summary: "List gateway tokens",
    load: () => import("./tokens").then((module) => module.listTokens),
  },
  {
    name: "token disable",
    summary: "Disable a gateway token until it is enabled again",
    operands: ["ID"],
    load: () => import("./tokens").then((module) => module.disableToken),
  },
  {
    name: "token enable",
    summary: "Enable a disabled gateway token",
    operands: ["ID"],
    load: () => import("./tokens").then((module) => module.enableToken),
  },
  {
    name: "token revoke",
    summary: "Revoke a gateway token permanently",
    operands: ["ID"],
    load: () => import("./tokens").then((module) => module.revokeToken),
  },
  {
    name: "token rotate",
    summary: "Replace a gateway token; the old one stays valid for a grace period",
    operands: ["ID"],
    flags: {
      grace: { value: "DURATION", about: "how long the old token stays valid; 0 ends it now", fallback: "24h" },
    },
    load: () => import("./tokens").then((module) => module.rotateToken),
  },
];

const sessions: readonly Verb[] = [
  {
    name: "session create",
    summary: "Create an API session; its key is shown once",
    operands: ["EMAIL"],
    flags: { "expires-in": { value: "DURATION", about: "at most 30d", fallback: "8h" } },
    load: () => import("./sessions").then((module) => module.createSession),
  },
  {
    name: "session list",
    summary: "List sessions",
    load: () => import("./sessions").then((module) => module.listSessions),
  },
  {
    name: "session revoke",
    summary: "Revoke a session",
    operands: ["ID"],
    load: () => import("./sessions").then((module) => module.revokeSession),
  },
];

const stopping: readonly Verb[] = [
  {
    name: "killswitch on",
    summary: "Activate a kill switch for an agent, an owner, a tool server, a model or everything",
    form: "--reason TEXT [--level LEVEL --target TARGET]",
    flags: {
      reason: { value: "TEXT", about: "reason, recorded in the audit log", required: true },
      level: { value: "LEVEL", about: "what is stopped", values: KILL_LEVELS, fallback: "all" },
      target: { value: "TARGET", about: "agent, owner or tool server by id or name; model name or glob" },
    },
    load: () => import("./killswitch").then((module) => module.switchOn),
  },
  {
    name: "killswitch off",
    summary: "Deactivate the active kill switch; if several are active, the one for everything",
    form: "[--id ID | --all] [--reason TEXT]",
    flags: {
      id: { value: "ID", about: "id of the kill switch" },
      all: { about: "all active kill switches" },
      reason: { value: "TEXT", about: "reason, recorded in the audit log" },
    },
    load: () => import("./killswitch").then((module) => module.switchOff),
  },
  {
    name: "killswitch status",
    summary: "List active kill switches and where they are enforced",
    flags: { all: { about: "include lifted kill switches" } },
    load: () => import("./killswitch").then((module) => module.switchStatus),
  },
];

const scanning: readonly Verb[] = [
  {
    name: "scan",
    summary: "Scan a text as the hub would; exit code 10 when it would be blocked",
    operands: ["[FILE]"],
    form: "[FILE|-] [--origin ORIGIN] [--agent AGENT [--owner EMAIL]]",
    flags: {
      origin: { value: "ORIGIN", about: "where the text comes from", values: ORIGINS, fallback: "user" },
      agent: { value: "AGENT", about: "agent whose policy applies: id or name" },
      owner: OWNER,
    },
    load: () => import("./scan").then((module) => module.scan),
  },
];

const hooking: readonly Verb[] = [
  {
    name: "hook",
    ownSettings: true,
    summary: "Answer a hook of a coding agent: its input on stdin, the hub's verdict on stdout",
    form: "--harness HARNESS [--fail open|closed] [--url URL]",
    flags: {
      harness: { value: "HARNESS", about: "coding agent that calls the hook", values: HARNESS_NAMES, required: true },
      fail: { value: "open|closed", about: "what happens without a verdict", fallback: "closed" },
      url: { value: "URL", about: "address of the hub; default: GUARDHOUSE_URL" },
    },
    load: () => import("./hook").then((module) => module.hook),
  },
  ...HOOK_SOURCE_VERBS,
];

const maintenance: readonly Verb[] = [
  ...CONFIGURATION_VERBS,
  ...BACKUP_VERBS,
  {
    name: "node list",
    summary: "List the processes that serve, or have served, from the data",
    load: () => import("./nodes").then((module) => module.listNodes),
  },
  {
    name: "node remove",
    summary: "Forget a node that no longer serves",
    operands: ["ID"],
    load: () => import("./nodes").then((module) => module.removeNode),
  },
  {
    name: "config show",
    ownSettings: true,
    summary: "Show the settings in force",
    flags: {
      ...SERVING,
      origin: { about: "show the source of each value" },
      describe: { about: "show the description of each setting" },
    },
    load: () => import("./config").then((module) => module.show),
  },
  {
    name: "config check",
    ownSettings: true,
    summary: "Check the settings; exit code 3 when one is invalid",
    flags: SERVING,
    load: () => import("./config").then((module) => module.check),
  },
  {
    name: "keys rotate",
    summary: "Rotate the master key and re-encrypt all secrets; works while the hub runs",
    flags: {
      "new-key-file": { value: "FILE", about: "new key, when it is supplied externally; default: generated" },
      "leave-closed": { about: "continue although some values cannot be decrypted with any available key" },
    },
    load: () => import("./keys").then((module) => module.rotateKeys),
  },
  {
    name: "openapi",
    ownSettings: true,
    summary: "Print the OpenAPI document for these settings; needs no running hub and no data",
    flags: {
      listen: LISTEN,
      "public-url": PUBLIC_URL,
      out: { value: "FILE", about: "output file, overwritten if it exists; default: stdout" },
    },
    load: () => import("./openapi").then((module) => module.openapi),
  },
  {
    name: "doctor",
    summary: "Check the installation and suggest remedies",
    flags: { online: { about: "also test every provider" } },
    load: () => import("./doctor").then((module) => module.doctor),
  },
];

const telling: readonly Verb[] = [
  { name: "version", summary: "Show the version", load: () => import("./version").then((module) => module.version) },
  {
    name: "help",
    summary: "Show all verbs, those of a noun such as token, or one with its flags and examples",
    operands: ["[VERB]", "[VERB]", "[VERB]"],
    form: "[VERB] [--man]",
    flags: { man: { about: "print the manual page, in roff" } },
    load: () => import("./help").then((module) => module.help),
  },
  {
    name: "docs",
    ownSettings: true,
    summary: "Show a page of the documentation as Markdown, or the list of pages",
    operands: ["[TOPIC]"],
    load: () => import("./docs").then((module) => module.docs),
  },
  {
    name: "completion",
    summary: "Print the completion script of a shell",
    operands: ["bash|zsh|fish"],
    load: () => import("./completion").then((module) => module.completion),
  },
];

/** Every verb by topic, in the order the help shows them. */
export const TOPICS: readonly Topic[] = [
  { title: "Serve", verbs: serving },
  { title: "People", verbs: [...people, ...sessions] },
  { title: "Agents and keys", verbs: [...AGENT_VERBS, ...tokens] },
  { title: "Model providers", verbs: PROVIDER_VERBS },
  { title: "Clients", verbs: CONNECT_VERBS },
  { title: "Money", verbs: MONEY_VERBS },
  { title: "Tool servers", verbs: TOOL_SERVER_VERBS },
  { title: "Policy and tuning", verbs: [...scanning, ...REPORT_VERBS, ...TUNING_VERBS] },
  { title: "Coding agents", verbs: hooking },
  { title: "Kill switches", verbs: stopping },
  { title: "Calls and audit", verbs: AUDIT_VERBS },
  { title: "Alerts and webhooks", verbs: [...ALERT_VERBS, ...WEBHOOK_VERBS] },
  { title: "Operate", verbs: maintenance },
  { title: "Help", verbs: telling },
];

export const VERBS: readonly Verb[] = TOPICS.flatMap(({ verbs }) => verbs);
