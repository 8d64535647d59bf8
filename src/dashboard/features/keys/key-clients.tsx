/*
 * How each client is pointed at the hub: what the page shows beside a key, and what docs/clients.md says
 * (`bun .ci/reference.ts --write`).
 */

/** What is put into a client's settings. */
export type Use = {
  /** The hub's address, without a slash at its end. */
  readonly hub: string;
  readonly token: string;
  readonly model: string;
  /** What is said to the model. Nothing that JSON or a shell would read otherwise. */
  readonly words: string;
};

export type Client = {
  readonly id: string;
  readonly label: string;
  /** The language of its settings, as documents name it. */
  readonly language: "sh" | "toml" | "json" | "js" | "python" | "text";
  /** Where the settings belong, and what is particular about the client. */
  readonly hint: string;
  /** What the key opens to it. */
  readonly uses: "models" | "tools";
  readonly settings: (use: Use) => string;
};

/** Imports in examples stand in lines of their own here: at the start of a line of source they would be the page's. */
const lines = (...all: readonly string[]): string => all.join("\n");
const json = (value: unknown): string => JSON.stringify(value, null, 2);

export const CLIENTS: readonly Client[] = [
  {
    id: "curl",
    label: "curl",
    language: "sh",
    hint: "Paste into a terminal.",
    uses: "models",
    settings: ({ hub, token, model, words }) => `curl ${hub}/v1/chat/completions \\
  -H "authorization: Bearer ${token}" \\
  -H "content-type: application/json" \\
  -d '{"model": "${model}", "messages": [{"role": "user", "content": "${words}"}]}'`,
  },
  {
    id: "claude-code",
    label: "Claude Code",
    language: "json",
    hint: "In `~/.claude/settings.json`. The base URL is without `/v1`. Models of providers that speak Messages; `ANTHROPIC_DEFAULT_HAIKU_MODEL` is for its background calls.",
    uses: "models",
    settings: ({ hub, token, model }) =>
      json({
        env: {
          ANTHROPIC_BASE_URL: hub,
          ANTHROPIC_AUTH_TOKEN: token,
          ANTHROPIC_MODEL: model,
          ANTHROPIC_DEFAULT_HAIKU_MODEL: model,
        },
      }),
  },
  {
    id: "codex",
    label: "Codex CLI",
    language: "toml",
    hint: 'In `~/.codex/config.toml`; the key is in the variable that `env_key` names: `export HUB_TOKEN=gw-live-…`. Models of providers that speak Responses. The hub retries providers itself; by its own defaults Codex asks six times after a kill switch, and up to thirty times after a fault. With a key of an agent whose profile does not allow `web_search`, add `web_search = "disabled"` below `model`.',
    uses: "models",
    settings: ({ hub, model }) => `model = "${model}"
model_provider = "hub"

[model_providers.hub]
name = "Guardhouse"
base_url = "${hub}/v1"
env_key = "HUB_TOKEN"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 1`,
  },
  {
    id: "opencode",
    label: "OpenCode",
    language: "json",
    hint: "In `~/.config/opencode/opencode.json` or in `opencode.json` of a project. For Messages `npm` is `@ai-sdk/anthropic`, with the same base URL.",
    uses: "models",
    settings: ({ hub, token, model }) =>
      json({
        $schema: "https://opencode.ai/config.json",
        model: `hub/${model}`,
        provider: {
          hub: {
            npm: "@ai-sdk/openai-compatible",
            name: "Guardhouse",
            options: { baseURL: `${hub}/v1`, apiKey: token },
            models: { [model]: {} },
          },
        },
      }),
  },
  {
    id: "cursor",
    label: "Cursor",
    language: "text",
    hint: "In Cursor Settings, Models. Cursor's servers make the calls, so the hub must be reachable from the internet. Tab completion does not use these settings and stays ungoverned.",
    uses: "models",
    settings: ({ hub, token, model }) => `OpenAI API Key:           ${token}
Override OpenAI Base URL: ${hub}/v1
Add model:                ${model}`,
  },
  {
    id: "zed",
    label: "Zed",
    language: "json",
    hint: "In Zed's `settings.json`. The key goes into Agent Settings, LLM Providers, Hub, or into the variable `HUB_API_KEY`. `max_tokens` is the context window of the model.",
    uses: "models",
    settings: ({ hub, model }) =>
      json({
        language_models: {
          openai_compatible: {
            Hub: {
              api_url: `${hub}/v1`,
              available_models: [{ name: model, display_name: model, max_tokens: 128_000 }],
            },
          },
        },
      }),
  },
  {
    id: "openai-python",
    label: "OpenAI SDK, Python",
    language: "python",
    hint: "`pip install openai`. Existing clients need only another `base_url` and key, or `OPENAI_BASE_URL` and `OPENAI_API_KEY`.",
    uses: "models",
    settings: ({ hub, token, model, words }) => `from openai import OpenAI

client = OpenAI(base_url="${hub}/v1", api_key="${token}")
answer = client.chat.completions.create(
    model="${model}",
    messages=[{"role": "user", "content": "${words}"}],
)
print(answer.choices[0].message.content)`,
  },
  {
    id: "openai-node",
    label: "OpenAI SDK, Node.js",
    language: "js",
    hint: "`npm install openai`. Existing clients need only another `baseURL` and key, or `OPENAI_BASE_URL` and `OPENAI_API_KEY`.",
    uses: "models",
    settings: ({ hub, token, model, words }) => `import OpenAI from "openai";

const client = new OpenAI({ baseURL: "${hub}/v1", apiKey: "${token}" });
const answer = await client.chat.completions.create({
  model: "${model}",
  messages: [{ role: "user", content: "${words}" }],
});
console.log(answer.choices[0].message.content);`,
  },
  {
    id: "agents-python",
    label: "OpenAI Agents SDK, Python",
    language: "python",
    hint: "`pip install openai-agents`. Traces hold texts and go to OpenAI, not through the hub: switch them off. Where a provider speaks chat only, use `OpenAIChatCompletionsModel`.",
    uses: "models",
    settings: ({
      hub,
      token,
      model,
      words,
    }) => `from agents import Agent, OpenAIResponsesModel, Runner, set_tracing_disabled
from openai import AsyncOpenAI

set_tracing_disabled(True)
client = AsyncOpenAI(base_url="${hub}/v1", api_key="${token}")
agent = Agent(name="Helper", model=OpenAIResponsesModel(model="${model}", openai_client=client))
print(Runner.run_sync(agent, "${words}").final_output)`,
  },
  {
    id: "agents-node",
    label: "OpenAI Agents SDK, Node.js",
    language: "js",
    hint: "`npm install @openai/agents openai`. Traces hold texts and go to OpenAI, not through the hub: switch them off. Where a provider speaks chat only, add `useResponses: false`.",
    uses: "models",
    settings: ({ hub, token, model, words }) =>
      lines(
        'import { Agent, OpenAIProvider, Runner } from "@openai/agents";',
        "",
        `const modelProvider = new OpenAIProvider({ baseURL: "${hub}/v1", apiKey: "${token}" });`,
        "const runner = new Runner({ modelProvider, tracingDisabled: true });",
        `const agent = new Agent({ name: "Helper", model: "${model}" });`,
        `const result = await runner.run(agent, "${words}");`,
        "console.log(result.finalOutput);",
      ),
  },
  {
    id: "ai-sdk",
    label: "Vercel AI SDK",
    language: "js",
    hint: "`npm install ai @ai-sdk/openai`. `openai(model)` speaks Responses; `openai.chat(model)` is for providers that speak chat only. With `@ai-sdk/anthropic`: `createAnthropic` with the same base URL.",
    uses: "models",
    settings: ({ hub, token, model, words }) =>
      lines(
        'import { createOpenAI } from "@ai-sdk/openai";',
        'import { generateText } from "ai";',
        "",
        `const openai = createOpenAI({ baseURL: "${hub}/v1", apiKey: "${token}" });`,
        "const { text } = await generateText({",
        `  model: openai("${model}"),`,
        `  prompt: "${words}",`,
        "  // Items of earlier steps are sent themselves: references to them are known until the hub restarts.",
        '  providerOptions: { openai: { store: false, include: ["reasoning.encrypted_content"] } },',
        "});",
        "console.log(text);",
      ),
  },
  {
    id: "langchain",
    label: "LangChain",
    language: "python",
    hint: "`pip install langchain-openai`. For Messages: `ChatAnthropic` of `langchain-anthropic`, with the base URL without `/v1`.",
    uses: "models",
    settings: ({ hub, token, model, words }) => `from langchain_openai import ChatOpenAI

llm = ChatOpenAI(base_url="${hub}/v1", api_key="${token}", model="${model}")
print(llm.invoke("${words}").content)`,
  },
  {
    id: "anthropic-python",
    label: "Anthropic SDK, Python",
    language: "python",
    hint: "`pip install anthropic`. The base URL is without `/v1`. Models of providers that speak Messages.",
    uses: "models",
    settings: ({ hub, token, model, words }) => `from anthropic import Anthropic

client = Anthropic(base_url="${hub}", api_key="${token}")
message = client.messages.create(
    model="${model}",
    max_tokens=1024,
    messages=[{"role": "user", "content": "${words}"}],
)
print(message.content[0].text)`,
  },
  {
    id: "anthropic-node",
    label: "Anthropic SDK, Node.js",
    language: "js",
    hint: "`npm install @anthropic-ai/sdk`. The base URL is without `/v1`. Models of providers that speak Messages.",
    uses: "models",
    settings: ({ hub, token, model, words }) => `import Anthropic from "@anthropic-ai/sdk";

const client = new Anthropic({ baseURL: "${hub}", apiKey: "${token}" });
const message = await client.messages.create({
  model: "${model}",
  max_tokens: 1024,
  messages: [{ role: "user", content: "${words}" }],
});
console.log(message.content[0].text);`,
  },
  {
    id: "ide",
    label: "Tools in Claude Code and IDEs",
    language: "sh",
    hint: "Without a key: the editor opens your browser, where you choose its tools.",
    uses: "tools",
    settings: ({ hub }) => `claude mcp add --transport http hub ${hub}/mcp/gateway`,
  },
  {
    id: "mcp",
    label: "Tools in another MCP client",
    language: "json",
    hint: "For the configuration of an MCP client that cannot open a browser.",
    uses: "tools",
    settings: ({ hub, token }) =>
      json({
        mcpServers: {
          hub: { type: "http", url: `${hub}/mcp/gateway`, headers: { Authorization: `Bearer ${token}` } },
        },
      }),
  },
];

/** What stands for a key that is not shown any more. */
export const NO_TOKEN = "gw-live-…";
/** Built in, so that every example answers at once. */
export const ECHO_MODEL = "guardhouse/echo";
