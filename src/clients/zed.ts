import { apiOf, type Client, CONTEXT_TOKENS, configHome, gatewayOf, inHome, NAME, type Places, path } from "./client";

/** Zed makes the name of the variable of the provider's. */
const PROVIDER = "Hub";
export const ZED_KEY = "HUB_API_KEY";

/** On macOS it goes by no variable. */
const settingsOf = (places: Places): string =>
  places.platform === "darwin"
    ? inHome(places, ".config", "zed", "settings.json")
    : path(places, configHome(places), places.platform === "win32" ? "Zed" : "zed", "settings.json");

export const ZED: Client = {
  id: "zed",
  label: "Zed",
  seen: "calls of the agent panel and inline assistant to the models that are listed, tools of the gateway",
  unseen:
    "edit predictions, and what agents that run in Zed's terminal or by its agent protocol do: connect those themselves. Zed has no hooks",
  token: `for models from the variable \`${ZED_KEY}\`, or entered in Agent Settings, LLM Providers, ${PROVIDER}. For tools it is written into \`settings.json\`, mode 0600`,
  files: (target, places) => [
    {
      paths: [settingsOf(places)],
      contents: {
        format: "json",
        entries: [
          {
            at: ["language_models", "openai_compatible", PROVIDER],
            value: {
              api_url: apiOf(target),
              available_models: target.models.map((name) => ({ name, display_name: name, max_tokens: CONTEXT_TOKENS })),
            },
          },
          {
            at: ["context_servers", NAME],
            value: { url: gatewayOf(target), headers: { Authorization: `Bearer ${target.token}` } },
          },
        ],
      },
    },
  ],
};
