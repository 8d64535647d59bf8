import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { PERSONAL, SECRETS } from "#test/scan/samples";
import { verifies } from "#test/support/verifies";
import { MODEL, StateWorld } from "./provider-state-world";

let world: StateWorld;
beforeAll(async () => {
  world = await StateWorld.open({ env: { GUARDHOUSE_GUARD__ACTIONS: "pii.email=redact,secret=block" } });
});
afterAll(() => world[Symbol.asyncDispose]());

const GREETING = "Good morning to all of you, and good night.";

/** A response in the background, whose stream was left at once; its id. */
const begun = async (says: string): Promise<string> => {
  world.first.says(says);
  const stream = await world.client().responses.create({ model: MODEL, input: "Hi", background: true, stream: true });
  for await (const event of stream) if (event.type === "response.created") return event.response.id;
  throw new Error("no response was begun");
};

/** What OpenAI's client hears of it behind a number. */
const streamed = async (id: string, after?: number) => {
  const query = { stream: true, ...(after !== undefined && { starting_after: after }) } as const;
  const { data, response } = await world.client().responses.retrieve(id, query).withResponse();
  return { events: await Array.fromAsync(data), response };
};

type Events = Awaited<ReturnType<typeof streamed>>["events"];

const textOf = (events: Events) =>
  events.map((event) => (event.type === "response.output_text.delta" ? event.delta : "")).join("");

/** Every number that a caller may go on behind, and one that never was. */
const numbersOf = (events: Events) => [...events.map(({ sequence_number }) => sequence_number), events.length];

describe("a kept response, as a stream", () => {
  test("goes on where its caller lost it, in one record", async () => {
    verifies("responses.resumed");
    const id = await begun(GREETING);
    const whole = await streamed(id);
    expect(textOf(whole.events)).toBe(GREETING);
    expect(whole.events.at(-1)).toMatchObject({ type: "response.completed", response: { id } });
    const { events, response } = await streamed(id, 6);
    expect(events).toEqual(whole.events.filter(({ sequence_number }) => sequence_number > 6));
    expect(events[0]?.sequence_number).toBe(7);
    expect(world.first.last.search).toBe("?stream=true");
    const record = await world.recordOf(response);
    expect(record).toMatchObject({
      kind: "responses.retrieve",
      outcome: "answered",
      call: { provider: "one", stream: true },
    });
    expect((await streamed(id, whole.events.length)).events).toEqual([]);
    expect(await world.finalsOf(response)).toBe(1);
  });

  test("shows the same behind any number, redactions included", async () => {
    verifies("responses.resumed", "responses.kept-scanned");
    const id = await begun(`Write to ${PERSONAL.email} in the morning.`);
    const { events: whole } = await streamed(id);
    expect(textOf(whole)).toMatch(/^Write to \[pii\.email:\w+\] in the morning\.$/);
    for (const after of numbersOf(whole)) {
      const { events, response } = await streamed(id, after);
      expect(events).toEqual(whole.filter(({ sequence_number }) => sequence_number > after));
      expect(JSON.stringify(events)).not.toContain(PERSONAL.email);
      expect(response.status).toBe(200);
    }
  });

  test("is blocked behind any number, though the secret began before it", async () => {
    verifies("responses.resumed", "responses.kept-scanned");
    const id = await begun(`The key is ${SECRETS.openai} indeed.`);
    const { events: whole } = await streamed(id);
    expect("The key is ").toStartWith(textOf(whole));
    for (const after of numbersOf(whole)) {
      const { events } = await streamed(id, after);
      expect(textOf(whole)).toEndWith(textOf(events));
      const end = events.at(-1);
      expect(end).toMatchObject({
        type: "response.incomplete",
        response: { id, incomplete_details: { reason: "content_filter" } },
      });
      for (const { sequence_number } of events) expect(sequence_number).toBeGreaterThan(after);
    }
  });

  test("is asked for by one value of each parameter", async () => {
    verifies("responses.resumed");
    const id = await begun(GREETING);
    const refused = async (query: string) => {
      const { status, body } = await world.call("GET", `/v1/responses/${id}?${query}`);
      return [status, body.error?.code, body.error?.param];
    };
    const asked = world.first.requests.length;
    expect(await refused("stream=1")).toEqual([400, "invalid_value", "stream"]);
    expect(await refused("stream=true&stream=false")).toEqual([400, "invalid_value", "stream"]);
    expect(await refused("stream[]=true")).toEqual([400, "invalid_value", "stream"]);
    expect(await refused("stream=true&starting_after=-1")).toEqual([400, "invalid_value", "starting_after"]);
    expect(await refused("stream=true&starting_after=1&starting_after=9")).toEqual([
      400,
      "invalid_value",
      "starting_after",
    ]);
    expect(await refused(Array(51).fill("include[]=usage").join("&"))).toEqual([400, "invalid_value", null]);
    expect(world.first.requests.length).toBe(asked);
    // Without a stream there is no place to go on from.
    expect((await refused("starting_after=3"))[0]).toBe(200);
    expect(world.first.last.search).toBe("");
  });

  test("is nobody else's, and the echo keeps none", async () => {
    verifies("responses.resumed", "responses.own-ids");
    const id = await begun(GREETING);
    const ofEcho = await world.client().responses.create({ model: "guardhouse/echo", input: "Hello" });
    const asked = world.first.requests.length;
    for (const [token, one] of [
      ["mallory", id],
      ["helper", id],
      ["eve", ofEcho.id],
    ] as const) {
      const { status, body } = await world.call("GET", `/v1/responses/${one}?stream=true&starting_after=2`, { token });
      expect([status, body.error.code]).toEqual([404, "not_found"]);
    }
    expect(world.first.requests.length).toBe(asked);
  });
});
