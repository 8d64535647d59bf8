import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import Anthropic from "@anthropic-ai/sdk";
import { Agent, OpenAIProvider, Runner } from "@openai/agents";
import { generateText, streamText } from "ai";
import OpenAI from "openai";
import { PERSONAL, SECRETS } from "#test/scan/samples";
import { type FakeProvider, fails, type Reply, says } from "#test/support/fake-provider";
import { numbered } from "#test/support/labels";
import { answersMessage, failsAs } from "#test/support/message-script";
import { answersResponse } from "#test/support/response-script";
import { verifies } from "#test/support/verifies";
import { MODEL } from "./chat-world";
import { type Caller, CLAUDE, ClientsWorld } from "./clients-world";

const KEY = SECRETS.awsAccessKey;
const DOCUMENT = join(import.meta.dir, "../../docs/clients.md");

let world: ClientsWorld;
beforeAll(async () => {
  world = await ClientsWorld.open();
});
afterAll(() => world[Symbol.asyncDispose]());

/** With what a client asks: its requests are counted, and it retries as it does by itself unless told not to. */
type Asking = {
  readonly prompt: string;
  readonly token: string;
  readonly fetch: typeof fetch;
  readonly retries?: number;
};

type Client = {
  /** As docs/clients.md has it. */
  readonly name: string;
  readonly provider: () => FakeProvider;
  readonly answers: (text: string) => Reply;
  readonly fault: Reply;
  /** The text of a whole answer. */
  readonly ask: (asking: Asking) => Promise<string>;
  /** The text of a streamed answer, and how it ended where it ended without an error. */
  readonly stream: (asking: Asking) => Promise<{ readonly text: string; readonly ending: string }>;
};

const retrying = (retries: number | undefined) => (retries === undefined ? {} : { maxRetries: retries });
const openai = ({ token, fetch, retries }: Asking) =>
  new OpenAI({ baseURL: `${world.hub.url}/v1`, apiKey: token, fetch, ...retrying(retries) });
const anthropic = ({ token, fetch, retries }: Asking) =>
  new Anthropic({ baseURL: world.hub.url, apiKey: token, fetch, ...retrying(retries) });
const aiOpenai = ({ token, fetch }: Asking) => createOpenAI({ baseURL: `${world.hub.url}/v1`, apiKey: token, fetch });
const aiAnthropic = ({ token, fetch }: Asking) =>
  createAnthropic({ baseURL: `${world.hub.url}/v1`, apiKey: token, fetch });
const user = (content: string) => [{ role: "user" as const, content }];

const SPEAKS_CHAT = { provider: () => world.openai, answers: (text: string) => says(text), fault: fails(503) };
const SPEAKS_RESPONSES = { ...SPEAKS_CHAT, answers: (text: string) => answersResponse([{ text }]) };
const SPEAKS_MESSAGES = {
  provider: () => world.anthropic,
  answers: (text: string) => answersMessage([{ text }]),
  fault: failsAs(503, "api_error", "Out of order."),
};

const HELPER = new Agent({ name: "Helper", model: MODEL });
const runner = (asking: Asking) =>
  new Runner({ modelProvider: new OpenAIProvider({ openAIClient: openai(asking) }), tracingDisabled: true });

type AiModel = Parameters<typeof generateText>[0]["model"];
/** The AI SDK, whichever provider of its it asks. */
const ai = (modelOf: (asking: Asking) => AiModel) => ({
  ask: async (asking: Asking) =>
    (await generateText({ model: modelOf(asking), prompt: asking.prompt, ...retrying(asking.retries) })).text,
  stream: async (asking: Asking) => {
    const errors: unknown[] = [];
    const streamed = streamText({
      model: modelOf(asking),
      prompt: asking.prompt,
      onError: ({ error }) => void errors.push(error),
      ...retrying(asking.retries),
    });
    const text = (await Array.fromAsync(streamed.textStream)).join("");
    const reason = `\`finishReason\` \`${await streamed.finishReason}\``;
    return { text, ending: errors.length === 0 ? reason : `${reason}, \`onError\`` };
  },
});

