import { expect, test } from "bun:test";
import type { JsonRecord } from "#core/json/json";
import { turnedOnIn } from "#features/model-calls/governed";
import type { ModelApi } from "#guard/apis/api";
import { CHAT } from "#guard/apis/chat";
import { MESSAGES } from "#guard/apis/messages";
import { RESPONSES } from "#guard/apis/responses";
import { verifies } from "#test/support/verifies";

const MANY = 1_000;
const many = (definition: object): object[] => Array.from({ length: MANY }, () => definition);

/** Steps that it takes, and what is found. */
const looked = ({ request }: Pick<ModelApi, "request">, body: JsonRecord) => {
  const work = turnedOnIn(request, body);
  for (let steps = 0; ; steps += 1) {
    const { done, value } = work.next();
    if (done) return { steps, types: value?.map(({ type }) => type) };
  }
};

test("each definition of a request is looked at in a step of its own, whether the client or the provider runs the tool", () => {
  verifies("fairness.long-texts", "models.server-tools");
  const search = { type: "web_search" };
  const inChat = [...many({ type: "function", function: { name: "f" } }), search];
  expect(looked({ request: CHAT.request }, { tools: inChat })).toEqual({ steps: MANY + 1, types: ["web_search"] });
  const inResponses = [...many({ type: "function", name: "f" }), search];
  const added = { type: "additional_tools", tools: many({ type: "custom", name: "c" }) };
  expect(looked({ request: RESPONSES.request }, { tools: inResponses, input: [added] })).toEqual({
    steps: 2 * MANY + 1,
    types: ["web_search"],
  });
  const inMessages = [...many({ name: "f", input_schema: {} }), { type: "web_search_20250305", name: "web_search" }];
  expect(looked({ request: MESSAGES.request }, { tools: inMessages })).toEqual({
    steps: MANY + 1,
    types: ["web_search"],
  });
});

test("each item of a request is a step, where what its provider keeps is looked for", () => {
  verifies("fairness.long-texts", "responses.items");
  const input = [...many({ role: "user", content: "Hi" }), { type: "item_reference", id: "msg_1" }];
  const found = [...(RESPONSES.request.keptState?.({ input }) ?? [])];
  expect(found).toHaveLength(MANY + 1);
  expect(found.filter((one) => one !== null)).toEqual([{ param: `input[${MANY}]`, kind: "item", id: "msg_1" }]);
});
