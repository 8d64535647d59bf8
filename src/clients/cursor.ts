import { CLIENT_VARIABLES } from "#model/client-variables";
import { apiOf, type Client, gatewayOf, inHome, NAME } from "./client";
import { cursorHooks } from "./hooks";

const { token: TOKEN } = CLIENT_VARIABLES;

export const CURSOR: Client = {
  id: "cursor",
  label: "Cursor",
  seen: "tools of the gateway; by hooks: prompts, shell commands, edits, other MCP servers' tools and files that are read. Calls of models once they are set by hand",
  unseen:
    "tab completion, which has no such setting, and models of Cursor's own. The endpoint of models is taken in its settings alone, and Cursor's servers make those calls, so the hub must be reachable from the internet",
  token: `from the variable \`${TOKEN}\` for tools and hooks. For models it is entered by hand, kept by Cursor`,
  files: (target, places) => [
    {
      paths: [inHome(places, ".cursor", "mcp.json")],
      contents: {
        format: "json",
        entries: [
          {
            at: ["mcpServers", NAME],
            value: { url: gatewayOf(target), headers: { Authorization: `Bearer \${env:${TOKEN}}` } },
          },
        ],
      },
    },
    {
      paths: [inHome(places, ".cursor", "hooks.json")],
      contents: { format: "json", entries: cursorHooks(target) },
    },
  ],
  byHand: (target) => ({
    place: "Cursor Settings, Models",
    text: [
      `OpenAI API Key:           ${target.token}`,
      `Override OpenAI Base URL: ${apiOf(target)}`,
      `Add model:                ${target.model ?? target.models[0] ?? ""}`,
    ].join("\n"),
  }),
  hook: {
    harness: "cursor",
    prompt: (prompt) => ({ conversation_id: "guardhouse-connect", hook_event_name: "beforeSubmitPrompt", prompt }),
    isRefused: (answer) => answer["continue"] === false,
  },
  managed: (target) => [
    {
      name: "hooks.json",
      places: {
        linux: "/etc/cursor/hooks.json",
        darwin: "/Library/Application Support/Cursor/hooks.json",
        win32: "C:\\ProgramData\\Cursor\\hooks.json",
      },
      // Where the program is missing, Cursor would go on.
      contents: { format: "json", entries: cursorHooks(target, { failClosed: true }) },
    },
  ],
};
