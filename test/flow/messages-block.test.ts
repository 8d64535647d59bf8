import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { SECRETS } from "#test/scan/samples";
import { answersMessage } from "#test/support/message-script";
import { verifies } from "#test/support/verifies";
import { MODEL } from "./chat-world";
import { MessagesWorld, type StreamedMessage } from "./messages-world";

const RULES = [{ type: "secret.aws_access_key", origins: ["output"], thresholds: { block: 0.5 } }];
const KEY = SECRETS.awsAccessKey;
const [HALF, REST] = [KEY.slice(0, 10), KEY.slice(10)];

let world: MessagesWorld;
beforeAll(async () => {
  world = await MessagesWorld.open({ env: { GUARDHOUSE_GUARD__RULES: JSON.stringify(RULES) } });
});
afterAll(() => world[Symbol.asyncDispose]());

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/;

/** The stream ends as Anthropic ends a refusal, and holds nothing of the key. */
const expectRefusal = (stream: StreamedMessage): void => {
  const [delta, stop] = stream.events.slice(-2);
  expect(delta).toMatchObject({
    type: "message_delta",
    delta: {
      stop_reason: "refusal",
      stop_details: { type: "refusal", category: null, explanation: expect.stringMatching(UUID) },
    },
    guardhouse: { event_id: expect.stringMatching(UUID), guard: { stage: "output", action: "block" } },
  });
  expect(stop).toEqual({ type: "message_stop" });
  expect(stream.text).not.toContain(HALF.slice(0, 8));
};

describe("a block in the middle of a streamed message", () => {
  test("closes the open block and ends the message as a refusal", async () => {
    verifies("messages.stream-block");
    const text = ["Here you are. The key is a long one ", HALF, REST, " as you asked."];
    world.provider.next(answersMessage([{ text }]));
    const stream = await world.sendStreamed();
    expectRefusal(stream);
    expect(stream.types.slice(0, 2)).toEqual(["message_start", "content_block_start"]);
    expect(stream.types.slice(-3)).toEqual(["content_block_stop", "message_delta", "message_stop"]);
    expect(stream.said("text")).toStartWith("Here you are.");
    const { final } = await world.recordsOf(stream.response);
    expect(final.outcome).toBe("blocked_output");
    expect(stream.text).toContain(final.call.event_id ?? "none");
  });

  test("a tool call that is blocked never appears, not even its name", async () => {
    verifies("messages.stream-block", "messages.stream");
    world.provider.next(answersMessage([{ text: "I will save it." }, { tool: "save_key", input: { key: KEY } }]));
    const stream = await world.sendStreamed();
    expectRefusal(stream);
    expect(stream.text).not.toContain("tool_use");
    expect(stream.text).not.toContain("save_key");
    expect(stream.types.filter((type) => type === "content_block_start")).toHaveLength(1);
    expect(stream.types.filter((type) => type === "content_block_stop")).toHaveLength(1);
  });

  test("Anthropic's client ends the turn without an error", async () => {
    verifies("messages.stream-block");
    world.provider.next(answersMessage([{ text: ["The key: ", HALF, REST] }]));
    const messages = [{ role: "user" as const, content: "Hi" }];
    const message = await world
      .anthropic({ maxRetries: 2 })
      .messages.stream({ model: MODEL, max_tokens: 9, messages })
      .finalMessage();
    expect(message.stop_reason).toBe("refusal");
    expect(message.stop_details?.explanation).toMatch(UUID);
    expect(JSON.stringify(message)).not.toContain(HALF);
  });

  test("a whole answer is an error with the event", async () => {
    verifies("messages.errors");
    world.provider.next(answersMessage([{ text: `The key: ${KEY}` }]));
    const response = await world.send("Hi");
    expect([response.status, response.headers.get("x-should-retry")]).toEqual([400, "false"]);
    const body = await response.json();
    expect(body.error).toMatchObject({ type: "invalid_request_error", guard: { stage: "output", action: "block" } });
    expect(body.error.event_id).toBe(response.headers.get("x-guard-event-id"));
    expect(body.error.message).toStartWith("content[0].text");
  });
});
