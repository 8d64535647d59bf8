/*
 * Every command line that the hub shows to somebody: on its pages, in errors, in hints and remedies. They stand in one
 * table so that a test parses each as the command line itself would; nothing else in src writes one down.
 */

/** Which hub a command is about: what stands behind `--config` and `--data-dir`, as absolute paths. */
export type HubPlace = { readonly config: string | null; readonly data_dir: string | null };

/** For texts whose readers may not know where the hub keeps its data, or already typed it. */
export const NO_PLACE: HubPlace = { config: null, data_dir: null };

/** The words of one command behind `guardhouse`; a first word like `NAME=value` sets a variable before it. */
export type CommandWords = readonly string[];

const WORD = /^[\w@%+=:,./-]+$/;
/** What a shell would still read inside double quotes. */
const SPECIAL = /[$"`\\!]/;

/** A word as a POSIX shell reads it back. */
const quoted = (word: string): string => {
  if (WORD.test(word)) return word;
  return SPECIAL.test(word) ? `'${word.replaceAll("'", "'\\''")}'` : `"${word}"`;
};

/** Words of any command as a shell reads them back. */
export const shellLine = (words: readonly string[]): string => words.map(quoted).join(" ");

const placeWords = ({ config, data_dir }: HubPlace): string[] => [
  ...(config === null ? [] : ["--config", config]),
  ...(data_dir === null ? [] : ["--data-dir", data_dir]),
];

const VARIABLE = /^[A-Z_]+=/;

/** The line to type into a shell. */
export const commandLine = (words: CommandWords, place: HubPlace = NO_PLACE): string => {
  const [first = ""] = words;
  const variables = VARIABLE.test(first) ? [first] : [];
  const rest = words.slice(variables.length);
  // What stands behind `--` is another program's command.
  const end = rest.includes("--") ? rest.indexOf("--") : rest.length;
  const all = [...rest.slice(0, end), ...placeWords(place), ...rest.slice(end)];
  return [...variables, "guardhouse", shellLine(all)].join(" ");
};

const toolServer = (verb: string, slug: string, owner: string, ...rest: string[]): CommandWords => [
  "tool-server",
  verb,
  slug,
  "--owner",
  owner,
  ...rest,
];

/** By what they do. Words in capitals stand for what the reader fills in. */
export const COMMANDS = {
  helpOfVerb: (noun: string): CommandWords => ["help", noun, "VERB"],
  docsOfTopic: (): CommandWords => ["docs", "TOPIC"],
  serve: (): CommandWords => ["serve"],
  witness: (): CommandWords => ["witness", "--logs", "log.key", "--name", "NAME"],
  checkProof: (): CommandWords => ["audit", "check", "FILE", "--key", "log.key"],
  exportConfig: (): CommandWords => ["export", "config"],
  apply: (): CommandWords => ["apply"],
  serveWithReviewer: (): CommandWords => ["GUARDHOUSE_REVIEWER__MODEL=gpt-5-mini", "serve"],
  demo: (): CommandWords => ["demo"],
  connectClient: (client: string, model: string): CommandWords => ["connect", client, "--model", model],
  checkClient: (client: string): CommandWords => ["connect", client, "--check"],
  runProgram: (): CommandWords => ["run", "--", "CMD"],
  doctor: (): CommandWords => ["doctor"],
  createAdmin: (): CommandWords => ["admin", "create", "EMAIL"],
  createAdminWithPassword: (): CommandWords => ["admin", "create", "EMAIL", "--random-password"],
  inviteUser: (email: string): CommandWords => ["user", "invite", email],
  createSession: (): CommandWords => ["session", "create", "EMAIL"],
  createAgent: (): CommandWords => ["agent", "create", "NAME", "--owner", "EMAIL"],
  submitAgent: (): CommandWords => ["agent", "submit", "AGENT", "--answers", "FILE", "--as", "EMAIL"],
  createToken: (email: string): CommandWords => ["token", "create", "--user", email],
  createAgentToken: (email: string, agent: string): CommandWords => [
    ...["token", "create", "--user", email],
    ...["--agent", agent],
  ],
  revokeToken: (): CommandWords => ["token", "revoke", "ID"],
  addProvider: (): CommandWords => ["provider", "add", "NAME", "--base-url", "URL", "--models", "GLOB"],
  addOpenAi: (): CommandWords => [
    ...["provider", "add", "openai"],
    ...["--base-url", "https://api.openai.com/v1", "--models", "gpt-*"],
  ],
  testProvider: (name: string): CommandWords => ["provider", "test", name],
  addToolServer: (owner: string): CommandWords => toolServer("add", "SLUG", owner, "--url", "https://example.com/mcp"),
  addToolProgram: (slug: string, owner: string): CommandWords =>
    toolServer("add", slug, owner, "--stdio", "--", "npx", "-y", "PACKAGE"),
  assignTools: (slug: string, agent: string): CommandWords => ["tool-server", "assign", slug, "--agent", agent],
  assignToolsOf: (slug: string, owner: string, agent: string): CommandWords =>
    toolServer("assign", slug, owner, "--agent", agent),
  testTools: (slug: string): CommandWords => ["tool-server", "test", slug],
  approveTools: (slug: string, owner: string): CommandWords => toolServer("approve", slug, owner),
  authorizeTools: (slug: string, owner: string): CommandWords => toolServer("authorize", slug, owner),
  proposals: (): CommandWords => ["tool-server", "proposals"],
  approveProposal: (name: string, owner: string): CommandWords => [
    ...["tool-server", "approve-proposal", name, "--owner", owner],
  ],
  stopAll: (): CommandWords => ["killswitch", "on", "--reason", "…"],
  setPrice: (model: string): CommandWords => ["price", "set", model, "--input", "USD", "--output", "USD"],
  addWebhook: (): CommandWords => [
    ...["webhook", "add", "https://alerts.example.org/guardhouse"],
    ...["--events", "killswitch.*,restriction.*"],
  ],
  addHookSource: (): CommandWords => ["hook", "source", "add", "claude", "--kind", "anthropic"],
  createBackup: (): CommandWords => ["backup", "create"],
  tailAudit: (): CommandWords => ["audit", "tail"],
  verifyAudit: (): CommandWords => ["audit", "verify"],
  rotateKeys: (): CommandWords => ["keys", "rotate"],
  rotateKeysTo: (): CommandWords => ["keys", "rotate", "--new-key-file", "FILE"],
  rotateKeysLeavingClosed: (): CommandWords => ["keys", "rotate", "--leave-closed"],
  restoreEndingSessions: (): CommandWords => ["restore", "FILE", "--revoke-sessions"],
} as const;
