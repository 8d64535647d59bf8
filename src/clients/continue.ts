import { CLIENT_VARIABLES } from "#model/client-variables";
import { apiOf, type Client, gatewayOf, inHome, NAME, path, TITLE } from "./client";

const { token: TOKEN } = CLIENT_VARIABLES;
const SECRET = `\${{ secrets.${TOKEN} }}`;

const block = (...lines: readonly string[]): { readonly format: "yaml"; readonly text: string } => ({
  format: "yaml",
  text: [`name: ${TITLE}`, "version: 0.0.1", "schema: v1", ...lines, ""].join("\n"),
});

/** JSON's strings are YAML's. */
const quoted = (text: string): string => JSON.stringify(text);

export const CONTINUE: Client = {
  id: "continue",
  label: "Continue",
  seen: "calls of models to the ones that are listed, tools of the gateway",
  unseen:
    "models that other parts of its configuration name, and its shell commands and edits by themselves: Continue has no hooks. Its command line reads one file: `cn --config ~/.continue/models/guardhouse.yaml`",
  token: "written into `.env` of its folder, mode 0600, and named as a secret: there its extensions look",
  files: (target, places) => {
    const folder = inHome(places, ".continue");
    return [
      {
        paths: [path(places, folder, "models", "guardhouse.yaml")],
        contents: block(
          "models:",
          ...target.models.flatMap((model) => [
            `  - name: ${quoted(model)}`,
            "    provider: openai",
            `    model: ${quoted(model)}`,
            `    apiBase: ${quoted(apiOf(target))}`,
            `    apiKey: ${SECRET}`,
          ]),
        ),
      },
      {
        paths: [path(places, folder, "mcpServers", "guardhouse.yaml")],
        contents: block(
          "mcpServers:",
          `  - name: ${NAME}`,
          "    type: streamable-http",
          `    url: ${quoted(gatewayOf(target))}`,
          "    requestOptions:",
          "      headers:",
          `        Authorization: Bearer ${SECRET}`,
        ),
      },
      {
        paths: [path(places, folder, ".env")],
        contents: { format: "env", entries: [{ at: [TOKEN], value: target.token }] },
      },
    ];
  },
};
