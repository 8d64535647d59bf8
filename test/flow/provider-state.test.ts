import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { createOpenAI } from "@ai-sdk/openai";
import { generateText } from "ai";
import { verifies } from "#test/support/verifies";
import { MODEL, StateWorld } from "./provider-state-world";

let world: StateWorld;
beforeAll(async () => {
  world = await StateWorld.open();
});
afterAll(() => world[Symbol.asyncDispose]());
beforeEach(() => world.first.says("Good morning."));

const HELLO = { model: MODEL, input: "Hello" };
const create = (token = "eve", body: object = {}) => world.client(token).responses.create({ ...HELLO, ...body });

describe("ids of responses", () => {
  test("are the hub's own, and continue what they name at its provider", async () => {
    verifies("responses.own-ids");
    const first = await create();
    expect(first.id).toMatch(/^resp_[\w-]{40,300}$/);
    expect(JSON.stringify(first)).not.toContain("KEPT");
    const second = await create("eve", { previous_response_id: first.id });
    expect(second.previous_response_id).toBe(first.id);
    expect(second.id).not.toBe(first.id);
    const { previous_response_id: sent } = world.first.last.body;
    expect([...world.first.kept.keys()].at(-2)).toBe(`${sent}`);
  });

  test("lead to the provider that keeps the response, whatever comes first", async () => {
    verifies("responses.own-ids");
    const kept = await create("eve", { model: "other-model" });
    const asked = world.first.requests.length;
    await create("eve", { model: MODEL, previous_response_id: kept.id });
    expect(world.second.last.body["previous_response_id"]).toBe([...world.second.kept.keys()][0]);
    expect(world.first.requests.length).toBe(asked);
    const elsewhere = await create();
    const { status, body } = await world.call("POST", "/v1/responses", {
      json: { ...HELLO, model: "other-model", previous_response_id: elsewhere.id },
    });
    expect([status, body.error.param]).toEqual([404, "previous_response_id"]);
  });

  test("of others, of the provider, and made up, are unknown", async () => {
    verifies("responses.own-ids");
    const { id } = await create();
    const raw = [...world.first.kept.keys()].at(-1) ?? "";
    const asked = world.first.requests.length;
    const mine = [raw, "resp_0123", `${id}A`, `${id.slice(0, -2)}AA`, id.slice(5), `${id}=`, "resp_", ""];
    const tried: [string, string][] = [
      ...mine.map((one): [string, string] => ["eve", one]),
      ["mallory", id],
      ["helper", id],
    ];
    for (const [token, previous_response_id] of tried) {
      for (const path of ["/v1/responses", "/v1/responses/compact"]) {
        const { status, body } = await world.call("POST", path, { token, json: { ...HELLO, previous_response_id } });
        expect([previous_response_id, status, body.error]).toEqual([
          ...[previous_response_id, 404],
          expect.objectContaining({ code: "not_found", param: "previous_response_id" }),
        ]);
      }
    }
    const conversation = await world.call("POST", "/v1/responses", { json: { ...HELLO, conversation: "conv_1" } });
    expect([conversation.status, conversation.body.error.param]).toEqual([404, "conversation"]);
    expect(world.first.requests.length).toBe(asked);
    const own = await create("helper");
    await create("helper", { previous_response_id: own.id });
  });

  test("are the same after a restart; what the provider says of its own is said of the caller's", async () => {
    verifies("responses.own-ids");
    const { id } = await create();
    await world.hub.restart();
    await create("eve", { previous_response_id: id });
    world.first.kept.clear();
    const again = create("eve", { previous_response_id: id });
    const failed: unknown = await again.asResponse().catch((error: unknown) => error);
    expect(failed).toMatchObject({ status: 400, message: expect.stringContaining(`'${id}' not found`) });
    expect(`${failed}`).not.toContain("KEPT");
  });
});

