import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { encode } from "gpt-tokenizer/encoding/cl100k_base";
import OpenAI from "openai";
import { SSE_DONE, sseData } from "#core/sse";
import { sends } from "#test/support/fake-provider";
import { verifies } from "#test/support/verifies";
import { COMPLETION_MODEL, json, KEY, MAIL, SmallApisWorld } from "./small-apis-world";

let world: SmallApisWorld;
beforeAll(async () => {
  world = await SmallApisWorld.open();
});
afterAll(() => world[Symbol.asyncDispose]());

const LABEL = /\[pii\.email:[^\]]+\]/;
const base = { id: "cmpl-1", object: "text_completion" as const, created: 1_750_000_000, model: COMPLETION_MODEL };
const choice = (text: string, more: object = {}) => ({
  index: 0,
  text,
  logprobs: null,
  finish_reason: "stop",
  ...more,
});
const said = (...choices: readonly object[]) => ({
  ...{ ...base, choices },
  usage: { prompt_tokens: 4, completion_tokens: 3, total_tokens: 7 },
});
const streamed = (pieces: readonly string[]) =>
  sends([
    ...pieces.map((text) => sseData({ ...base, choices: [choice(text, { finish_reason: null })] })),
    sseData({ ...base, choices: [choice("")] }),
    sseData({ ...base, choices: [], usage: { prompt_tokens: 4, completion_tokens: 3, total_tokens: 7 } }),
    SSE_DONE,
  ]);
const ask = (body: object, headers = {}) =>
  world.post("/v1/completions", { model: COMPLETION_MODEL, ...body }, headers);
const thrown = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => null,
    (error: unknown) => error,
  );

describe("OpenAI's client", () => {
  test("completes prompts of every form, which arrive as they were sent", async () => {
    verifies("completions.client");
    world.provider.always(json(said(choice("return a + b"))));
    const ids = encode("def add(a, b):");
    for (const prompt of ["def add(a, b):", ["one line", "two lines"], ids, [ids, ids]]) {
      const answer = await world.client().completions.create({
        ...{
          model: COMPLETION_MODEL,
          prompt,
          suffix: "\nprint(add(1, 2))",
          stop: ["\n\n"],
          max_tokens: 20,
          echo: false,
        },
      });
      expect(answer.choices[0]?.text).toBe("return a + b");
      expect(world.received["prompt"]).toEqual(prompt);
    }
    expect(world.provider.lastCall.path).toBe("/v1/completions");
  });

  test("streams, and gets the usage only where it asks for it", async () => {
    verifies("completions.client", "completions.stream");
    for (const include_usage of [false, true]) {
      world.provider.next(streamed(["return", " a", " + b"]));
      const stream = await world.client().completions.create({
        ...{ model: COMPLETION_MODEL, prompt: "def add(a, b):", stream: true },
        ...(include_usage && { stream_options: { include_usage } }),
      });
      const chunks = await Array.fromAsync(stream);
      expect(chunks.map(({ choices: [one] }) => one?.text ?? "").join("")).toBe("return a + b");
      expect(chunks.some(({ usage }) => usage?.total_tokens === 7)).toBe(include_usage);
      expect(world.received.stream_options).toEqual({ include_usage: true });
    }
  });

  test("hears the built-in model, whole and streamed", async () => {
    verifies("completions.client");
    const { completions } = world.client();
    const whole = await completions.create({ model: "guardhouse/echo", prompt: ["Hello", "you"], echo: true });
    expect(whole.choices.map(({ text }) => text)).toEqual(["Hello Echo: Hello", "you Echo: you"]);
    const stream = await completions.create({ model: "guardhouse/echo", prompt: "Hello you", stream: true });
    const texts = (await Array.fromAsync(stream)).map(({ choices: [one] }) => one?.text ?? "");
    expect(texts.join("")).toBe(" Echo: Hello you");
    expect(texts.length).toBeGreaterThan(2);
  });

  test("sees a blocked prompt as a refused request", async () => {
    verifies("completions.client", "completions.blocks");
    const { completions } = world.client();
    for (const prompt of [`Key ${KEY}`, encode(`Key ${KEY}`)]) {
      const error = await thrown(completions.create({ model: COMPLETION_MODEL, prompt }));
      expect(error).toBeInstanceOf(OpenAI.BadRequestError);
      expect(error).toMatchObject({ code: "content_filter" });
    }
  });
});