const CLIENTS: readonly Client[] = [
  {
    ...SPEAKS_CHAT,
    name: "OpenAI SDK, chat",
    ask: async (asking) => {
      const answer = await openai(asking).chat.completions.create({ model: MODEL, messages: user(asking.prompt) });
      return answer.choices[0]?.message.content ?? "";
    },
    stream: async (asking) => {
      const stream = await openai(asking).chat.completions.create({
        ...{ model: MODEL, messages: user(asking.prompt), stream: true },
      });
      return ended(
        stream,
        (chunk) => chunk.choices[0]?.delta.content ?? "",
        (chunk) => {
          const reason = chunk.choices[0]?.finish_reason;
          return reason ? `\`finish_reason\` \`${reason}\`` : null;
        },
      );
    },
  },
  {
    ...SPEAKS_RESPONSES,
    name: "OpenAI SDK, Responses",
    ask: async (asking) => (await openai(asking).responses.create({ model: MODEL, input: asking.prompt })).output_text,
    stream: async (asking) => {
      const stream = await openai(asking).responses.create({ model: MODEL, input: asking.prompt, stream: true });
      return ended(
        stream,
        (event) => (event.type === "response.output_text.delta" ? event.delta : ""),
        (event) =>
          event.type === "response.incomplete"
            ? `\`${event.type}\`, \`reason\` \`${event.response.incomplete_details?.reason}\``
            : null,
      );
    },
  },
  {
    ...SPEAKS_RESPONSES,
    name: "OpenAI Agents SDK",
    ask: async (asking) => (await runner(asking).run(HELPER, asking.prompt)).finalOutput ?? "",
    stream: async (asking) => {
      const run = await runner(asking).run(HELPER, asking.prompt, { stream: true });
      const textOf = (text: unknown) => (typeof text === "string" ? text : "");
      const { text, ending } = await ended(run.toTextStream(), textOf, () => null);
      return { text, ending: `${ending === "" ? "no error" : ending.slice(2)}` };
    },
  },
  { ...SPEAKS_CHAT, name: "AI SDK, `openai.chat`", ...ai((asking) => aiOpenai(asking).chat(MODEL)) },
  {
    ...SPEAKS_RESPONSES,
    name: "AI SDK, `openai`",
    ...ai((asking) => aiOpenai(asking)(MODEL)),
  },
  {
    ...SPEAKS_MESSAGES,
    name: "Anthropic SDK",
    ask: async (asking) => {
      const { content } = await anthropic(asking).messages.create({
        ...{ model: CLAUDE, max_tokens: 64, messages: user(asking.prompt) },
      });
      return content.map((block) => (block.type === "text" ? block.text : "")).join("");
    },
    stream: async (asking) => {
      const stream = await anthropic(asking).messages.create({
        ...{ model: CLAUDE, max_tokens: 64, messages: user(asking.prompt), stream: true },
      });
      return ended(
        stream,
        (event) => (event.type === "content_block_delta" && event.delta.type === "text_delta" ? event.delta.text : ""),
        (event) =>
          event.type === "message_delta" && event.delta.stop_reason
            ? `\`stop_reason\` \`${event.delta.stop_reason}\``
            : null,
      );
    },
  },
  { ...SPEAKS_MESSAGES, name: "AI SDK, `anthropic`", ...ai((asking) => aiAnthropic(asking)(CLAUDE)) },
];

/** Reads a stream to its end, by an error or without. */
const ended = async <Event>(
  stream: AsyncIterable<Event>,
  textOf: (event: Event) => string,
  reasonOf: (event: Event) => string | null,
): Promise<{ text: string; ending: string }> => {
  let [text, ending] = ["", ""];
  try {
    for await (const event of stream) {
      text += textOf(event);
      ending = reasonOf(event) ?? ending;
    }
  } catch (error) {
    ending = `${ending}, ${classOf(error)}`;
  }
  return { text, ending };
};

/** An error's class as programs name it in a `catch`. The AI SDK puts its last one into another after retries. */
const classOf = (error: unknown): string => {
  if (!(error instanceof Error)) throw new Error("no error was thrown");
  const name = error.name === "Error" ? error.constructor.name : error.name;
  return `\`${name.replace(/^AI_/, "")}\``;
};

const statusOf = (error: unknown): unknown => {
  if (typeof error !== "object" || error === null) return null;
  if ("lastError" in error) return statusOf(error.lastError);
  if ("statusCode" in error) return error.statusCode;
  return "status" in error ? error.status : null;
};

