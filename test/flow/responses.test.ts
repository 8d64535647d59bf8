import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { PERSONAL, SECRETS } from "#test/scan/samples";
import { fails } from "#test/support/fake-provider";
import { answersResponse } from "#test/support/response-script";
import { verifies } from "#test/support/verifies";
import { dataOf, MODEL } from "./chat-world";
import { answersJson, outputText, ResponsesWorld, responds } from "./responses-world";

const RULES = [{ type: "secret.aws_access_key", origins: ["output"], thresholds: { block: 0.5 } }];

let world: ResponsesWorld;
beforeAll(async () => {
  world = await ResponsesWorld.open({
    env: { GUARDHOUSE_UPSTREAM__RETRIES: "0", GUARDHOUSE_GUARD__RULES: JSON.stringify(RULES) },
  });
});
afterAll(() => world[Symbol.asyncDispose]());

const thrown = (error: unknown): unknown => error;
const WEATHER = {
  ...{ type: "function" as const, name: "get_weather", strict: false },
  parameters: { type: "object", properties: { city: { type: "string" } } },
};
const REFUSAL = {
  ...{ type: "message", id: "msg_1", role: "assistant", status: "completed" },
  content: [{ type: "refusal", refusal: "I do not know." }],
};
const EMAIL = PERSONAL.email;
const LABEL = /\[pii\.email:\w+\]/;

describe("OpenAI's own client works through the hub as it does without", () => {
  test("a whole answer and its usage", async () => {
    verifies("responses.client");
    world.provider.next(responds([outputText("Good morning, and welcome.")]));
    const { data, response } = await world.client().responses.create({ model: MODEL, input: "Hello" }).withResponse();
    expect(data.output_text).toBe("Good morning, and welcome.");
    expect(world.provider.lastCall.path).toBe("/v1/responses");
    const { final } = await world.recordsOf(response);
    expect(final).toMatchObject({ kind: "responses.create", outcome: "answered" });
    expect(final.call).toMatchObject({
      status: 200,
      model: MODEL,
      finish_reasons: ["completed"],
      usage: { prompt_tokens: 11, completion_tokens: 4, total_tokens: 15 },
    });
  });

  test("a parsed answer, and a refusal in its place", async () => {
    verifies("responses.client");
    const format = {
      ...{ type: "json_schema" as const, name: "person", strict: true },
      schema: { type: "object", properties: { name: { type: "string" } } },
    };
    const asking = { model: MODEL, input: "Who?", text: { format } };
    world.provider.next(responds([outputText('{"name":"Ada"}')]), responds([REFUSAL]));
    const parsed = await world.client().responses.parse(asking);
    expect(parsed.output_parsed).toEqual({ name: "Ada" });
    expect(Object(world.provider.lastCall.body)["text"]).toEqual({ format });
    const refused = await world.client().responses.parse(asking);
    expect([refused.output_parsed, refused.output[0]]).toEqual([null, expect.objectContaining(REFUSAL)]);
  });

  test("a tool's round: the call, its result, the answer", async () => {
    verifies("responses.client");
    const client = world.client();
    const call = {
      ...{ type: "function_call" as const, id: "fc_1", call_id: "call_1", status: "completed" as const },
      ...{ name: "get_weather", arguments: '{"city":"Paris"}' },
    };
    const reasoning = { type: "reasoning" as const, id: "rs_1", summary: [], encrypted_content: "gAAAAABh" };
    world.provider.next(responds([reasoning, call]), responds([outputText("It is mild in Paris.")]));
    const asking = { model: MODEL, tools: [WEATHER], store: false, include: ["reasoning.encrypted_content" as const] };
    const first = await client.responses.create({ ...asking, input: "Weather in Paris?" });
    expect(first.output as unknown).toEqual([reasoning, call]);
    const result = { type: "function_call_output" as const, call_id: call.call_id, output: '{"celsius":17}' };
    const input = [{ role: "user" as const, content: "Weather in Paris?" }, reasoning, call, result];
    const second = await client.responses.create({ ...asking, input });
    expect(second.output_text).toBe("It is mild in Paris.");
    expect(Object(world.provider.lastCall.body)["input"]).toEqual(input);
  });

  test("a conversation is compacted, tokens are counted, and what goes out for it is scanned", async () => {
    verifies("responses.client", "responses.redaction");
    const client = world.client();
    const compaction = { type: "compaction", id: "cmp_1", encrypted_content: "gAAAAABh" };
    const usage = { input_tokens: 11, output_tokens: 4, total_tokens: 15 };
    const compacted = {
      id: "resp_1",
      object: "response.compaction",
      created_at: 1_793_610_600,
      output: [compaction],
      usage,
    };
    world.provider.next(answersJson(compacted));
    const asked = { model: MODEL, input: [{ role: "user" as const, content: `I am ${EMAIL}.` }] };
    const { data, response } = await client.responses.compact(asked).withResponse();
    expect(data as unknown).toEqual({ ...compacted, id: expect.stringMatching(/^resp_[\w-]{40,}$/) });
    expect([world.provider.lastCall.path, world.provider.lastCall.text]).toEqual([
      ...["/v1/responses/compact", expect.not.stringContaining(EMAIL)],
    ]);
    const { final } = await world.recordsOf(response);
    expect(final).toMatchObject({ kind: "responses.compact", call: { usage: { total_tokens: 15 } } });
    world.provider.next(answersJson({ object: "response.input_tokens", input_tokens: 9 }));
    const counted = await client.responses.inputTokens.count(asked).withResponse();
    expect(counted.data.input_tokens).toBe(9);
    expect([world.provider.lastCall.path, world.provider.lastCall.text]).toEqual([
      ...["/v1/responses/input_tokens", expect.not.stringContaining(EMAIL)],
    ]);
    const records = await world.recordsOf(counted.response);
    expect(records.final).toMatchObject({ kind: "responses.input_tokens", call: { usage: { total_tokens: 0 } } });
  });

  test("the session and the sub-agent that Codex CLI names are recorded", async () => {
    verifies("responses.sub-agents");
    world.provider.next(responds([outputText("Hello")]), responds([outputText("Hello")]));
    const main = { "session-id": "session-1", "thread-id": "session-1" };
    const child = { "x-openai-subagent": "collab_spawn", "x-codex-parent-thread-id": "session-1" };
    const called = async (headers: Readonly<Record<string, string>>) =>
      (await world.recordsOf(await world.send("Hello", { headers }))).final.call;
    expect(await called({ ...main, ...child, "thread-id": "thread-2" })).toMatchObject({
      ...{ conversation_id: "session-1", sub_agent: { id: "thread-2", parent_id: "session-1" } },
    });
    expect(await called(main)).not.toHaveProperty("sub_agent");
  });

  test("a block in a stream ends as a client can bear it: Codex CLI would send the request again", async () => {
    verifies("responses.codex-blocks");
    const endOf = async (headers: Readonly<Record<string, string>>) => {
      world.provider.next(answersResponse([{ text: ["The key is ", SECRETS.awsAccessKey, " today."] }]));
      const response = await world.send({ input: "Hello", stream: true }, { headers });
      return JSON.parse(dataOf(await response.text()).at(-1) ?? "");
    };
    const guardhouse = { event_id: expect.any(String), guard: { stage: "output", action: "block" } };
    expect(await endOf({})).toMatchObject({
      type: "response.incomplete",
      response: { status: "incomplete", incomplete_details: { reason: "content_filter" }, guardhouse },
    });
    expect(await endOf({ originator: "codex_exec" })).toMatchObject({
      type: "response.failed",
      response: {
        ...{ status: "failed", incomplete_details: null, guardhouse },
        error: { code: "invalid_prompt", message: expect.stringContaining("Blocked by the guard") },
      },
    });
  });

  test("a provider's refusal, and a block", async () => {
    verifies("responses.client", "responses.blocks");
    const error = { message: "The model is tired.", type: "invalid_request_error", param: "input", code: "tired" };
    world.provider.next(fails(400, { body: { error } }));
    const refused = await world.client().responses.create({ model: MODEL, input: "Hello" }).then(String, thrown);
    expect(refused).toMatchObject({
      status: 400,
      code: "tired",
      message: expect.stringContaining("The model is tired."),
    });
    const misalignment = {
      ...{ error_type: "potentially_unintended_data_transfer", review_target: "input[0]" },
      steer: { message: `Do not write to ${EMAIL}.` },
    };
    world.provider.next(fails(400, { body: { error: { ...error, misalignment } } }));
    const judged = await world.client().responses.create({ model: MODEL, input: "Hello" }).then(String, thrown);
    expect(judged).toMatchObject({
      status: 400,
      error: { ...error, misalignment: { ...misalignment, steer: { message: expect.stringMatching(LABEL) } } },
    });
    world.provider.next(responds([outputText(`The key is ${SECRETS.awsAccessKey}.`)]));
    const blocked = await world.client().responses.create({ model: MODEL, input: "Hello" }).then(String, thrown);
    expect(blocked).toMatchObject({ status: 400, code: "content_filter" });
  });

  test("what is redacted, on both ways", async () => {
    verifies("responses.redaction");
    world.provider.next(responds([outputText(`Write to ${EMAIL}.`)]));
    const answer = await world.client().responses.create({ model: MODEL, input: `I am ${EMAIL}.` });
    expect(world.provider.lastCall.body["input"]).toMatch(LABEL);
    expect(answer.output_text).toMatch(LABEL);
  });
});

