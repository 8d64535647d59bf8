import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { APIError, APIUserAbortError, AuthenticationError, BadRequestError, NotFoundError } from "openai";
import { SECRETS } from "#test/scan/samples";
import { answers, callsTools, fails, hangs, refuses, says, thinks } from "#test/support/fake-provider";
import { verifies } from "#test/support/verifies";
import { ChatWorld, MODEL } from "./chat-world";

let world: ChatWorld;
beforeAll(async () => {
  world = await ChatWorld.open({ env: { GUARDHOUSE_UPSTREAM__RETRIES: "0" } });
});
afterAll(() => world[Symbol.asyncDispose]());

const user = (content: string) => ({ role: "user" as const, content });
const HELLO = { model: MODEL, messages: [user("Hello there")] };
const WEATHER = {
  type: "function" as const,
  function: { name: "get_weather", description: "Weather of a city", parameters: { type: "object" } },
};

/** A client whose requests to the hub can be counted. */
const counting = (maxRetries: number) => {
  const sent: Request[] = [];
  const count = (...[input, init]: Parameters<typeof fetch>) => {
    sent.push(new Request(input, init));
    return fetch(input, init);
  };
  return { client: world.client({ maxRetries, fetch: count }), sent };
};

const caught = async (promise: Promise<unknown>): Promise<APIError> => {
  const error: unknown = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof APIError)) throw new Error("expected an APIError", { cause: error });
  return error;
};

describe("OpenAI's own client works through the hub as it does without", () => {
  test("a whole answer, its usage and its request id", async () => {
    verifies("chat.openai-client");
    world.provider.next(says("Good morning, and welcome."));
    const { data, request_id } = await world.client().chat.completions.create(HELLO).withResponse();
    expect(data.choices[0]).toMatchObject({
      finish_reason: "stop",
      message: { content: "Good morning, and welcome." },
    });
    expect(data.usage).toEqual({ prompt_tokens: 11, completion_tokens: 4, total_tokens: 15 });
    const { final } = await world.records(({ call_id }) => call_id === request_id);
    expect(final.call).toMatchObject({ status: 200, usage: { total_tokens: 15 } });
  });

  test("a streamed answer, chunk by chunk", async () => {
    world.provider.next(says("Good morning, and welcome."));
    const stream = await world.client().chat.completions.create({ ...HELLO, stream: true });
    const chunks = await Array.fromAsync(stream);
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? "")).toEqual([
      "",
      "Good",
      " morning,",
      " and",
      " welcome.",
      "",
    ]);
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe("stop");
  });

  test("the stream helper, with usage", async () => {
    world.provider.next(says("One two three"));
    const stream = world.client().chat.completions.stream({ ...HELLO, stream_options: { include_usage: true } });
    const deltas: string[] = [];
    stream.on("content", (delta) => deltas.push(delta));
    const answer = await stream.finalChatCompletion();
    expect(answer.choices[0]?.message.content).toBe("One two three");
    expect(answer.usage?.total_tokens).toBe(14);
    expect(deltas).toEqual(["One", " two", " three"]);
  });

  test("several choices, streamed", async () => {
    world.provider.next(answers({ choices: [{ content: "a b c" }, { content: "x y" }, { refusal: "No way" }] }));
    const answer = await world
      .client()
      .chat.completions.stream({ ...HELLO, n: 3 })
      .finalChatCompletion();
    expect(answer.choices.map(({ message }) => message.content ?? message.refusal)).toEqual(["a b c", "x y", "No way"]);
    expect(world.provider.lastCall.body["n"]).toBe(3);
  });

  test("refusals and reasoning", async () => {
    world.provider.next(refuses("I cannot help with that."), thinks("Let me see.", "Yes."));
    const refused = await world.client().chat.completions.stream(HELLO).finalChatCompletion();
    expect(refused.choices[0]?.message).toMatchObject({ refusal: "I cannot help with that." });
    const thought = await world.client().chat.completions.create(HELLO);
    expect(thought.choices[0]?.message).toMatchObject({ content: "Yes.", reasoning_content: "Let me see." });
  });

  test("tool calls, whole and streamed, and the answer to their results", async () => {
    verifies("chat.openai-client");
    const reply = callsTools([
      { name: "get_weather", arguments: ['{"ci', 'ty":"Ber', 'lin"}'] },
      { name: "get_weather", arguments: '{"city":"Rome"}' },
    ]);
    world.provider.next(reply, reply, says("Sunny in both."));
    const asked = { ...HELLO, tools: [WEATHER] };
    const whole = await world.client().chat.completions.create(asked);
    const streamed = await world.client().chat.completions.stream(asked).finalChatCompletion();
    for (const { choices } of [whole, streamed]) {
      expect(choices[0]?.finish_reason).toBe("tool_calls");
      expect(choices[0]?.message.tool_calls).toMatchObject([
        { id: "call_fake0", function: { name: "get_weather", arguments: '{"city":"Berlin"}' } },
        { id: "call_fake1", function: { name: "get_weather", arguments: '{"city":"Rome"}' } },
      ]);
    }
    const [choice] = whole.choices;
    if (!choice) throw new Error("no choice");
    const messages = [
      ...HELLO.messages,
      choice.message,
      { role: "tool" as const, tool_call_id: "call_fake0", content: "24 degrees" },
    ];
    const after = await world.client().chat.completions.create({ ...asked, messages });
    expect(after.choices[0]?.message.content).toBe("Sunny in both.");
    expect(world.provider.lastCall.body).toEqual(JSON.parse(JSON.stringify({ ...asked, messages })));
  });

  test("the tool runner: call, run, answer", async () => {
    world.provider.next(callsTools([{ name: "get_weather", arguments: '{"city":"Berlin"}' }]), says("It is sunny."));
    const runner = world.client().chat.completions.runTools({
      ...HELLO,
      stream: true,
      tools: [
        {
          type: "function",
          function: {
            name: "get_weather",
            description: "",
            parameters: { type: "object" },
            function: () => "sunny",
            parse: JSON.parse,
          },
        },
      ],
    });
    expect(await runner.finalContent()).toBe("It is sunny.");
    expect(world.provider.lastCall.body.messages?.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
  });

  test("models: the list and one of them, slash and all", async () => {
    verifies("models.list");
    const models = await Array.fromAsync(world.client().models.list());
    expect(models.map(({ id }) => id)).toEqual(expect.arrayContaining([MODEL, "guardhouse/echo"]));
    expect(await world.client().models.retrieve("guardhouse/echo")).toMatchObject({
      id: "guardhouse/echo",
      object: "model",
    });
    expect(await world.client().models.retrieve("fake-tuned")).toMatchObject({ owned_by: "fake" });
    const unknown = await caught(world.client().models.retrieve("nobody-serves-this"));
    expect(unknown).toBeInstanceOf(NotFoundError);
    expect(unknown).toMatchObject({ code: "model_not_found", param: "model" });
  });
});