describe("texts", () => {
  test("of a request are redacted wherever they stand", async () => {
    verifies("completions.scanned");
    world.provider.always(json(said(choice("Done."))));
    const text = `Write to ${MAIL} please`;
    const stop = [`Bye ${MAIL}`];
    for (const [prompt, arrived] of [
      [text, expect.stringMatching(LABEL)],
      [
        ["Plain text", text],
        ["Plain text", expect.stringMatching(LABEL)],
      ],
      [encode(text), expect.stringMatching(LABEL)],
      [
        [encode("Plain text"), encode(text)],
        ["Plain text", expect.stringMatching(LABEL)],
      ],
    ]) {
      const response = await ask({ prompt, suffix: `Bye ${MAIL}`, stop });
      expect(response.status).toBe(200);
      const label = expect.stringMatching(LABEL);
      expect(world.received).toEqual({ model: COMPLETION_MODEL, prompt: arrived, suffix: label, stop: [label] });
    }
  });

  test("of an answer are redacted, with what repeats them in log probabilities", async () => {
    verifies("completions.scanned", "completions.logprobs");
    const logprobs = (tokens: readonly string[]) => ({
      ...{ tokens, token_logprobs: tokens.map(() => -0.25), text_offset: tokens.map((_, at) => at) },
      top_logprobs: tokens.map((token) => ({ [token]: -0.25 })),
    });
    const mail = ["Ask jane", ".doe@", "example.net", " now"];
    const plain = logprobs(["Hello", " you"]);
    const choices = [
      choice(mail.join(""), { logprobs: logprobs(mail) }),
      choice("Hello you", { index: 1, logprobs: plain }),
    ];
    world.provider.next(json(said(...choices)), json(said(choice("Hello you", { logprobs: plain }))));
    const redacted = await (await ask({ prompt: "Whom?", logprobs: 1, echo: true })).json();
    expect(redacted.choices[0]).toMatchObject({ text: expect.stringMatching(LABEL), logprobs: null });
    expect(JSON.stringify(redacted)).not.toContain("jane");
    expect((await (await ask({ prompt: "Whom?", logprobs: 1 })).json()).choices[0].logprobs).toEqual(plain);
  });

  test("as token ids of an unknown encoding are refused", async () => {
    verifies("completions.scanned");
    const response = await ask({ model: "fake-coder", prompt: [1, 2, 3] });
    expect([response.status, (await response.json()).error]).toEqual([
      400,
      expect.objectContaining({ code: "invalid_value", param: "prompt" }),
    ]);
  });
});

describe("a block", () => {
  test("in an answer is an error; in a stream the choice ends with content_filter, then the error, then [DONE]", async () => {
    verifies("completions.blocks");
    world.provider.next(
      json(said(choice(`It is ${KEY}`))),
      streamed(["It is ", KEY.slice(0, 9), KEY.slice(9), " there"]),
    );
    const whole = await ask({ prompt: "Which key?" });
    expect([whole.status, (await whole.json()).error.code]).toEqual([400, "content_filter"]);
    const text = await (await ask({ prompt: "Which key?", stream: true })).text();
    expect(text).not.toContain(KEY.slice(0, 9));
    expect(text).toEndWith(SSE_DONE);
    const events = text
      .split("\n\n")
      .flatMap((event) => (event.startsWith("data: {") ? [JSON.parse(event.slice(6))] : []));
    expect(events.at(-2)).toEqual({ ...base, choices: [choice("", { finish_reason: "content_filter" })] });
    expect(events.at(-1).error).toMatchObject({ code: "content_filter", param: "choices[0].text" });
  });

  test("is on record as a call of its kind, and can be disputed", async () => {
    verifies("completions.blocks");
    const response = await ask({ prompt: `Key ${KEY}` }, { "x-conversation-id": "c-1" });
    const record = await world.recordOf(response.headers.get("x-request-id"));
    expect(record.kind).toBe("completion");
    expect(record.call).toMatchObject({ action: "block", model: COMPLETION_MODEL, conversation_id: "c-1" });
    const dispute = await world.post("/v1/guard/disputes", {
      ...{ event_id: record.call.event_id, user_reason: "An example.", message_content: `Key ${KEY}` },
    });
    expect(dispute.status).toBe(201);
  });
});