describe("items by their id", () => {
  const about = (...ids: string[]) => [...ids.map((id) => ({ type: "item_reference" as const, id })), QUESTION];
  const QUESTION = { role: "user" as const, content: "And?" };

  test("lead to the provider that keeps them, streamed or not", async () => {
    verifies("responses.items");
    const { output } = await create("eve", { model: "other-model" });
    const [item] = output;
    await create("eve", { input: about(`${item?.id}`) });
    expect(world.second.last.body["input"]).toEqual(about(`${item?.id}`));
    world.first.itemId = "msg_streamed";
    await Array.fromAsync(await world.client().responses.create({ ...HELLO, stream: true }));
    await create("eve", { input: about("msg_streamed") });
    expect(world.first.last.body["input"]).toEqual(about("msg_streamed"));
  });

  test("let the Vercel AI SDK go on as it does without the hub", async () => {
    verifies("responses.items");
    const openai = createOpenAI({ baseURL: `${world.hub.url}/v1`, apiKey: world.tokenOf("eve") });
    const model = openai.responses(MODEL);
    world.first.itemId = "msg_sdk";
    const { response } = await generateText({ model, prompt: "Hello" });
    const again = { role: "user" as const, content: "And?" };
    const { text } = await generateText({ model, messages: [...response.messages, again] });
    expect(text).toBe("Good morning.");
    expect(world.first.last.body["input"]).toMatchObject([{ type: "item_reference", id: "msg_sdk" }, { role: "user" }]);
  });

  test("of reasoning is sent to the provider that made it, and not by others", async () => {
    verifies("responses.items");
    world.second.itemId = "rs_second";
    await create("eve", { model: "other-model" });
    const reasoning = (id: string) => [{ type: "reasoning" as const, id, summary: [] }, QUESTION];
    await create("eve", { input: reasoning("rs_second") });
    expect(world.second.last.body["input"]).toEqual(reasoning("rs_second"));
    await create("eve", { input: reasoning("rs_elsewhere") });
    expect(world.first.last.body["input"]).toEqual(reasoning("rs_elsewhere"));
    const json = { ...HELLO, input: reasoning("rs_second") };
    expect((await world.call("POST", "/v1/responses", { token: "mallory", json })).status).toBe(404);
  });

  test("of others, of several providers and unknown ones are not found", async () => {
    verifies("responses.items");
    world.first.itemId = "msg_first";
    world.second.itemId = "msg_second";
    const first = await create();
    await create("eve", { model: "other-model" });
    const asked = world.first.requests.length + world.second.requests.length;
    const tried: [string, string, object][] = [
      ["eve", "input[0]", { input: about("msg_unknown") }],
      ["eve", "input[0]", { input: [{ id: "msg_unknown" }] }],
      ["eve", "input[0]", { input: [{ type: null, id: "msg_unknown" }] }],
      ["mallory", "input[0]", { input: about("msg_first") }],
      ["helper", "input[0]", { input: about("msg_first") }],
      ["eve", "input[1]", { input: about("msg_first", "msg_second") }],
      ["eve", "input[0]", { previous_response_id: first.id, input: about("msg_second") }],
    ];
    for (const [token, param, json] of tried) {
      const { status, body } = await world.call("POST", "/v1/responses", { token, json: { ...HELLO, ...json } });
      expect([json, status, body.error.code, body.error.param]).toEqual([json, 404, "not_found", param]);
    }
    expect(world.first.requests.length + world.second.requests.length).toBe(asked);
  });
});

test("a streamed response is continued and retrieved by the id that all of its events say", async () => {
  verifies("responses.own-ids", "responses.retrieved");
  const ids = new Set<string>();
  const first = await create();
  const asked = { ...HELLO, previous_response_id: first.id, stream: true as const };
  for await (const event of await world.client().responses.create(asked)) {
    expect(JSON.stringify(event)).not.toContain("KEPT");
    if (!("response" in event)) continue;
    ids.add(event.response.id);
    expect(event.response.previous_response_id).toBe(first.id);
  }
  const [id = ""] = ids;
  expect([...ids]).toEqual([id]);
  expect(await world.client().responses.retrieve(id)).toMatchObject({ id, output_text: "Good morning." });
  await create("eve", { previous_response_id: id });
});
