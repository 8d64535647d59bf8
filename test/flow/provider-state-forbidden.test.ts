import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { fails } from "#test/support/fake-provider";
import { verifies } from "#test/support/verifies";
import { EnforcementWorld, type Reply } from "./enforcement-world";
import { outputText, responds } from "./responses-world";
import { MODEL } from "./restricted-world";

let world: EnforcementWorld;
beforeAll(async () => {
  world = await EnforcementWorld.open();
});
afterAll(() => world[Symbol.asyncDispose]());

const FORBID = { provider_state: "forbid" } as const;
const REASONING = "reasoning.encrypted_content";

const ask = (body: object = {}): Promise<Reply> => {
  world.provider.next(responds([outputText("Good morning.")]));
  return world.post("/v1/responses", { model: MODEL, input: "Hello", ...body });
};
/** What the provider got. */
const sent = () => world.provider.lastCall.body;

describe("where a profile forbids state at the provider", () => {
  beforeAll(() => world.govern(FORBID));

  test("nothing is stored, and reasoning is asked for where nothing else is", async () => {
    verifies("responses.state-forbidden");
    for (const store of [undefined, true, false, null]) {
      expect((await ask({ store })).status).toBe(200);
      expect(sent()).toMatchObject({ store: false, include: [REASONING] });
    }
    const include = ["message.output_text.logprobs"];
    await ask({ include });
    expect(sent()).toMatchObject({ store: false, include });
    await world.chat({ store: true });
    expect(sent()["store"]).toBe(false);
  });

  test("what would use it is refused, each with its place and the rule", async () => {
    verifies("responses.state-forbidden");
    const asked = world.provider.calls.length;
    const used: readonly [string, object][] = [
      ["previous_response_id", { previous_response_id: "resp_0123" }],
      ["conversation", { conversation: "conv_0123" }],
      ["conversation", { conversation: { id: "conv_0123" } }],
      ["background", { background: true }],
      [
        "input[1]",
        {
          input: [
            { role: "user", content: "Hi" },
            { type: "item_reference", id: "msg_0123" },
          ],
        },
      ],
      ["input[0]", { input: [{ id: "msg_0123" }] }],
    ];
    for (const [param, body] of used) {
      const { status, json } = await world.post("/v1/responses", { model: MODEL, input: "Hello", ...body });
      expect([status, json.error.code, json.error.param, json.error.guard.rule]).toEqual([
        ...[400, "parameter_not_allowed", param, "provider_state"],
      ]);
    }
    const compact = { model: MODEL, previous_response_id: "resp_0123" };
    expect((await world.post("/v1/responses/compact", compact)).json.error.param).toBe("previous_response_id");
    expect(world.provider.calls.length).toBe(asked);
  });

  test("a model without reasoning is asked again without it, a client's own wish stands", async () => {
    verifies("responses.state-forbidden");
    const error = { message: "Encrypted content is not supported with this model.", param: "include" };
    const refusal = fails(400, { body: { error } });
    world.provider.next(refusal);
    expect((await ask()).status).toBe(200);
    expect(sent()["include"]).toBeUndefined();
    world.provider.next(refusal);
    const asked = world.client().responses.create({ model: MODEL, input: "Hello", include: [REASONING] });
    await expect(asked.asResponse()).rejects.toMatchObject({ status: 400, code: "upstream_rejected" });
  });
});

test("a profile that only watches refuses and changes nothing, and records what it would have refused", async () => {
  verifies("responses.state-forbidden");
  await world.govern({ ...FORBID, mode: "monitor" });
  await ask({ store: true });
  expect(sent()["store"]).toBe(true);
  expect(sent()["include"]).toBeUndefined();
});

test("under such a profile a kept response may be ended and deleted, and nothing else", async () => {
  verifies("responses.state-forbidden");
  await world.govern();
  const { json } = await ask();
  await world.govern(FORBID);
  for (const rest of ["", "/input_items"]) {
    const { status, json: refused } = await world.get(`/v1/responses/${json.id}${rest}`);
    expect([status, refused.error.code, refused.error.param]).toEqual([400, "parameter_not_allowed", "response_id"]);
  }
  const asked = world.provider.calls.length;
  world.provider.next(responds([], { status: "cancelled" }));
  expect((await world.post(`/v1/responses/${json.id}/cancel`, {})).status).toBe(200);
  expect(world.provider.calls.slice(asked).map(({ path, text }) => [path, text])).toEqual([
    ["/v1/responses/resp_0123/cancel", ""],
  ]);
});