describe("errors arrive as the classes callers catch", () => {
  test("a block is a BadRequestError with everything a dispute needs, sent once and never to the provider", async () => {
    verifies("chat.block-error", "chat.no-retry");
    const before = world.provider.calls.length;
    const { client, sent } = counting(2);
    const error = await caught(
      client.chat.completions.create({
        ...HELLO,
        messages: [user("Hi there"), user(`My key is ${SECRETS.awsAccessKey}`)],
      }),
    );
    expect(error).toBeInstanceOf(BadRequestError);
    expect(error).toMatchObject({
      status: 400,
      code: "content_filter",
      type: "invalid_request_error",
      param: "messages[1].content",
    });
    const eventId = error.headers?.get("x-guard-event-id") ?? "";
    expect(eventId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    expect(error.error).toMatchObject({
      event_id: eventId,
      guard: {
        stage: "input",
        action: "block",
        flags: [{ type: "secret.aws_access_key", score: 1 }],
        policy_revision: 1,
        dispute_url: "/v1/guard/disputes",
        reports_remaining: 5,
      },
    });
    expect(error.message).toContain("messages[1].content");
    expect(error.message).not.toContain(SECRETS.awsAccessKey);
    expect(error.headers?.get("x-should-retry")).toBe("false");
    expect(error.headers?.get("x-guard-action")).toBe("block");
    expect(sent).toHaveLength(1);
    expect(world.provider.calls).toHaveLength(before);
    const { request, final } = await world.records(({ call_id }) => call_id === error.requestID);
    expect(request).toBeUndefined();
    expect(final).toMatchObject({ outcome: "blocked_input", call: { event_id: eventId, attempts: 0, status: 400 } });
  });

  test("a block of a streamed call is the same error, before any stream", async () => {
    const stream = world.client().chat.completions.create({ ...HELLO, stream: true, messages: [user(SECRETS.github)] });
    const error = await caught(stream);
    expect(error).toBeInstanceOf(BadRequestError);
    expect(error.code).toBe("content_filter");
  });

  test.each([
    ["no token", null],
    ["an unknown token", `Bearer ${SECRETS.guardhouse}`],
    ["a token of another kind", "Bearer sk-something"],
    ["another scheme", "Basic ZXZlOnB3"],
  ])("%s is an AuthenticationError", async (_, authorization) => {
    verifies("auth.one-answer");
    const client = world.client({ defaultHeaders: { authorization } });
    const error = await caught(client.chat.completions.create(HELLO));
    expect(error).toBeInstanceOf(AuthenticationError);
    expect(error).toMatchObject({ status: 401, code: "invalid_api_key", type: "invalid_request_error", param: null });
    expect(error.headers?.get("www-authenticate")).toBe("Bearer");
    expect(error.requestID).toBeTruthy();
  });

  test("an unknown model is a NotFoundError", async () => {
    const error = await caught(world.client().chat.completions.create({ ...HELLO, model: "nobody-serves-this" }));
    expect(error).toBeInstanceOf(NotFoundError);
    expect(error).toMatchObject({ code: "model_not_found", type: "invalid_request_error", param: "model" });
    expect(error.message).not.toContain("nobody-serves-this");
  });

  test("a body of the wrong shape is a BadRequestError that names the field", async () => {
    const faults: [object, string | null, string][] = [
      [{ messages: [] }, "messages", "invalid_value"],
      [{ messages: "Hello" }, "messages", "invalid_value"],
      [{ messages: [{ content: "no role" }] }, "messages[0].role", "invalid_value"],
      [{ messages: [user("Hello")], n: 0 }, "n", "invalid_value"],
      [{ messages: [user("Hello")], stream: "yes" }, "stream", "invalid_value"],
    ];
    for (const [body, param, code] of faults) {
      const response = await world.ask(body);
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ error: { param, code, type: "invalid_request_error" } });
    }
    const broken = await world.hub.fetch("/v1/chat/completions", {
      token: world.token,
      method: "POST",
      body: "{nope",
    } as RequestInit);
    expect(broken.status).toBe(400);
    expect(await broken.json()).toMatchObject({ error: { code: "invalid_json" } });
  });
});

