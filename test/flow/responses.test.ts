import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { PERSONAL } from "#test/scan/samples";
import { verifies } from "#test/support/verifies";
import { MODEL } from "./chat-world";
import { outputText, ResponsesWorld, responds } from "./responses-world";

let world: ResponsesWorld;
beforeAll(async () => {
  world = await ResponsesWorld.open({ env: { GUARDHOUSE_UPSTREAM__RETRIES: "0" } });
});
afterAll(() => world[Symbol.asyncDispose]());

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
  const WEATHER = {
    ...{ type: "function" as const, name: "get_weather", strict: false },
    parameters: { type: "object", properties: { city: { type: "string" } } },
  };
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
    expect(called.output).toMatchObject([
      { type: "function_call", name: "get_weather", arguments: '{"city":"Paris"}' },
    ]);
  });
});
