import { CLIENT_VARIABLES } from "#model/client-variables";
import { apiOf, type Client, gatewayOf, inHome, NAME, path, TITLE } from "./client";

const VALUE = `{env:${CLIENT_VARIABLES.token}}`;

export const OPENCODE: Client = {
  id: "opencode",
  label: "OpenCode",
  seen: "calls of models, tools of the gateway",
  unseen:
    "shell commands and edits by themselves: OpenCode has no hooks that run a command. They are seen as tool calls in what models say. For Messages `npm` is `@ai-sdk/anthropic`, with the same base URL",
  token: `from the variable \`${CLIENT_VARIABLES.token}\`; not written`,
  files: (target, places) => {
    const folder = path(places, places.variable("XDG_CONFIG_HOME") ?? inHome(places, ".config"), "opencode");
    return [
      {
        paths: [path(places, folder, "opencode.json"), path(places, folder, "opencode.jsonc")],
        contents: {
          format: "json",
          entries: [
            // OpenCode adds it itself where it is missing, and the file would not be as it was written.
            { at: ["$schema"], value: "https://opencode.ai/config.json" },
            ...(target.model === null ? [] : [{ at: ["model"], value: `${NAME}/${target.model}` }]),
            {
              at: ["provider", NAME],
              value: {
                npm: "@ai-sdk/openai-compatible",
                name: TITLE,
                options: { baseURL: apiOf(target), apiKey: VALUE },
                models: Object.fromEntries(target.models.map((model) => [model, {}])),
              },
            },
            {
              at: ["mcp", NAME],
              value: {
                type: "remote",
                url: gatewayOf(target),
                enabled: true,
                oauth: false,
                headers: { Authorization: `Bearer ${VALUE}` },
              },
            },
          ],
        },
      },
    ];
  },
};