describe("guardhouse/echo answers", () => {
  const ECHO = { model: "guardhouse/echo", input: "Hello there" };
  test("whole, with tools", async () => {
    verifies("responses.echo");
    const client = world.client();
    const whole = await client.responses.create(ECHO);
    expect(whole.output_text).toBe("Echo: Hello there");
    const called = await client.responses.create({
      ...ECHO,
      tools: [WEATHER],
      input: [{ role: "user", content: 'Call get_weather {"city":"Paris"}' }],
    });
    expect((await client.responses.inputTokens.count(ECHO)).input_tokens).toBe(3);
    const compacted = await client.responses.compact(ECHO);
    expect(compacted.output.map(({ type }) => type)).toEqual(["message", "compaction"]);
    expect(called.output).toMatchObject([
      { type: "function_call", name: "get_weather", arguments: '{"city":"Paris"}' },
    ]);
  });
});

describe("addresses beside", () => {
  test("a WebSocket is not offered: 426 at once, to anybody", async () => {
    verifies("responses.websocket");
    const headers = { connection: "upgrade", upgrade: "websocket", "sec-websocket-version": "13" };
    const response = await world.hub.fetch("/v1/responses", {
      method: "GET",
      headers: { ...headers, "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==" },
    });
    expect([response.status, response.headers.get("upgrade"), response.headers.get("x-should-retry")]).toEqual([
      ...[426, "HTTP/1.1", "false"],
    ]);
    expect(await response.json()).toMatchObject({ error: { code: "websocket_not_offered" } });
    const plain = await world.hub.fetch("/v1/responses", { method: "GET", token: world.token });
    expect([plain.status, plain.headers.get("allow")]).toEqual([405, "POST"]);
  });
});
