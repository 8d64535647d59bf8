import {
  ANSWER_TOKENS,
  apiOf,
  applicationSupport,
  type Client,
  type ClientFile,
  CONTEXT_TOKENS,
  gatewayOf,
  NAME,
  path,
  type Target,
  TITLE,
} from "./client";

/** What VS Code asks the token under, once. */
const INPUT = "guardhouse-token";

/** What is nobody else's in it is where it calls; without a model it would call nowhere. */
const modelFiles = (target: Target, place: string): readonly ClientFile[] => {
  const url = `${apiOf(target)}/chat/completions`;
  if (target.models.length === 0) return [];
  return [
    {
      paths: [place],
      contents: {
        format: "json",
        entries: [
          {
            at: [],
            item: {
              name: TITLE,
              vendor: "customendpoint",
              apiKey: target.token,
              apiType: "chat-completions",
              models: target.models.map((id) => ({
                ...{ id, name: id, url, toolCalling: true, vision: false },
                ...{ maxInputTokens: CONTEXT_TOKENS, maxOutputTokens: ANSWER_TOKENS },
              })),
            },
            mark: `"url":${JSON.stringify(url)}`,
          },
        ],
      },
    },
  ];
};

export const VSCODE: Client = {
  id: "vscode",
  label: "VS Code",
  seen: "tools of the gateway; chat with the models that are listed",
  unseen:
    "inline suggestions, side calls of Copilot, and chat with Copilot's own models. VS Code runs the hooks of Claude Code's user settings too, but tells them of events in another form: they pass, recorded as unscanned",
  token:
    "for tools VS Code asks for it once and keeps it. For models it is written into `chatLanguageModels.json`, mode 0600",
  files: (target, places) => {
    const user = path(places, applicationSupport(places), "Code", "User");
    return [
      {
        paths: [path(places, user, "mcp.json")],
        contents: {
          format: "json",
          entries: [
            {
              at: ["inputs"],
              item: { type: "promptString", id: INPUT, description: `Gateway token of ${TITLE}`, password: true },
              mark: INPUT,
            },
            {
              at: ["servers", NAME],
              value: { type: "http", url: gatewayOf(target), headers: { Authorization: `Bearer \${input:${INPUT}}` } },
            },
          ],
        },
      },
      ...modelFiles(target, path(places, user, "chatLanguageModels.json")),
    ];
  },
};