/** What a client made of it: the words of the error, its class with the status, and how often it asked. */
const failureOf = async (client: Client, prompt: string, { caller = "eve", retries }: How = {}): Promise<Failure> => {
  const { asking, sent } = counted(prompt, caller, retries);
  const error: unknown = await client.ask(asking).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (error === null) return { words: "", cell: ANSWERED, times: sent.length };
  return { words: wordsOf(error), cell: `${classOf(error)} ${statusOf(error)}`, times: sent.length };
};
type Failure = { readonly words: string; readonly cell: string; readonly times: number };
const ANSWERED = "answered";
type How = { readonly caller?: Caller; readonly retries?: number };

const wordsOf = (error: unknown): string => {
  const last = typeof error === "object" && error !== null && "lastError" in error ? error.lastError : error;
  return String(last);
};

const counted = (prompt: string, caller: Caller, retries?: number) => {
  const sent: string[] = [];
  const count = (...[input, init]: Parameters<typeof fetch>) => {
    sent.push(new Request(input, init).url);
    return fetch(input, init);
  };
  const token = world.tokenOf(caller);
  const counting = Object.assign(count, { preconnect: fetch.preconnect });
  return { asking: { prompt, token, fetch: counting, ...(retries === undefined ? {} : { retries }) }, sent };
};

/** The cells of a client's row in the document's table. */
const rowOf = async (name: string): Promise<string[]> => {
  const text = await Bun.file(DOCUMENT).text();
  const line = text.split("\n").find((it) => it.startsWith(`| ${name} |`));
  return (
    line
      ?.split("|")
      .slice(2, -1)
      .map((cell) => cell.trim()) ?? []
  );
};

describe.each(CLIENTS)("$name", (client) => {
  test("an answer is the provider's, with labels in place of what is redacted", async () => {
    verifies("clients.seen");
    client.provider().next(client.answers(`Write to ${PERSONAL.email} today.`));
    const { asking } = counted(`Who is ${PERSONAL.email}?`, "eve");
    expect(numbered(await client.ask(asking))).toBe("Write to [pii.email:1] today.");
    expect(client.provider().lastCall.text).not.toContain(PERSONAL.email);
  });

  test("a block, a limit, the kill switch and a fault are what the document says", async () => {
    verifies("clients.seen");
    const before = client.provider().calls.length;
    const blocked = await failureOf(client, `My key is ${KEY}`);
    expect(blocked.words).toContain("Blocked by the guard: secret.aws_access_key");
    expect(blocked.words).not.toContain(KEY);
    const stopped = await failureOf(client, "Hello", { caller: "stopped" });
    expect(stopped.words).toContain("kill switch");
    expect([blocked.times, stopped.times, client.provider().calls.length]).toEqual([1, 1, before]);
    client.provider().always(client.answers("Hello."));
    const limited = await limitedOf(client);
    expect(limited.words).toContain("requests per minute");
    client.provider().always(client.fault);
    const faulty = await failureOf(client, "Hello", { retries: 0 });
    expect(await rowOf(client.name)).toEqual([
      ...[blocked, limited, stopped, faulty].map(({ cell }) => cell),
      await blockedStream(client),
    ]);
  });
});

/** One call a minute: the second is refused, or the third where a new minute begins between them. */
const limitedOf = async (client: Client, tries = 3): Promise<Failure> => {
  await client.ask(counted("Hello", "limited", 0).asking).catch(() => "limited already");
  const found = await failureOf(client, "Hello", { caller: "limited", retries: 0 });
  return found.cell === ANSWERED && tries > 0 ? limitedOf(client, tries - 1) : found;
};

/** How a stream ends in which a key comes after some words. */
const blockedStream = async ({ provider, answers, stream }: Client): Promise<string> => {
  provider().always(answers(`I found it. ${KEY} is the key.`));
  const { asking, sent } = counted("Find the key", "eve");
  const seen = await stream(asking);
  expect(seen.text).not.toContain(KEY);
  expect(sent.length).toBe(1);
  return seen.ending;
};

test("what clients ask before their first call is answered, and not recorded", async () => {
  verifies("clients.seen");
  const { headers, status } = await fetch(`${world.hub.url}/`, { method: "HEAD" });
  expect([status, headers.get("content-type")]).toEqual([200, expect.stringContaining("text/html")]);
  expect((await fetch(`${world.hub.url}/api/hello`, { method: "HEAD" })).status).toBe(404);
});
