import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { encode } from "gpt-tokenizer/encoding/cl100k_base";
import OpenAI from "openai";
import { verifies } from "#test/support/verifies";
import { EMBEDDING_MODEL, json, KEY, MAIL, SmallApisWorld } from "./small-apis-world";

let world: SmallApisWorld;
beforeAll(async () => {
  world = await SmallApisWorld.open();
});
afterAll(() => world[Symbol.asyncDispose]());

const listOf = (embeddings: readonly unknown[], extra: object = {}) => ({
  object: "list",
  data: embeddings.map((embedding, index) => ({ object: "embedding", index, embedding })),
  model: EMBEDDING_MODEL,
  usage: { prompt_tokens: 5, total_tokens: 5 },
  ...extra,
});
const VECTOR = [0.123456789, -0.5, 1.5e-8, 0];
const base64 = (vector: readonly number[]): string => Buffer.from(Float32Array.from(vector).buffer).toString("base64");
const LABEL = /\[pii\.email:[^\]]+\]/;

describe("OpenAI's client", () => {
  test("embeds a string and strings, in base64 as it asks for by itself and in numbers", async () => {
    verifies("embeddings.client");
    const long = Array.from({ length: 64 }, (_, at) => at / 64);
    world.provider.next(json(listOf([base64(long)])), json(listOf([VECTOR, VECTOR])));
    const own = await world.client().embeddings.create({ model: EMBEDDING_MODEL, input: "Hello there" });
    expect(world.received).toEqual({ model: EMBEDDING_MODEL, input: "Hello there", encoding_format: "base64" });
    expect(own.data[0]?.embedding).toEqual(long);
    const input = ["Hello there", "And here"];
    const many = await world.client().embeddings.create({ model: EMBEDDING_MODEL, input, encoding_format: "float" });
    expect(many.data.map(({ embedding }) => embedding)).toEqual([VECTOR, VECTOR]);
    expect(world.provider.lastCall.path).toBe("/v1/embeddings");
  });

  test("embeds token ids, which arrive as they were sent", async () => {
    verifies("embeddings.client", "embeddings.token-ids");
    world.provider.always(json(listOf([VECTOR])));
    const ids = encode("Hello there, this is plain.");
    for (const input of [ids, [ids, ids.slice(3)]]) {
      await world.client().embeddings.create({ model: EMBEDDING_MODEL, input, encoding_format: "float" });
      expect(world.received["input"]).toEqual(input);
    }
  });

  test("gets the same vectors from the built-in model, in both forms", async () => {
    verifies("embeddings.client");
    const client = world.client();
    const ask = (input: string | number[], encoding_format?: "float") =>
      client.embeddings.create({ model: "guardhouse/echo", input, ...(encoding_format && { encoding_format }) });
    const [one, same, other, ids] = [
      ...[await ask("Hello"), await ask("Hello", "float"), await ask("Bye"), await ask(encode("Hello you"))],
    ].map((answer) => answer?.data[0]?.embedding);
    expect(one).toEqual(same);
    expect(one).not.toEqual(other);
    expect(ids?.length).toBe(64);
    expect(Math.hypot(...(one ?? []))).toBeCloseTo(1, 5);
  });

  test("sees a block as a refused request, and no provider hears of it", async () => {
    verifies("embeddings.scanned");
    const before = world.provider.calls.length;
    for (const input of [`Key ${KEY}`, ["Hello", `Key ${KEY}`], encode(`Key ${KEY}`), [encode(`Key ${KEY}`)]]) {
      const error = await world
        .client()
        .embeddings.create({ model: EMBEDDING_MODEL, input })
        .then(
          () => null,
          (thrown: unknown) => thrown,
        );
      expect(error).toBeInstanceOf(OpenAI.BadRequestError);
      expect(error).toMatchObject({ code: "content_filter" });
      expect(String(error)).not.toContain(KEY);
    }
    expect(world.provider.calls.length).toBe(before);
  });
});

