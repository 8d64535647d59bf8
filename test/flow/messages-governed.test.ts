import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { SECRETS } from "#test/scan/samples";
import { verifies } from "#test/support/verifies";
import { dataOf } from "./chat-world";
import { EnforcementWorld, limitsOf, toolsOf } from "./enforcement-world";

let world: EnforcementWorld;
beforeAll(async () => {
  world = await EnforcementWorld.open();
});
afterAll(() => world[Symbol.asyncDispose]());

const ask = (content: string, more: object = {}, agent = world) =>
  agent.post("/v1/messages", {
    model: "guardhouse/echo",
    max_tokens: 9,
    messages: [{ role: "user", content }],
    ...more,
  });
const TOOLS = { tools: [{ name: "look_up", input_schema: { type: "object" } }] };
const CALL = 'Call look_up {"q":"x"}';

describe("an agent's profile over Messages", () => {
  test("limits, models and stops have the types that clients decide by", async () => {
    verifies("messages.errors");
    const typeOf = async (agent: EnforcementWorld, more: object = {}) => {
      const { status, headers, json } = await ask("Hi", more, agent);
      return [status, json.error?.type, headers.get("x-should-retry")];
    };
    const perMinute = await world.another();
    await perMinute.govern({ limits: limitsOf({ requests_per_minute: 1 }) });
    expect(await typeOf(perMinute)).toEqual([200, undefined, null]);
    expect(await typeOf(perMinute)).toEqual([429, "rate_limit_error", null]);
    const perDay = await world.another();
    await perDay.govern({ limits: limitsOf({ requests_per_day: 1 }) });
    expect(await typeOf(perDay)).toEqual([200, undefined, null]);
    expect(await typeOf(perDay)).toEqual([429, "billing_error", "false"]);
    const narrow = await world.another();
    await narrow.govern({ models: { allow: ["other-*"], deny: [], max_output_tokens: null } });
    expect(await typeOf(narrow)).toEqual([403, "permission_error", "false"]);
    const short = await world.another();
    await short.govern({ models: { allow: ["*"], deny: [], max_output_tokens: 100 } });
    expect(await typeOf(short, { max_tokens: 101 })).toEqual([400, "invalid_request_error", "false"]);
  });

  test("a block answered as a completion is a refusal, whole and streamed", async () => {
    verifies("messages.stream-block");
    await world.govern({ block_response: "completion" });
    const refusal = { stop_reason: "refusal", stop_details: { type: "refusal", explanation: expect.any(String) } };
    const whole = await ask(`My key is ${SECRETS.awsAccessKey}`);
    expect(whole.status).toBe(200);
    expect(whole.json).toMatchObject({ type: "message", role: "assistant", content: [], ...refusal });
    const { world: hubs } = world;
    const streamed = await hubs.hub.fetch("/v1/messages", {
      token: hubs.tokens.agent,
      json: {
        model: "guardhouse/echo",
        max_tokens: 9,
        stream: true,
        messages: [{ role: "user", content: SECRETS.awsAccessKey }],
      },
    });
    const events = dataOf(await streamed.text()).map((data) => JSON.parse(data));
    expect([streamed.status, events.map(({ type }) => type)]).toEqual([
      200,
      ["message_start", "message_delta", "message_stop"],
    ]);
    expect(events[1].delta).toMatchObject(refusal);
  });

  test("a tool call that a person has to approve is held, whole and streamed", async () => {
    verifies("messages.errors", "messages.stream-block");
    await world.govern({ tools: toolsOf({ require_human: ["look_up"] }) });
    const whole = await ask(CALL, TOOLS);
    expect([whole.status, whole.json.error.guard.action]).toEqual([400, "hold"]);
    const { world: hubs } = world;
    const json = { model: "guardhouse/echo", max_tokens: 9, stream: true, messages: [{ role: "user", content: CALL }] };
    const streamed = await hubs.hub.fetch("/v1/messages", { token: hubs.tokens.agent, json: { ...json, ...TOOLS } });
    const text = await streamed.text();
    expect(text).not.toContain("tool_use");
    const end = dataOf(text)
      .map((data) => JSON.parse(data))
      .at(-2);
    expect(end).toMatchObject({ delta: { stop_reason: "refusal" }, guardhouse: { guard: { action: "hold" } } });
  });
});