describe("retries are the hub's business where it has tried, and the client's where it may try", () => {
  test("a provider that stays down costs the client one request", async () => {
    verifies("chat.no-retry");
    world.provider.next(fails(503));
    const { client, sent } = counting(2);
    const error = await caught(client.chat.completions.create(HELLO));
    expect(error).toMatchObject({ status: 502, code: "upstream_error", type: "upstream_error" });
    expect(error.headers?.get("x-should-retry")).toBe("false");
    expect(sent).toHaveLength(1);
  });

  test("the client's retry count is recorded", async () => {
    world.provider.next(says("Hello again."));
    const answer = await world.ask("Hello there", { headers: { "x-stainless-retry-count": "2" } });
    const { final } = await world.recordsOf(answer);
    expect(final.call.client_retry).toBe(2);
  });
});

describe("a client that leaves", () => {
  test("in the middle of a stream: the provider sees it, the record says it", async () => {
    verifies("chat.client-gone");
    world.provider.next(says(["Hello there. ", "How ", "are you"], { stop: { after: 3, how: "hang" } }));
    const { id, headers, records } = world.conversation();
    const stream = await world.client().chat.completions.create({ ...HELLO, stream: true }, { headers });
    const seen: string[] = [];
    for await (const { choices } of stream) {
      seen.push(choices[0]?.delta.content ?? "");
      if (seen.includes("Hello there. ")) break; // leaving the loop aborts
    }
    expect(await world.provider.lastCall.ended).toMatchObject({ how: "client_gone" });
    const { request, final } = await records();
    expect(request?.outcome).toBe("open");
    expect(final).toMatchObject({ outcome: "client_closed", call: { status: 499, stream: true, conversation_id: id } });
    expect(final.call.coverage.output).toMatchObject({ texts: 1, chars: "Hello there. How ".length });
  });

  test("before the answer has begun", async () => {
    verifies("chat.client-gone");
    const count = world.provider.calls.length;
    world.provider.next(hangs());
    const { headers, records } = world.conversation();
    const controller = new AbortController();
    const answer = world.client().chat.completions.create(HELLO, { headers, signal: controller.signal });
    const call = await world.provider.call(count);
    controller.abort();
    expect(await caught(answer)).toBeInstanceOf(APIUserAbortError);
    expect(await call.ended).toMatchObject({ how: "client_gone" });
    const { final } = await records();
    expect(final).toMatchObject({ outcome: "client_closed", call: { status: 499, attempts: 1 } });
  });

  test("in the middle of a whole answer", async () => {
    const count = world.provider.calls.length;
    world.provider.next(says("Hello there", { stop: { after: 0, how: "hang" } }));
    const { headers, records } = world.conversation();
    const controller = new AbortController();
    const answer = world.ask("Hello there", { headers, signal: controller.signal });
    const call = await world.provider.call(count);
    controller.abort();
    await expect(answer).rejects.toThrow();
    expect(await call.ended).toMatchObject({ how: "client_gone" });
    expect((await records()).final).toMatchObject({ outcome: "client_closed", call: { attempts: 1 } });
    expect(world.provider.calls).toHaveLength(count + 1);
  });
});