describe("texts", () => {
  test("are redacted wherever they stand, token ids as strings", async () => {
    verifies("embeddings.scanned", "embeddings.token-ids");
    world.provider.always(json(listOf([VECTOR])));
    const text = `Write to ${MAIL} please`;
    const cases: readonly (readonly [input: unknown, arrived: unknown])[] = [
      [text, expect.stringMatching(LABEL)],
      [
        ["Plain text", text],
        ["Plain text", expect.stringMatching(LABEL)],
      ],
      [encode(text), expect.stringMatching(LABEL)],
      [
        [encode("Plain text"), encode(text), encode("no")],
        ["Plain text", expect.stringMatching(LABEL), "no"],
      ],
    ];
    for (const [input, arrived] of cases) {
      const response = await world.post("/v1/embeddings", { model: EMBEDDING_MODEL, input, user: `Me, ${MAIL}` });
      expect(response.status).toBe(200);
      expect(response.headers.get("x-guard-action")).toBe("redact");
      expect(world.received).toEqual({ model: EMBEDDING_MODEL, input: arrived, user: expect.stringMatching(LABEL) });
      expect(world.provider.lastCall.text).not.toContain(MAIL);
    }
  });

  test("as token ids of an unknown encoding, and what is no token, are refused", async () => {
    verifies("embeddings.token-ids");
    const before = world.provider.calls.length;
    const refused = async (model: string, input: unknown) => {
      const response = await world.post("/v1/embeddings", { model, input });
      return [response.status, (await response.json()).error];
    };
    const error = { code: "invalid_value", param: expect.stringMatching(/^input/) };
    for (const [model, input] of [
      ["fake-embedder", [1, 2, 3]],
      ["fake-embedder", [[1, 2, 3]]],
      [EMBEDDING_MODEL, [1, "two"]],
      [EMBEDDING_MODEL, [100_270]],
      [EMBEDDING_MODEL, [[[1]]]],
      [EMBEDDING_MODEL, [[[[1]]]]],
    ] as const) {
      expect(await refused(model, input)).toEqual([400, expect.objectContaining(error)]);
    }
    expect(world.provider.calls.length).toBe(before);
  });

  test("a redaction is on record as a call of its kind, and can be disputed", async () => {
    verifies("embeddings.scanned");
    world.provider.always(json(listOf([VECTOR])));
    const input = encode(`Write to ${MAIL} please`);
    const response = await world.post(
      "/v1/embeddings",
      { model: EMBEDDING_MODEL, input },
      { "x-conversation-id": "e-1" },
    );
    const record = await world.recordOf(response.headers.get("x-request-id"));
    expect(record.kind).toBe("embedding");
    expect(record.call).toMatchObject({
      action: "redact",
      model: EMBEDDING_MODEL,
      conversation_id: "e-1",
      usage: { prompt_tokens: 5, completion_tokens: 0, total_tokens: 5 },
      coverage: { input: { unscanned: [] }, output: { texts: 0, unscanned: [] } },
    });
    expect(record.call.flags.map(({ type, param, origin }) => [type, param, origin])).toEqual([
      ["pii.email", "input", "user"],
    ]);
    const dispute = await world.post("/v1/guard/disputes", {
      event_id: record.call.event_id,
      user_reason: "Ours.",
      message_content: `Write to ${MAIL} please`,
    });
    expect(dispute.status).toBe(201);
  });
});

describe("an answer", () => {
  test("leaves byte for byte as it came", async () => {
    verifies("embeddings.vectors");
    const bytes = `{ "object":"list", "data" : [{"index":0,"embedding": [0.10, 1E-5,\n -0.0 ]}, {"embedding":"${base64(
      Array.from({ length: 16 }, (_, at) => at),
    )}","index":1}], "usage": {"prompt_tokens":5,"total_tokens":5} }`;
    world.provider.next(() => ({
      ...json({})({ model: "", stream: false, includeUsage: false }),
      writes: [Buffer.from(bytes)],
    }));
    const response = await world.post("/v1/embeddings", { model: EMBEDDING_MODEL, input: "Hello" });
    expect(await response.text()).toBe(bytes);
  });

  test("is scanned beside its vectors, which stay what they are where something is redacted", async () => {
    verifies("embeddings.vectors");
    const long = base64(Array.from({ length: 64 }, (_, at) => at / 3));
    const answer = listOf([VECTOR, long, `Ask ${MAIL}`], { note: `Ask ${MAIL}`, mark: "guardhouse:vector:0" });
    world.provider.next(json(answer));
    const response = await world.post("/v1/embeddings", { model: EMBEDDING_MODEL, input: "Hello" });
    const text = await response.text();
    expect(text).not.toContain(MAIL);
    expect(text).toContain(JSON.stringify(VECTOR));
    expect(JSON.parse(text)).toEqual({
      ...listOf([VECTOR, long, expect.stringMatching(LABEL)]),
      note: expect.stringMatching(LABEL),
      mark: "guardhouse:vector:0",
    });
  });
});
