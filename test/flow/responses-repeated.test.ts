import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { PERSONAL } from "#test/scan/samples";
import { sends } from "#test/support/fake-provider";
import { verifies } from "#test/support/verifies";
import { outputText, ResponsesWorld, responds, wholeResponse } from "./responses-world";

let world: ResponsesWorld;
beforeAll(async () => {
  const env = { GUARDHOUSE_UPSTREAM__RETRIES: "0", GUARDHOUSE_GUARD__ACTIONS: "pii.email=flag,pii.phone=redact" };
  world = await ResponsesWorld.open({ env });
});
afterAll(() => world[Symbol.asyncDispose]());

const { email: EMAIL, phone: PHONE } = PERSONAL;
/** With an address that is flagged, and a number that is redacted. */
const REQUEST = {
  instructions: `Answer for ${EMAIL}, or call ${PHONE}.`,
  tools: [{ type: "function", name: "mail", description: `Writes to ${EMAIL}`, parameters: {}, strict: false }],
  metadata: { owner: EMAIL },
  input: "Hi",
};

const flagsOf = async (response: Response) => {
  const { final } = await world.recordsOf(response);
  return final.call.flags.map(({ type, param, origin }) => `${type} ${origin} ${param}`).sort();
};

const OF_REQUEST = [
  "pii.email system instructions",
  "pii.email tool_definition tools[0].description",
  "pii.email user metadata.*",
  "pii.phone system instructions",
];

/** What the provider was sent, as OpenAI repeats it: with what it adds. */
const repeatedOf = (sent: string) => {
  const { instructions, tools, metadata } = JSON.parse(sent);
  return { instructions, metadata, tools, text: { format: { type: "text" }, verbosity: "medium" } };
};

const event = (type: string, fields: object, sequence_number: number): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number, ...fields })}\n\n`;

/** A stream whose every event about the response repeats the request. */
const streamed = (more: object, output: readonly object[] = []) => {
  const response = { ...wholeResponse(output), ...more };
  const begun = { ...response, status: "in_progress", output: [] };
  const events = [
    event("response.created", { response: begun }, 0),
    event("response.in_progress", { response: begun }, 1),
    event("response.completed", { response }, 2),
  ];
  return sends([events.join("")], { contentType: "text/event-stream" });
};

/** As the provider is sent it. */
const sentOf = async (): Promise<string> => {
  world.provider.next(responds([outputText("Hello")]));
  await (await world.send(REQUEST)).text();
  return world.provider.lastCall.text;
};

describe("what a response repeats of its request", () => {
  test("is found once, in the request, and stays redacted", async () => {
    verifies("responses.repeated");
    const repeated = repeatedOf(await sentOf());
    expect(repeated.instructions).toContain("[pii.phone:");
    world.provider.next(responds([outputText("Hello")], repeated));
    const response = await world.send(REQUEST);
    const answer = JSON.parse(await response.text());
    expect(answer).toMatchObject({ instructions: repeated.instructions, metadata: REQUEST.metadata });
    expect(JSON.stringify(answer)).not.toContain(PHONE);
    expect(await flagsOf(response)).toEqual(OF_REQUEST);
  });

  test("is found once in a stream that repeats it three times", async () => {
    verifies("responses.repeated");
    const repeated = repeatedOf(await sentOf());
    world.provider.next(streamed(repeated));
    const { response, text, events } = await world.sendStreamed(REQUEST);
    expect(events.at(-1)).toMatchObject({ type: "response.completed", response: { metadata: REQUEST.metadata } });
    expect(text).not.toContain(PHONE);
    expect(await flagsOf(response)).toEqual(OF_REQUEST);
  });

  test("is found again where it is another text, or stands where the model speaks", async () => {
    verifies("responses.repeated");
    const repeated = repeatedOf(await sentOf());
    const other = {
      ...repeated,
      instructions: `${repeated.instructions} Or use ${PHONE}.`,
      metadata: { owner: `${EMAIL}!` },
    };
    const more = ["pii.email system instructions", "pii.email user metadata.*", "pii.phone system instructions"];
    const expected = [...OF_REQUEST, ...more, "pii.email output output[0].content[0].text"];
    const said = [outputText(EMAIL)];
    world.provider.next(responds(said, other));
    const whole = await world.send({ ...REQUEST, metadata: { owner: EMAIL } });
    const text = await whole.text();
    expect(text).not.toContain(PHONE);
    const flags = await flagsOf(whole);
    expect(flags).toEqual(expect.arrayContaining(expected));
    expect(flags.filter((flag) => flag === "pii.email user metadata.*")).toHaveLength(2);
    world.provider.next(streamed(other, said));
    const stream = await world.sendStreamed(REQUEST);
    expect(stream.text).not.toContain(PHONE);
    expect(await flagsOf(stream.response)).toEqual(expect.arrayContaining(expected));
  });
});
