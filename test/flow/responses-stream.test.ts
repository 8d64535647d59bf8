import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { PERSONAL, SECRETS } from "#test/scan/samples";
import { sends } from "#test/support/fake-provider";
import {
  answersResponse,
  eventText,
  type Fields,
  type ItemScript,
  responseEvents,
} from "#test/support/response-script";
import { verifies } from "#test/support/verifies";
import { MODEL } from "./chat-world";
import { ResponsesWorld, type StreamedResponse } from "./responses-world";

setDefaultTimeout(120_000);

const RULES = [{ type: "secret.aws_access_key", origins: ["output"], thresholds: { block: 0.5 } }];
const EMAIL = PERSONAL.email;
const LABEL = /\[pii\.email:\w+\]/;
const KEY = SECRETS.awsAccessKey;
const [HALF, REST] = [KEY.slice(0, 10), KEY.slice(10)];
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/;

let world: ResponsesWorld;
beforeAll(async () => {
  const env = { GUARDHOUSE_GUARD__RULES: JSON.stringify(RULES), GUARDHOUSE_UPSTREAM__RETRIES: "0" };
  world = await ResponsesWorld.open({ env });
});
afterAll(() => world[Symbol.asyncDispose]());

const cutInTwo = (text: string): string[] => [text.slice(0, 5), text.slice(5)];

const expectNumbers = ({ events }: StreamedResponse): void =>
  expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, at) => at));

const ENDS = ["response.completed", "response.incomplete", "response.failed", "error"];
const endsOf = ({ types }: StreamedResponse): string[] => types.filter((type) => ENDS.includes(type));

