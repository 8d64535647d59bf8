import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { breaks, says, sends, times } from "#test/support/fake-provider";
import { verifies } from "#test/support/verifies";
import { ChatWorld, MODEL } from "./chat-world";

/* How errors read to clients that go by their words: LiteLLM, and what stands on it (aider, DSPy, CrewAI). */

let world: ChatWorld;
beforeAll(async () => {
  world = await ChatWorld.open({
    env: {
      GUARDHOUSE_GUARD__CUSTOM: JSON.stringify([
        { id: "project", words: ["Project Falcon"], action: "block" },
        { id: "host", words: ["node-blue-7"], action: "redact" },
      ]),
    },
  });
});
afterAll(() => world[Symbol.asyncDispose]());

const BLOCKED = "Tell me about Project Falcon, please.";

/** LiteLLM 1.106, exception_mapping_utils: the order in which it looks for words in an error of an OpenAI-like API. */
const litellmClassOf = (text: string): string => {
  if (/\b429\b|rate[\s_-]*limit/i.test(text)) return "RateLimitError";
  if (!text.includes("invalid_request_error")) return "APIConnectionError";
  if (text.includes("model_not_found")) return "NotFoundError";
  if (text.includes("content_policy_violation")) return "ContentPolicyViolationError";
  return text.includes("Incorrect API key provided") ? "AuthenticationError" : "BadRequestError";
};

describe("a block", () => {
  test.each(["input", "output"])(
    "is a content policy violation to those who read the whole body (%s)",
    async (stage) => {
      verifies("errors.clients", "chat.block-error");
      if (stage === "output") world.provider.next(says(`All of ${BLOCKED}`));
      const response = await world.ask(stage === "input" ? BLOCKED : "Hello there");
      expect(response.status).toBe(400);
      expect(response.headers.get("x-should-retry")).toBe("false");
      const text = await response.text();
      expect(JSON.parse(text)).toMatchObject({
        error: {
          type: "invalid_request_error",
          code: "content_filter",
          guard: { stage, action: "block" },
        },
      });
      expect(litellmClassOf(text)).toBe("ContentPolicyViolationError");
    },
  );

  test("in the middle of a stream is no fault of the connection to those who read its words alone", async () => {
    verifies("errors.clients", "chat.no-retry");
    world.provider.next(says(["Hello ", "there. ", "All of ", BLOCKED, " And so on."]));
    const stream = await world.stream();
    expect(stream.finishReasons).toEqual(["content_filter"]);
    const error = stream.events.at(-1)?.error;
    expect(error).toMatchObject({ type: "invalid_request_error", code: "content_filter" });
    // aider sends again what is a content policy violation, as it does what is a broken connection.
    expect(litellmClassOf(String(error?.["message"]))).toBe("BadRequestError");
    expect(stream.data.at(-1)).toBe("[DONE]");
  });

  test("before the first byte of a stream reads as one in its middle", async () => {
    verifies("errors.clients");
    const response = await world.ask({ stream: true, messages: [{ role: "user", content: BLOCKED }] });
    expect(response.status).toBe(400);
    expect(litellmClassOf(await response.text())).toBe("BadRequestError");
  });

  test("is asked about once by OpenAI's client, whatever it may retry", async () => {
    verifies("errors.clients", "chat.no-retry");
    const before = world.provider.calls.length;
    const { completions } = world.client({ maxRetries: 3 }).chat;
    const asked = { model: MODEL, messages: [{ role: "user" as const, content: "Hi" }] };
    const thrown = (error: unknown): unknown => error;

    world.provider.next(says(`Hello. ${BLOCKED}`));
    const whole = await completions.create(asked).then(() => null, thrown);
    expect(whole).toBeInstanceOf(OpenAI.BadRequestError);
    world.provider.next(says(["Hello. ", BLOCKED]));
    const read = async () => {
      for await (const chunk of await completions.create({ ...asked, stream: true })) expect(chunk.id).not.toBe("");
    };
    expect(await read().then(() => null, thrown)).toMatchObject({ code: "content_filter" });
    expect(world.provider.calls).toHaveLength(before + 2);
  });
});

describe("a provider's own trouble", () => {
  const CHUNK = { id: "c", object: "chat.completion.chunk", created: 1, model: "m" };
  const chunk = { ...CHUNK, choices: [{ index: 0, delta: { content: "Hi there. " }, finish_reason: null }] };
  const reported = async (error: object): Promise<unknown> => {
    world.provider.next(sends([`data: ${JSON.stringify(chunk)}\n\n`, `data: ${JSON.stringify({ error })}\n\n`]));
    return (await world.stream()).events.at(-1)?.error?.["message"];
  };

  test("in the middle of a stream is told with its word and its message, without addresses", async () => {
    verifies("stream.broken-off", "stream.provider-error");
    const begin = "The provider reported an error in the middle of its answer";
    expect(await reported({ message: "Busy at http://10.1.2.3/x today.", type: "overloaded_error" })).toBe(
      `${begin} (overloaded_error): Busy at [address] today.`,
    );
    expect(await reported({ message: "The model is full.", type: "server_error", code: "model_overloaded" })).toBe(
      `${begin} (model_overloaded): The model is full.`,
    );
    expect(await reported({ message: "", type: "key sk-1234", code: 17 })).toBe(`${begin}.`);
    expect(await reported({ message: "x".repeat(1_001), type: "server_error" })).toBe(`${begin} (server_error).`);
  });

  test("in the middle of a stream is scanned: redacted, or blocked and withheld", async () => {
    verifies("stream.provider-error");
    const message = await reported({ message: "Too much for node-blue-7 just now.", type: "server_error" });
    expect(message).toMatch(/\(server_error\): Too much for \S+ just now\.$/);
    expect(message).not.toContain("node-blue-7");
    const blocked = await reported({ message: BLOCKED, type: "server_error" });
    expect(blocked).toContain("Blocked by the guard");
    expect(blocked).not.toContain("Falcon");
  });

  test("before the first byte is told from one that cannot be reached", async () => {
    verifies("provider.retries");
    world.provider.next(...times(3, breaks()));
    const response = await world.ask("Hello there");
    expect(response.status).toBe(502);
    expect(await response.text()).toContain("closed the connection before it answered");
  });
});

test("models have a time of creation that clients can show", async () => {
  verifies("models.list");
  const models = await (await world.hub.fetch("/v1/models", { token: world.token })).json();
  for (const { created } of models.data) expect(created).toBeGreaterThan(1_600_000_000);
});
