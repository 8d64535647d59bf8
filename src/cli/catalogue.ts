import { ROLES } from "#core/person";
import { KILL_LEVELS } from "#core/restriction";
import { ORIGINS } from "#core/scan/detector";
import { AGENT_VERBS } from "./agents-verbs";
import type { Flag, Flags } from "./arguments";
import { BACKUP_VERBS } from "./backup-verbs";
import { REPORT_VERBS } from "./report-verbs";
import { TOOL_SERVER_VERBS } from "./tool-servers-verbs";
import { TUNING_VERBS } from "./tuning-verbs";
import type { Verb } from "./verb";
import { WEBHOOK_VERBS } from "./webhook-verbs";

const LISTEN: Flag = { value: "HOST:PORT", about: "address to listen on", fallback: "127.0.0.1:8787" };
const PUBLIC_URL: Flag = { value: "URL", about: "the URL callers use" };
const SERVING: Flags = {
  listen: LISTEN,
  "public-url": PUBLIC_URL,
  durability: { value: "full|normal", about: "what an answered call's record survives", fallback: "full" },
  "log-level": { value: "LEVEL", about: "debug, info, warn or error", fallback: "info" },
};
const OWNER: Flag = { value: "EMAIL", about: "whose agent, when AGENT is a name" };
const USER: Flag = { value: "EMAIL", about: "whose token it is", required: true };
const AGENT: Flag = { value: "AGENT", about: "bind the token to this agent of the user: id or name" };
const AGENT_OWNER: Flag = { value: "EMAIL", about: "whose agent it is; the user's unless said" };
const TOKEN_NAME: Flag = { value: "NAME", about: "what the token is for" };
const LIFETIME: Flag = { value: "DURATION", about: "e.g. 90d, 24h", fallback: "never" };

const serving: readonly Verb[] = [
  {
    name: "serve",
    ownSettings: true,
    summary: "Run the service; ready when GET /readyz answers 200",
    flags: SERVING,
    load: () => import("./start").then((room) => room.start),
  },
  {
    name: "demo",
    ownSettings: true,
    summary: "Try everything in a minute: a throw-away service, a tour, copy-paste calls",
    flags: {
      ...SERVING,
      once: { about: "end after the tour" },
      loop: { about: "play the loop instead: block, dispute, verdict, approval, mended, taken back" },
    },
    load: () => import("./demo").then((room) => room.demo),
  },
  {
    name: "demo tools",
    summary: "Serve the demo's tools over stdin and stdout, as an MCP server",
    load: () => import("./demo-tools").then((room) => room.demoTools),
  },
  {
    name: "health",
    summary: "Ask a running service whether it is alive (for container health checks)",
    flags: { listen: LISTEN },
    load: () => import("./health").then((room) => room.health),
  },
];

const people: readonly Verb[] = [
  {
    name: "admin create",
    summary: "Create an administrator",
    operands: ["EMAIL"],
    form: "EMAIL [--name NAME] [--password-file FILE | --random-password]",
    flags: {
      name: { value: "NAME", about: "how to address them" },
      "password-file": { value: "FILE", about: "password in a file; - reads stdin" },
      "random-password": { about: "make up a password and show it once" },
    },
    load: () => import("./people").then((room) => room.createAdmin),
  },
  {
    name: "user create",
    summary: "Create a user",
    operands: ["EMAIL"],
    flags: {
      name: { value: "NAME", about: "how to address them" },
      role: { value: "ROLE", about: ROLES.join(", "), fallback: "member" },
    },
    load: () => import("./people").then((room) => room.createUser),
  },
  {
    name: "user invite",
    summary: "Make a link by which a user, new or known, sets a password",
    operands: ["EMAIL"],
    flags: {
      name: { value: "NAME", about: "how to address them" },
      role: { value: "ROLE", about: ROLES.join(", "), fallback: "member" },
    },
    load: () => import("./people").then((room) => room.inviteUser),
  },
  {
    name: "user disable",
    summary: "Shut a user out, with every token, session and grant of theirs",
    operands: ["EMAIL"],
    load: () => import("./people").then((room) => room.disableUser),
  },
  {
    name: "user enable",
    summary: "Let a disabled user in again",
    operands: ["EMAIL"],
    load: () => import("./people").then((room) => room.enableUser),
  },
  {
    name: "user unlink",
    summary: "Forget whom the OpenID provider means by a user, so that another account there can be theirs",
    operands: ["EMAIL"],
    load: () => import("./people").then((room) => room.unlinkUser),
  },
  { name: "user list", summary: "List users", load: () => import("./people").then((room) => room.listUsers) },
];

