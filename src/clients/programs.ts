import { shellLine } from "#core/command-line";

/** Of a text, as documents name it. */
export type Language = "sh" | "toml" | "json" | "js" | "python" | "yaml" | "powershell" | "text";

/** What an example is made for. */
export type Use = {
  /** The hub's address, without a slash at its end. */
  readonly hub: string;
  readonly token: string;
  readonly model: string;
  /** What is said to the model. */
  readonly words: string;
};

/** A program or a line that is pasted as it is. */
export type Program = {
  readonly id: string;
  readonly label: string;
  readonly language: Language;
  /** What is particular about it. */
  readonly hint: string;
  /** What the key opens to it. */
  readonly uses: "models" | "tools";
  readonly text: (use: Use) => string;
};

/** Imports in examples stand in lines of their own here: at the start of a line of source they would be the page's. */
const lines = (...all: readonly string[]): string => all.join("\n");

/** Examples of what is not connected by `connect`. */
export const PROGRAMS: readonly Program[] = [
  {
    id: "curl",
    label: "curl",
    language: "sh",
    hint: "Paste into a terminal.",
    uses: "models",
    text: ({ hub, token, model, words }) => `curl ${hub}/v1/chat/completions \\
  -H "authorization: Bearer ${token}" \\
  -H "content-type: application/json" \\
  -d ${shellLine([`{"model": ${JSON.stringify(model)}, "messages": [{"role": "user", "content": ${JSON.stringify(words)}}]}`])}`,
  },
  {
    id: "openai-python",
    label: "OpenAI SDK, Python",
    language: "python",
    hint: "`pip install openai`. Existing clients need only another `base_url` and key, or `OPENAI_BASE_URL` and `OPENAI_API_KEY`.",
    uses: "models",
    text: ({ hub, token, model, words }) => `from openai import OpenAI

client = OpenAI(base_url="${hub}/v1", api_key="${token}")
answer = client.chat.completions.create(
    model=${JSON.stringify(model)},
    messages=[{"role": "user", "content": ${JSON.stringify(words)}}],
)
print(answer.choices[0].message.content)`,
  },
  {
    id: "openai-node",
    label: "OpenAI SDK, Node.js",
    language: "js",
    hint: "`npm install openai`. Existing clients need only another `baseURL` and key, or `OPENAI_BASE_URL` and `OPENAI_API_KEY`.",
    uses: "models",
    text: ({ hub, token, model, words }) => `import OpenAI from "openai";

const client = new OpenAI({ baseURL: "${hub}/v1", apiKey: "${token}" });
const answer = await client.chat.completions.create({
  model: ${JSON.stringify(model)},
  messages: [{ role: "user", content: ${JSON.stringify(words)} }],
});
console.log(answer.choices[0].message.content);`,
  },
  {
    id: "agents-python",
    label: "OpenAI Agents SDK, Python",
    language: "python",
    hint: "`pip install openai-agents`. Traces hold texts and go to OpenAI, not through the hub: switch them off. Where a provider speaks chat only, use `OpenAIChatCompletionsModel`.",
    uses: "models",
    text: ({
      hub,
      token,
      model,
      words,
    }) => `from agents import Agent, OpenAIResponsesModel, Runner, set_tracing_disabled
from openai import AsyncOpenAI

set_tracing_disabled(True)
client = AsyncOpenAI(base_url="${hub}/v1", api_key="${token}")
agent = Agent(name="Helper", model=OpenAIResponsesModel(model=${JSON.stringify(model)}, openai_client=client))
print(Runner.run_sync(agent, ${JSON.stringify(words)}).final_output)`,
  },
  {
    id: "agents-node",
    label: "OpenAI Agents SDK, Node.js",
    language: "js",
    hint: "`npm install @openai/agents openai`. Traces hold texts and go to OpenAI, not through the hub: switch them off. Where a provider speaks chat only, add `useResponses: false`.",
    uses: "models",
    text: ({ hub, token, model, words }) =>
      lines(
        'import { Agent, OpenAIProvider, Runner } from "@openai/agents";',
        "",
        `const modelProvider = new OpenAIProvider({ baseURL: "${hub}/v1", apiKey: "${token}" });`,
        "const runner = new Runner({ modelProvider, tracingDisabled: true });",
        `const agent = new Agent({ name: "Helper", model: ${JSON.stringify(model)} });`,
        `const result = await runner.run(agent, ${JSON.stringify(words)});`,
        "console.log(result.finalOutput);",
      ),
  },
  {
    id: "ai-sdk",
    label: "Vercel AI SDK",
    language: "js",
    hint: "`npm install ai @ai-sdk/openai`. `openai(model)` speaks Responses; `openai.chat(model)` is for providers that speak chat only. With `@ai-sdk/anthropic`: `createAnthropic` with the same base URL.",
    uses: "models",
    text: ({ hub, token, model, words }) =>
      lines(
        'import { createOpenAI } from "@ai-sdk/openai";',
        'import { generateText } from "ai";',
        "",
        `const openai = createOpenAI({ baseURL: "${hub}/v1", apiKey: "${token}" });`,
        "const { text } = await generateText({",
        `  model: openai(${JSON.stringify(model)}),`,
        `  prompt: ${JSON.stringify(words)},`,
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
    text: ({ hub, token, model, words }) => `from langchain_openai import ChatOpenAI

llm = ChatOpenAI(base_url="${hub}/v1", api_key="${token}", model=${JSON.stringify(model)})
print(llm.invoke(${JSON.stringify(words)}).content)`,
  },
  {
    id: "anthropic-python",
    label: "Anthropic SDK, Python",
    language: "python",
    hint: "`pip install anthropic`. The base URL is without `/v1`. Models of providers that speak Messages.",
    uses: "models",
    text: ({ hub, token, model, words }) => `from anthropic import Anthropic

client = Anthropic(base_url="${hub}", api_key="${token}")
message = client.messages.create(
    model=${JSON.stringify(model)},
    max_tokens=1024,
    messages=[{"role": "user", "content": ${JSON.stringify(words)}}],
)
print(message.content[0].text)`,
  },
  {
    id: "anthropic-node",
    label: "Anthropic SDK, Node.js",
    language: "js",
    hint: "`npm install @anthropic-ai/sdk`. The base URL is without `/v1`. Models of providers that speak Messages.",
    uses: "models",
    text: ({ hub, token, model, words }) => `import Anthropic from "@anthropic-ai/sdk";

const client = new Anthropic({ baseURL: "${hub}", apiKey: "${token}" });
const message = await client.messages.create({
  model: ${JSON.stringify(model)},
  max_tokens: 1024,
  messages: [{ role: "user", content: ${JSON.stringify(words)} }],
});
console.log(message.content[0].text);`,
  },
  {
    id: "ide",
    label: "Tools in Claude Code and IDEs",
    language: "sh",
    hint: "Without a key: the editor opens your browser, where you choose its tools.",
    uses: "tools",
    text: ({ hub }) => `claude mcp add --transport http hub ${hub}/mcp/gateway`,
  },
  {
    id: "mcp",
    label: "Tools in another MCP client",
    language: "json",
    hint: "For the configuration of an MCP client that cannot open a browser.",
    uses: "tools",
    text: ({ hub, token }) =>
      JSON.stringify(
        {
          mcpServers: {
            hub: { type: "http", url: `${hub}/mcp/gateway`, headers: { Authorization: `Bearer ${token}` } },
          },
        },
        null,
        2,
      ),
  },
];
