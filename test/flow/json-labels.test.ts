import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { says } from "#test/support/fake-provider";
import { numbered, numberedIn } from "#test/support/labels";
import { verifies } from "#test/support/verifies";
import { ChatWorld, MODEL } from "./chat-world";

const CARD = "4539148803436467";

let world: ChatWorld;
beforeAll(async () => {
  world = await ChatWorld.open();
});
afterAll(() => world[Symbol.asyncDispose]());

const ASKED = {
  model: MODEL,
  messages: [{ role: "user" as const, content: "Read the order form." }],
  response_format: {
    type: "json_schema" as const,
    json_schema: {
      name: "order",
      strict: true,
      schema: { type: "object", properties: { card_number: { type: "integer" }, note: { type: "string" } } },
    },
  },
};
const ANSWER = `{"card_number": ${CARD}, "total": 12.50, "note": "Credit card ${CARD}, caf\\u00e9"}`;
const READ = { card_number: "[pii.credit_card:1]", total: 12.5, note: "Credit card [pii.credit_card:1], café" };
/** As models send it: some units at a time. */
const pieces = (text: string, size: number): string[] => text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];

describe("OpenAI's client reads JSON answers in which something was redacted", () => {
  test("a whole answer, parsed", async () => {
    verifies("scan.json-labels", "chat.openai-client");
    world.provider.next(says(ANSWER));
    const completion = await world.client().chat.completions.parse(ASKED);
    const message = completion.choices[0]?.message;
    expect(numberedIn(message?.parsed)).toEqual(READ);
    expect(numbered(message?.content ?? "")).toBe(
      ANSWER.replace(CARD, '"[pii.credit_card:1]"').replace(CARD, "[pii.credit_card:1]"),
    );
  });

  test.each([1, 3, 7, 200])("a stream of pieces of %d, parsed at its end", async (size) => {
    verifies("scan.json-labels", "stream.redact");
    world.provider.next(says(pieces(ANSWER, size)));
    const stream = world.client().chat.completions.stream(ASKED);
    const completion = await stream.finalChatCompletion();
    expect(numberedIn(completion.choices[0]?.message.parsed)).toEqual(READ);
  });

  test("in a Markdown fence, whole and streamed", async () => {
    const fenced = `\`\`\`json\n${ANSWER}\n\`\`\``;
    for (const content of [fenced, pieces(fenced, 4)]) {
      world.provider.next(says(content));
      const asked = { model: MODEL, messages: ASKED.messages };
      const text =
        typeof content === "string"
          ? (await world.client().chat.completions.create(asked)).choices[0]?.message.content
          : await world.client().chat.completions.stream(asked).finalContent();
      expect(numberedIn(JSON.parse(text?.slice(8, -4) ?? ""))).toEqual(READ);
    }
  });

  test("tool results and earlier answers reach the provider as valid JSON", async () => {
    verifies("scan.json-labels");
    world.provider.next(says("Noted."));
    await world.client().chat.completions.create({
      model: MODEL,
      messages: [
        { role: "user", content: "Read the order form." },
        { role: "assistant", content: ANSWER },
        {
          role: "assistant",
          tool_calls: [{ id: "c", type: "function", function: { name: "read", arguments: "{}" } }],
        },
        { role: "tool", tool_call_id: "c", content: ANSWER },
      ],
    });
    const { messages } = JSON.parse(world.provider.lastCall.text);
    expect(numberedIn(JSON.parse(messages[1].content))).toEqual(READ);
    expect(messages[3].content).toEqual(messages[1].content);
  });
});