const tokens: readonly Verb[] = [
  {
    name: "token create",
    summary: "Issue a gateway token; it is shown once",
    flags: { user: USER, agent: AGENT, owner: AGENT_OWNER, name: TOKEN_NAME, "expires-in": LIFETIME },
    load: () => import("./tokens").then((room) => room.createToken),
  },
  {
    name: "token import",
    summary: "Take in a token issued elsewhere (gw-live-… or gwk_…), read from stdin",
    flags: { user: USER, agent: AGENT, owner: AGENT_OWNER, name: TOKEN_NAME, "expires-in": LIFETIME },
    load: () => import("./tokens").then((room) => room.importToken),
  },
  { name: "token list", summary: "List tokens", load: () => import("./tokens").then((room) => room.listTokens) },
  {
    name: "token disable",
    summary: "Shut a token out until it is enabled again",
    operands: ["ID"],
    load: () => import("./tokens").then((room) => room.disableToken),
  },
  {
    name: "token enable",
    summary: "Let a disabled token in again",
    operands: ["ID"],
    load: () => import("./tokens").then((room) => room.enableToken),
  },
  {
    name: "token revoke",
    summary: "Shut a token out for good",
    operands: ["ID"],
    load: () => import("./tokens").then((room) => room.revokeToken),
  },
  {
    name: "token rotate",
    summary: "Replace a token; the old one works on for a while",
    operands: ["ID"],
    flags: { grace: { value: "DURATION", about: "how long the old one works on; 0 ends it now", fallback: "24h" } },
    load: () => import("./tokens").then((room) => room.rotateToken),
  },
];

const sessions: readonly Verb[] = [
  {
    name: "session create",
    summary: "Sign a person in to /api; the key is shown once",
    operands: ["EMAIL"],
    flags: { "expires-in": { value: "DURATION", about: "at most 30d", fallback: "8h" } },
    load: () => import("./sessions").then((room) => room.createSession),
  },
  {
    name: "session list",
    summary: "List sessions",
    load: () => import("./sessions").then((room) => room.listSessions),
  },
  {
    name: "session revoke",
    summary: "End a session for good",
    operands: ["ID"],
    load: () => import("./sessions").then((room) => room.revokeSession),
  },
];

const providers: readonly Verb[] = [
  {
    name: "provider add",
    summary: "Add an OpenAI-compatible provider",
    operands: ["NAME"],
    form: "NAME --base-url URL --models GLOB[,GLOB] [--api-key-file FILE | --api-key-env VAR] [--priority N]",
    flags: {
      "base-url": { value: "URL", about: "ends where /chat/completions follows", required: true },
      models: { value: "GLOB[,GLOB]", about: "models it serves; * stands for anything", required: true },
      "api-key-file": { value: "FILE", about: "API key in a file; - reads stdin" },
      "api-key-env": { value: "VAR", about: "API key in a variable" },
      priority: { value: "N", about: "lower goes first", fallback: "100" },
    },
    load: () => import("./providers").then((room) => room.addProvider),
  },
  {
    name: "provider list",
    summary: "List providers in the order they are tried",
    load: () => import("./providers").then((room) => room.listProviders),
  },
  {
    name: "provider test",
    summary: "Ask a provider for its models",
    operands: ["NAME"],
    load: () => import("./providers").then((room) => room.testProvider),
  },
  {
    name: "provider remove",
    summary: "Remove a provider and its key",
    operands: ["NAME"],
    load: () => import("./providers").then((room) => room.removeProvider),
  },
];

const stopping: readonly Verb[] = [
  {
    name: "killswitch on",
    summary: "Stop an agent, an owner, a tool server, a model or everything, at once",
    form: "--reason TEXT [--level LEVEL --target TARGET]",
    flags: {
      reason: { value: "TEXT", about: "why; it stays on record", required: true },
      level: { value: "LEVEL", about: KILL_LEVELS.join(", "), fallback: "all" },
      target: { value: "TARGET", about: "an agent, an owner or a tool server by id or name; a model's name or glob" },
    },
    load: () => import("./killswitch").then((room) => room.switchOn),
  },
  {
    name: "killswitch off",
    summary: "Let it go on: the kill switch that is on, or of several the one for everything",
    form: "[--id ID | --all] [--reason TEXT]",
    flags: {
      id: { value: "ID", about: "this one" },
      all: { about: "every one that is on" },
      reason: { value: "TEXT", about: "why; it stays on record" },
    },
    load: () => import("./killswitch").then((room) => room.switchOff),
  },
  {
    name: "killswitch status",
    summary: "List the kill switches that are on, and where they hold",
    flags: { all: { about: "lifted ones too" } },
    load: () => import("./killswitch").then((room) => room.switchStatus),
  },
];

