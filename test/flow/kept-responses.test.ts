import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { PERSONAL, SECRETS } from "#test/scan/samples";
import { verifies } from "#test/support/verifies";
import { MODEL, StateWorld } from "./provider-state-world";

let world: StateWorld;
beforeAll(async () => {
  world = await StateWorld.open();
});
afterAll(() => world[Symbol.asyncDispose]());
beforeEach(() => world.first.says("Good morning."));

const create = (body: object = {}) => world.client().responses.create({ model: MODEL, input: "Hello", ...body });

describe("a response that the provider keeps", () => {
  test("is retrieved, its input listed, and deleted, by OpenAI's client", async () => {
    verifies("responses.retrieved");
    const client = world.client();
    const { id: first } = await create();
    const { id } = await create({ previous_response_id: first });
    const got = await client.responses.retrieve(id, { include: ["message.output_text.logprobs"] });
    expect(got).toMatchObject({ id, previous_response_id: first, status: "completed", output_text: "Good morning." });
    expect(new URLSearchParams(world.first.last.search).getAll("include[]")).toEqual(["message.output_text.logprobs"]);
    const { data } = await client.responses.inputItems.list(id, { limit: 5, order: "asc", after: "msg_1" });
    expect(data).toMatchObject([{ role: "user" }]);
    expect(world.first.last.search).toBe("?limit=5&order=asc&after=msg_1");
    const { status, body } = await world.call("DELETE", `/v1/responses/${id}`);
    expect([status, body]).toEqual([200, { id, object: "response.deleted", deleted: true }]);
    const gone: unknown = await client.responses
      .retrieve(id)
      .asResponse()
      .catch((error: unknown) => error);
    expect(gone).toMatchObject({ status: 404, message: expect.stringContaining(`'${id}' not found`) });
    expect(`${gone}`).not.toContain("KEPT");
    const sent = world.first.requests.filter(({ method }) => method !== "POST");
    expect(sent.map(({ body: posted }) => posted)).toEqual(sent.map(() => ({})));
  });

  test("is made in the background, polled and cancelled", async () => {
    verifies("responses.background");
    const client = world.client();
    const begun = await create({ background: true });
    expect(begun.status).toBe("queued");
    expect((await client.responses.retrieve(begun.id)).status).toBe("queued");
    expect(await client.responses.retrieve(begun.id)).toMatchObject({ id: begun.id, output_text: "Good morning." });
    const other = await create({ background: true });
    expect(await client.responses.cancel(other.id)).toMatchObject({ id: other.id, status: "cancelled" });
    expect(world.first.last.path).toEndWith("/cancel");
  });

  test("is scanned and recorded like a new answer", async () => {
    verifies("responses.kept-scanned");
    const client = world.client();
    const redacted = await create({ background: true });
    world.first.says(`Write to ${PERSONAL.email}.`);
    await client.responses.retrieve(redacted.id);
    const { data, response } = await client.responses.retrieve(redacted.id).withResponse();
    expect(data.output_text).toMatch(/^Write to \[pii\.email:\w+\]\.$/);
    expect(response.headers.get("x-guard-action")).toBe("redact");
    const found = await world.recordOf(response);
    expect(found).toMatchObject({ kind: "responses.retrieve", outcome: "answered", call: { provider: "one" } });
    const { id } = await create({ input: "Hello" });
    const kept = [...world.first.kept.values()].at(-1);
    Object.assign(Array.isArray(kept?.input) ? kept.input[0] : {}, { content: `I am ${PERSONAL.email}.` });
    const listed = await world.call("GET", `/v1/responses/${id}/input_items`);
    expect(listed.text).toMatch(/\[pii\.email:\w+\]/);
    expect(listed.text).not.toContain(PERSONAL.email);
  });

  test("is nobody else's, and nothing but a response", async () => {
    verifies("responses.own-ids", "responses.retrieved");
    const { id } = await create();
    const raw = [...world.first.kept.keys()].at(-1) ?? "";
    const asked = world.first.requests.length;
    const tried = [
      ...[raw, "resp_1", `${id}A`, `${id}%20`].map((one) => ["eve", one] as const),
      ...(["mallory", "helper"] as const).map((token) => [token, id] as const),
    ];
    for (const [token, one] of tried) {
      for (const [method, rest] of CALLS) {
        const { status, body } = await world.call(method, `/v1/responses/${one}${rest}`, { token });
        expect([one, method, rest, status]).toEqual([one, method, rest, 404]);
        expect(body.error.code).toBe("not_found");
      }
    }
    expect(world.first.requests.length).toBe(asked);
  });

  test("is asked for with what the API has in its query, and nothing else", async () => {
    verifies("responses.retrieved");
    const { id } = await create();
    const refused = async (query: string) => {
      const { status, body } = await world.call("GET", `/v1/responses/${id}?${query}`);
      return [status, body.error?.code, body.error?.param];
    };
    expect(await refused("stream=false")).toEqual([200, undefined, undefined]);
    expect(await refused("stream=yes")).toEqual([400, "invalid_value", "stream"]);
    expect(await refused("api-version=1")).toEqual([400, "parameter_not_allowed", null]);
    expect(await refused("admin=1")).toEqual([400, "parameter_not_allowed", "admin"]);
    expect(await refused(`include=${encodeURIComponent("a b&c=d")}`)).toEqual([400, "invalid_value", "include"]);
    const items = await world.call("GET", `/v1/responses/${id}/input_items?after=${SECRETS.openai}`);
    expect([items.status, items.body.error.code]).toEqual([400, "content_filter"]);
  });

  test("of the echo is not kept", async () => {
    verifies("responses.retrieved");
    const { id } = await create({ model: "guardhouse/echo" });
    expect((await world.call("GET", `/v1/responses/${id}`)).status).toBe(404);
  });
});

const CALLS = [
  ["GET", ""],
  ["DELETE", ""],
  ["POST", "/cancel"],
  ["GET", "/input_items"],
] as const;
