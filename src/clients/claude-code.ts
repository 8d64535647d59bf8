import { CLIENT_VARIABLES } from "#model/client-variables";
import { type Client, type Entry, gatewayOf, inHome, NAME, type Places, path, type Target } from "./client";
import { groupedHooks, groupedProof } from "./hooks";

const { token: TOKEN } = CLIENT_VARIABLES;
const HELPER = { posix: `printf %s "$${TOKEN}"`, windows: `echo %${TOKEN}%` };

/** Each sends calls to a provider's own service, past the base URL. */
export const OTHER_SERVICES = ["BEDROCK", "VERTEX", "FOUNDRY", "ANTHROPIC_AWS", "MANTLE"].map(
  (service) => `CLAUDE_CODE_USE_${service}`,
);

const home = (places: Places): string => places.variable("CLAUDE_CONFIG_DIR") ?? inHome(places, ".claude");

const settings = (target: Target, helper: string): Entry[] => [
  { at: ["env", "ANTHROPIC_BASE_URL"], value: target.hub },
  // Both would be sent instead of what the helper prints.
  { at: ["env", "ANTHROPIC_AUTH_TOKEN"], absent: true },
  { at: ["env", "ANTHROPIC_API_KEY"], absent: true },
  ...OTHER_SERVICES.map((name): Entry => ({ at: ["env", name], absent: true })),
  ...(target.model === null
    ? []
    : ["ANTHROPIC_MODEL", "ANTHROPIC_DEFAULT_HAIKU_MODEL"].map((name) => ({ at: ["env", name], value: target.model }))),
  { at: ["apiKeyHelper"], value: helper },
  // Where the program is missing or fails, versions before 2.1.295 go on all the same.
  ...groupedHooks(target, "claude-code", { onFailure: "block" }),
];

const server = (target: Target): Entry => ({
  at: ["mcpServers", NAME],
  value: { type: "http", url: gatewayOf(target), headers: { Authorization: `Bearer \${${TOKEN}}` } },
});

/** Where managed settings are on each system. */
const managed = (name: string) => ({
  linux: `/etc/claude-code/${name}`,
  darwin: `/Library/Application Support/ClaudeCode/${name}`,
  win32: `C:\\Program Files\\ClaudeCode\\${name}`,
});

export const CLAUDE_CODE: Client = {
  id: "claude-code",
  api: "messages",
  label: "Claude Code",
  seen: "calls of models, tools of the gateway; by hooks: prompts, shell commands, edits, other MCP servers' tools and what tools answer",
  unseen:
    "what it sends elsewhere by itself (telemetry, error reports, updates): `CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1` stops that. Models have to be of providers that speak Messages",
  token: `from the variable \`${TOKEN}\`, by \`apiKeyHelper\` and in the header of the gateway; not written. \`ANTHROPIC_AUTH_TOKEN\` and \`ANTHROPIC_API_KEY\` would be sent instead, and \`CLAUDE_CODE_USE_BEDROCK\` and its like would send calls past the hub: they are taken out of these settings, and may not be set where it is started`,
  files: (target, places) => [
    {
      paths: [path(places, home(places), "settings.json")],
      contents: {
        format: "json",
        entries: settings(target, places.platform === "win32" ? HELPER.windows : HELPER.posix),
      },
    },
    {
      paths: [
        places.variable("CLAUDE_CONFIG_DIR") === undefined
          ? inHome(places, ".claude.json")
          : path(places, home(places), ".claude.json"),
      ],
      contents: { format: "json", entries: [server(target)] },
    },
  ],
  hook: groupedProof("claude-code"),
  managed: (target) => [
    {
      name: "managed-settings.json",
      places: managed("managed-settings.json"),
      contents: {
        format: "json",
        entries: [
          ...settings(target, HELPER.posix),
          // Whatever the user's settings and environment say.
          ...OTHER_SERVICES.map((name) => ({ at: ["env", name], value: "0" })),
          { at: ["availableModels"], value: target.models },
          { at: ["allowManagedHooksOnly"], value: true },
          { at: ["allowedMcpServers"], value: [{ serverUrl: gatewayOf(target) }] },
          { at: ["allowManagedMcpServersOnly"], value: true },
        ],
      },
    },
    {
      name: "managed-mcp.json",
      places: managed("managed-mcp.json"),
      contents: { format: "json", entries: [server(target)] },
    },
  ],
};
