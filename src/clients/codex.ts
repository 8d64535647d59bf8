import { CLIENT_VARIABLES } from "#model/client-variables";
import { apiOf, type Client, type Entry, gatewayOf, inHome, NAME, path, type Target, TITLE } from "./client";
import { groupedHooks, groupedProof } from "./hooks";

const { token: TOKEN } = CLIENT_VARIABLES;

const settings = (target: Target): Entry[] => [
  ...(target.model === null ? [] : [{ at: ["model"], value: target.model }]),
  { at: ["model_provider"], value: NAME },
  {
    at: ["model_providers", NAME],
    value: {
      name: TITLE,
      base_url: apiOf(target),
      env_key: TOKEN,
      wire_api: "responses",
      // The hub retries providers itself; by itself Codex asks six times after a kill switch.
      request_max_retries: 0,
      stream_max_retries: 1,
    },
  },
  { at: ["mcp_servers", NAME], value: { url: gatewayOf(target), bearer_token_env_var: TOKEN } },
];

/** Where the system's files of Codex are. */
const system = (name: string) => ({
  linux: `/etc/codex/${name}`,
  darwin: `/etc/codex/${name}`,
  win32: `C:\\ProgramData\\OpenAI\\Codex\\${name}`,
});

export const CODEX: Client = {
  id: "codex",
  api: "responses",
  label: "Codex CLI",
  seen: "calls of models, tools of the gateway; by hooks: prompts, shell commands and edits",
  unseen:
    'searches and reads that Codex does without a tool call. Hooks of a user run only once they were trusted in Codex (`/hooks`); managed ones run at once. Models have to be of providers that speak Responses; where the profile does not allow `web_search`, add `web_search = "disabled"`',
  token: `from the variable \`${TOKEN}\`, by \`env_key\` and \`bearer_token_env_var\`; not written`,
  files: (target, places) => {
    const home = places.variable("CODEX_HOME") ?? inHome(places, ".codex");
    return [
      { paths: [path(places, home, "config.toml")], contents: { format: "toml", entries: settings(target) } },
      {
        paths: [path(places, home, "hooks.json")],
        contents: { format: "json", entries: groupedHooks(target, "codex") },
      },
    ];
  },
  hook: groupedProof("codex"),
  managed: (target) => [
    {
      name: "requirements.toml",
      places: system("requirements.toml"),
      contents: {
        format: "toml",
        entries: [
          { at: ["allow_managed_hooks_only"], value: true },
          { at: ["features"], value: { hooks: true } },
          { at: ["mcp_servers", NAME, "identity"], value: { url: gatewayOf(target) } },
          // Codex takes managed hooks only with a folder that is there.
          {
            at: ["hooks"],
            value: { managed_dir: "/etc/codex", windows_managed_dir: "C:\\ProgramData\\OpenAI\\Codex" },
          },
          ...groupedHooks(target, "codex"),
        ],
      },
    },
    {
      name: "config.toml",
      places: system("config.toml"),
      contents: { format: "toml", entries: settings(target) },
    },
  ],
};