describe("OpenAI's own client streams responses through the hub as it does without", () => {
  test("texts, reasoning and tool calls", async () => {
    verifies("responses.stream");
    const items: ItemScript[] = [
      { reasoning: ["First ", "this."], summary: ["In ", "short."], encrypted: "RW5jcnlwdGVkU3RhdGVPZlJlYXNvbmluZw==" },
      { text: ["Good ", "morning."], annotations: [{ type: "url_citation", url: "https://a.example/", title: "A" }] },
      { tool: "get_weather", arguments: ['{"city":', '"Paris"}'] },
    ];
    world.provider.next(answersResponse({ items, isPadded: true }));
    const stream = world.client().responses.stream({ model: MODEL, input: "Hello" });
    const types = new Set<string>();
    for await (const { type } of stream) types.add(type);
    const response = await stream.finalResponse();
    expect(response.output_text).toBe("Good morning.");
    expect(response.output).toMatchObject([
      { type: "reasoning", summary: [{ text: "In short." }], content: [{ text: "First this." }] },
      { type: "message", content: [{ text: "Good morning.", annotations: [{ title: "A" }] }] },
      { type: "function_call", name: "get_weather", arguments: '{"city":"Paris"}' },
    ]);
    expect([...types]).toContain("response.function_call_arguments.delta");
    expect(world.provider.lastCall.path).toBe("/v1/responses");
  });

  test("byte for byte where nothing was found, with its usage and what it ended with", async () => {
    verifies("responses.stream");
    const script = { items: [{ text: ["Hello ", "there."] }, { tool: "save", arguments: '{"a":1}' }], isPadded: true };
    world.provider.next(answersResponse(script));
    const stream = await world.sendStreamed();
    const own = stream.text.match(/resp_[\w-]+/)?.[0] ?? "";
    expect(own).not.toBe("resp_0123");
    expect(stream.text.replaceAll(own, "resp_0123")).toBe(responseEvents(script, MODEL).map(eventText).join(""));
    const { final } = await world.recordsOf(stream.response);
    expect(final).toMatchObject({ kind: "responses.create", outcome: "answered" });
    const usage = { prompt_tokens: 11, completion_tokens: 4, total_tokens: 15 };
    expect(final.call).toMatchObject({ stream: true, finish_reasons: ["completed"], usage });
  });

  test("what is redacted, at each place where it is said again", async () => {
    verifies("responses.stream", "responses.stream-repeats");
    const text = ["Write to ", ...cutInTwo(EMAIL), " today."];
    world.provider.next(answersResponse([{ text }, { tool: "send", arguments: JSON.stringify({ to: EMAIL }) }]));
    const stream = await world.sendStreamed();
    expect(stream.text).not.toContain(EMAIL);
    expectNumbers(stream);
    const said = stream.said("response.output_text.delta");
    expect(said).toMatch(/^Write to \[pii\.email:\w+\] today\.$/);
    const wholes = stream.events.flatMap((event) => JSON.stringify(event).match(/Write to \[[^"]*/g) ?? []);
    expect(wholes).toEqual([said, said, said, said]);
    const given = stream.said("response.function_call_arguments.delta");
    expect(JSON.parse(given)).toEqual({ to: expect.stringMatching(LABEL) });
    const { final } = await world.recordsOf(stream.response);
    expect(final.call.flags.map(({ type, param }) => [type, param])).toEqual([
      ["pii.email", "output[0].content[0].text"],
      ["pii.email", "output[1].arguments.*"],
    ]);
  });

  test("the client's own final response has nothing of what was redacted", async () => {
    verifies("responses.stream-repeats");
    world.provider.next(answersResponse([{ text: ["Write to ", ...cutInTwo(EMAIL)] }]));
    const response = await world.client().responses.stream({ model: MODEL, input: "Hi" }).finalResponse();
    expect(response.output_text).toMatch(LABEL);
  });
});

test("a repeat that says something else than its deltas is new text", async () => {
  verifies("responses.stream-repeats");
  const events = responseEvents({ items: [{ text: "Nothing to see." }] }, MODEL)
    .map(eventText)
    .join("");
  const others = events.replace('"text":"Nothing to see."', `"text":"Write to ${EMAIL}"`);
  const last = others.lastIndexOf("Nothing to see.");
  world.provider.next(sends([`${others.slice(0, last)}Or to other.${EMAIL}${others.slice(last + 15)}`]));
  const stream = await world.sendStreamed();
  expect(stream.text).not.toContain(EMAIL);
  expect(stream.text.match(/Write to \[pii/g)).toHaveLength(1);
  expect(stream.text).toMatch(/Or to \[pii/);
});

describe("a block in the middle of a streamed response", () => {
  const expectBlocked = (stream: StreamedResponse): void => {
    expect(endsOf(stream)).toEqual(["response.incomplete"]);
    expect(stream.types.at(-1)).toBe("response.incomplete");
    expect(stream.events.at(-1)?.["response"]).toMatchObject({
      id: stream.text.match(/resp_[\w-]+/)?.[0],
      status: "incomplete",
      incomplete_details: { reason: "content_filter" },
      guardhouse: { event_id: expect.stringMatching(UUID), guard: { stage: "output", action: "block" } },
    });
    expect(stream.text).not.toContain(HALF.slice(0, 8));
    expectNumbers(stream);
  };

  test("closes the open item and ends the response as incomplete", async () => {
    verifies("responses.stream-block");
    const text = ["Here you are. The key is a long one ", HALF, REST, " as you asked."];
    world.provider.next(answersResponse([{ text }]));
    const stream = await world.sendStreamed();
    expectBlocked(stream);
    const said = stream.said("response.output_text.delta");
    expect(said).toStartWith("Here you are.");
    expect(stream.types.slice(-4)).toEqual([
      "response.output_text.done",
      "response.content_part.done",
      "response.output_item.done",
      "response.incomplete",
    ]);
    const [done, part, item, end] = stream.events.slice(-4);
    const content = [{ type: "output_text", text: said }];
    expect(done).toMatchObject({ item_id: "msg_0", output_index: 0, content_index: 0, text: said });
    expect(part).toMatchObject({ item_id: "msg_0", part: { text: said } });
    expect(item).toMatchObject({ item: { id: "msg_0", status: "incomplete", content } });
    expect(end).toMatchObject({ response: { output: [{ content }, { content: [{ type: "refusal" }] }] } });
    const { final } = await world.recordsOf(stream.response);
    expect(final.outcome).toBe("blocked_output");
    expect(stream.text).toContain(final.call.event_id ?? "none");
  });

  test("a tool call that is blocked never appears, not even its name", async () => {
    verifies("responses.stream-block", "responses.stream-tools");
    world.provider.next(
      answersResponse([{ text: "I will save it." }, { tool: "save_key", arguments: JSON.stringify({ key: KEY }) }]),
    );
    const stream = await world.sendStreamed();
    expectBlocked(stream);
    expect(stream.text).not.toContain("save_key");
    expect(stream.text).not.toContain("function_call");
    expect(stream.types.filter((type) => type === "response.output_item.added")).toHaveLength(1);
    expect(stream.types.filter((type) => type === "response.output_item.done")).toHaveLength(1);
  });

  test("OpenAI's client ends without an error and without a second try", async () => {
    verifies("responses.stream-block");
    world.provider.next(answersResponse([{ text: ["The key: ", HALF, REST] }]));
    const calls = world.provider.calls.length;
    const client = world.client({ maxRetries: 2 });
    const response = await client.responses.stream({ model: MODEL, input: "Hi" }).finalResponse();
    expect(response).toMatchObject({ status: "incomplete", incomplete_details: { reason: "content_filter" } });
    expect(JSON.stringify(response)).not.toContain(HALF);
    expect(world.provider.calls.length).toBe(calls + 1);
  });
});

describe("what goes wrong at the provider ends a streamed response once, as the API ends it", () => {
  const begun = (count: number): string[] =>
    responseEvents({ items: [{ text: ["Hello ", "there."] }] }, MODEL)
      .map(eventText)
      .slice(0, count);

  const expectFailed = async (stream: StreamedResponse, message: RegExp): Promise<void> => {
    expect(endsOf(stream)).toEqual(["response.failed"]);
    expect(stream.events.at(-1)?.["response"]).toMatchObject({
      status: "failed",
      error: { code: "server_error", message: expect.stringMatching(message) },
    });
    expectNumbers(stream);
    const { final } = await world.recordsOf(stream.response);
    expect(final.outcome).toBe("upstream_error");
  };

  test.each(["close", "reset"] as const)("a connection that is cut: %s", async (how) => {
    verifies("responses.stream-faults");
    world.provider.next(sends(begun(6), { stop: { after: 6, how } }));
    await expectFailed(await world.sendStreamed(), /broke off/);
  });

  test("an end without its last event", async () => {
    verifies("responses.stream-faults");
    world.provider.next(sends(begun(6)));
    await expectFailed(await world.sendStreamed(), /broke off/);
  });

  test("an error in another API's form, before anything was said", async () => {
    verifies("responses.stream-faults");
    const error = { error: { message: "Overloaded at http://10.0.0.7/v1", type: "server_error", code: "overloaded" } };
    world.provider.next(sends([`data: ${JSON.stringify(error)}\n\n`]));
    const stream = await world.sendStreamed();
    await expectFailed(stream, /overloaded.*\[address\]/);
    expect(stream.types).toEqual(["response.created", "response.failed"]);
  });

  test("its own error event, scanned, and nothing after it", async () => {
    verifies("responses.stream-faults");
    const error = {
      type: "error",
      sequence_number: 3,
      code: "rate_limit_exceeded",
      message: `Ask ${EMAIL}`,
      param: null,
    };
    world.provider.next(
      sends([...begun(3), eventText(error), eventText({ ...error, sequence_number: 4 }), "data: [DONE]\n\n"]),
    );
    const stream = await world.sendStreamed();
    expect(endsOf(stream)).toEqual(["error"]);
    expect(stream.events.at(-1)).toMatchObject({ code: "rate_limit_exceeded", message: expect.stringMatching(LABEL) });
    expect((await world.recordsOf(stream.response)).final.outcome).toBe("upstream_error");
  });

  test("its own failed response keeps what clients decide by", async () => {
    verifies("responses.stream-faults");
    const error = { code: "rate_limit_exceeded", message: "Slow down. See https://10.0.0.7/limits" };
    const response = { id: "resp_0123", object: "response", status: "failed", error, output: [] };
    const failed = { type: "response.failed", sequence_number: 3, response };
    world.provider.next(sends([...begun(3), eventText(failed)]));
    const stream = await world.sendStreamed();
    expect(stream.events.at(-1)).toMatchObject({
      response: { error: { code: "rate_limit_exceeded", message: "Slow down. See [address]" } },
    });
    const { final } = await world.recordsOf(stream.response);
    expect(final).toMatchObject({ outcome: "upstream_error", call: { finish_reasons: ["failed"] } });
  });

  test("text that goes on after its end", async () => {
    verifies("responses.stream-faults");
    const events = responseEvents({ items: [{ tool: "save", arguments: "{}" }] }, MODEL);
    const [delta] = events.filter(({ type }) => type === "response.function_call_arguments.delta");
    const at = events.findIndex(({ type }) => type === "response.function_call_arguments.done") + 1;
    world.provider.next(
      sends([...events.slice(0, at), { ...delta, delta: KEY }, ...events.slice(at)].map((event) => eventText(event))),
    );
    const stream = await world.sendStreamed();
    expect(stream.text).not.toContain(KEY);
    await expectFailed(stream, /went on/);
  });
});

test("an event that nobody knows is read whole, and its pieces as one text", async () => {
  verifies("responses.stream-unknown");
  const [created, progress, ...rest] = responseEvents({ items: [{ text: "Hello." }] }, MODEL);
  const place = { output_index: 0, item_id: "msg_0" };
  const events = [
    created,
    progress,
    rest[0],
    { type: "response.hologram.delta", ...place, delta: `Write to ${EMAIL.slice(0, 6)}` },
    { type: "response.hologram.delta", ...place, delta: `${EMAIL.slice(6)} soon` },
    { type: "response.hologram.done", ...place, hologram: `Write to ${EMAIL} soon` },
    { type: "response.sketched", note: { deep: [`See ${EMAIL}`] } },
    ...rest.slice(1),
  ].map((event, sequence_number): Fields => ({ ...event, sequence_number }));
  world.provider.next(sends(events.map(eventText)));
  const stream = await world.sendStreamed();
  expect(stream.text).not.toContain(EMAIL);
  expect(stream.said("response.hologram.delta")).not.toContain(EMAIL.slice(6));
  expect(stream.types).toEqual(events.map(({ type }) => String(type)));
  expectNumbers(stream);
});

test("guardhouse/echo streams responses, with tools", async () => {
  verifies("responses.echo");
  const client = world.client();
  const ask = { model: "guardhouse/echo", input: "Say hello" };
  const response = await client.responses.stream(ask).finalResponse();
  expect(response.output_text).toBe("Echo: Say hello");
});