const looking: readonly Verb[] = [
  {
    name: "scan",
    summary: "Scan a text as the service would; exit code 10 when it would be blocked",
    operands: ["[FILE]"],
    form: "[FILE|-] [--origin ORIGIN] [--agent AGENT [--owner EMAIL]]",
    flags: {
      origin: { value: "ORIGIN", about: ORIGINS.join(", "), fallback: "user" },
      agent: { value: "AGENT", about: "scan under this agent's policy: id or name" },
      owner: OWNER,
    },
    load: () => import("./scan").then((room) => room.scan),
  },
  {
    name: "audit tail",
    summary: "Show the newest audit records",
    flags: { lines: { value: "N", short: "n", about: "how many, at most 10000", fallback: "20" } },
    load: () => import("./audit").then((room) => room.tail),
  },
  {
    name: "audit verify",
    summary: "Recompute the audit chain; exit code 8 when it is broken",
    flags: {
      head: { value: "SEQ:HASH", about: "a record noted elsewhere; exit code 8 when the log does not contain it" },
    },
    load: () => import("./audit").then((room) => room.verify),
  },
  {
    name: "audit export",
    summary: "Write audit records to stdout, oldest first",
    flags: {
      format: { value: "ndjson|csv|ocsf", about: "OCSF is one event a line", required: true },
      since: { value: "T", about: "from this time on: RFC 3339, a date, or a duration back from now" },
      until: { value: "T", about: "before this time" },
    },
    load: () => import("./audit-export").then((room) => room.exportAudit),
  },
];

const keeping: readonly Verb[] = [
  ...BACKUP_VERBS,
  {
    name: "config show",
    ownSettings: true,
    summary: "Show the settings in force",
    flags: {
      ...SERVING,
      origin: { about: "say where each value comes from" },
      describe: { about: "say what each setting is for" },
    },
    load: () => import("./config").then((room) => room.show),
  },
  {
    name: "config check",
    ownSettings: true,
    summary: "Check the settings; exit code 3 when something is wrong",
    flags: SERVING,
    load: () => import("./config").then((room) => room.check),
  },
  {
    name: "keys rotate",
    summary: "Change the master key; everything sealed with it is sealed anew, beside a running service too",
    flags: {
      "new-key-file": { value: "FILE", about: "the new key, where it is given from outside; made up unless said" },
      "leave-closed": { about: "go on although some values open with no key that is here" },
    },
    load: () => import("./keys").then((room) => room.rotateKeys),
  },
  {
    name: "openapi",
    ownSettings: true,
    summary: "Print the OpenAPI document of a service with these settings; needs neither one nor its data",
    flags: {
      listen: LISTEN,
      "public-url": PUBLIC_URL,
      out: { value: "FILE", about: "where to, in place of what is there; stdout unless said" },
    },
    load: () => import("./openapi").then((room) => room.openapi),
  },
  {
    name: "doctor",
    summary: "Look for trouble and say what to do about it",
    flags: { online: { about: "ask every provider too" } },
    load: () => import("./doctor").then((room) => room.doctor),
  },
  { name: "version", summary: "Show the version", load: () => import("./version").then((room) => room.version) },
  {
    name: "help",
    summary: "Show all verbs, or one",
    operands: ["[VERB]", "[VERB]"],
    form: "[VERB]",
    load: () => import("./help").then((room) => room.help),
  },
];

/** Every verb, in the order the help shows them. */
export const VERBS: readonly Verb[] = [
  ...serving,
  ...people,
  ...AGENT_VERBS,
  ...tokens,
  ...sessions,
  ...providers,
  ...TOOL_SERVER_VERBS,
  ...stopping,
  ...REPORT_VERBS,
  ...TUNING_VERBS,
  ...WEBHOOK_VERBS,
  ...looking,
  ...keeping,
];
