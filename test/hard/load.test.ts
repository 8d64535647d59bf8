import { afterAll, beforeAll, expect, test } from "bun:test";
import { FakeProvider, hangs, says } from "#test/support/fake-provider";
import { Hub } from "#test/support/hub";
import { verifies } from "#test/support/verifies";
import { isWhole, Ledger } from "./ledger";
import { type RawAnswer, type RawOptions, request, sendRaw } from "./raw-client";

const EVE = "eve@example.com";
const STREAMS = 300;
/** The runtime's own limit for all providers together is 256. */
const IN_FLIGHT = 400;
const PIECES = 30;

let hub: Hub;
let provider: FakeProvider;
let tokens: readonly string[];

/** What one stream, and no other, says; nothing any detector could take for something else. */
const contentOf = (model: string): string[] =>
  Array.from({ length: PIECES }, (_, at) => `${model} says number ${at}. `);

beforeAll(async () => {
  provider = await FakeProvider.start();
  provider.always((asking) =>
    (asking.model === "silent" ? hangs() : says(contentOf(asking.model), { gapMs: 15 }))(asking),
  );
  hub = await Hub.create({ processes: "hub" });
  await hub.createUser(EVE);
  tokens = await Promise.all([1, 2, 3].map(async () => (await hub.createToken(EVE)).token));
  await hub.addProvider("fake", { baseUrl: provider.url, models: ["silent", "own-*"] });
  await hub.start();
});
afterAll(async () => {
  await hub[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
});

/** Over a socket of its own: `fetch` would open no more than 256 at once. */
const call = (model: string, more: { stream: boolean }, at: number, options: RawOptions = {}): Promise<RawAnswer> => {
  const body = JSON.stringify({ model, ...more, messages: [{ role: "user", content: `I am ${model}` }] });
  const headers = [
    `Host: ${new URL(hub.url).host}`,
    `Authorization: Bearer ${tokens[at % tokens.length]}`,
    `Content-Length: ${body.length}`,
  ];
  return sendRaw(hub.url, request("POST /v1/chat/completions HTTP/1.1", headers, body), {
    withinMs: 60_000,
    ...options,
  });
};

/** The text of a streamed answer, put together again; throws on an event that is no chunk. */
const textOf = (body: string): string => {
  const events = body.split("\n\n").filter((event) => event.startsWith("data: ") && event !== "data: [DONE]");
  return events.map((event) => JSON.parse(event.slice(6)).choices[0]?.delta.content ?? "").join("");
};

test(`${STREAMS} streams at once: each hears its own answer, whole and in order, and nothing of another's`, async () => {
  verifies("load.isolation");
  const answers = await Promise.all(
    Array.from({ length: STREAMS }, async (_, at) => {
      const model = `own-${at}`;
      return { model, answer: await call(model, { stream: true }, at) };
    }),
  );
  for (const { model, answer } of answers) {
    // What went wrong where nothing should, in the hub's own words.
    const faults = answer.status === 200 ? [] : hub.logs.filter(({ level }) => level === "error");
    expect([answer.status, answer.status === 200 ? "" : answer.body, faults]).toEqual([200, "", []]);
    expect(textOf(answer.body)).toBe(contentOf(model).join(""));
    expect(answer.body).toEndWith("data: [DONE]\n\n");
  }
  // What each asked was passed on as it was, and each call has its own id and records.
  const asked = new Map(provider.calls.map(({ body }) => [body.model, body.messages?.[0]?.content]));
  for (const { model } of answers) expect(asked.get(model)).toBe(`I am ${model}`);
  const ids = new Set(answers.map(({ answer }) => answer.headers.get("x-request-id")));
  expect(ids.size).toBe(STREAMS);
  const calls = (await Ledger.of(hub)).calls();
  for (const { model, answer } of answers) {
    const records = calls.get(answer.headers.get("x-request-id") ?? "") ?? [];
    expect(records.map(({ outcome, call }) => [outcome, call?.model])).toEqual([
      ["open", model],
      ["answered", model],
    ]);
  }
}, 120_000);

test(`${IN_FLIGHT} calls are at the provider at once; another is answered beside them; all end with their callers`, async () => {
  verifies("load.concurrency");
  const before = provider.calls.length;
  const leave = new AbortController();
  const waiting = Array.from({ length: IN_FLIGHT }, (_, at) =>
    call("silent", { stream: at % 2 === 0 }, at, { signal: leave.signal }),
  );
  await provider.call(before + IN_FLIGHT - 1, 30_000);
  const open = provider.calls.slice(before).filter(({ ending }) => ending === undefined);
  expect(open).toHaveLength(IN_FLIGHT);
  const beside = await call("own-beside", { stream: false }, 0);
  expect(beside.status).toBe(200);
  expect(beside.ms).toBeLessThan(45_000);

  leave.abort();
  await Promise.all(waiting);
  const endings = await Promise.all(open.map(({ ended }) => ended));
  expect(new Set(endings.map(({ how }) => how))).toEqual(new Set(["client_gone"]));
  const closed = async () =>
    [...(await Ledger.of(hub)).calls().values()].flat().filter(({ outcome }) => outcome === "client_closed");
  const deadline = performance.now() + 40_000;
  while ((await closed()).length < IN_FLIGHT && performance.now() < deadline) await Bun.sleep(100);
  expect(await closed()).toHaveLength(IN_FLIGHT);
  expect(await isWhole(hub)).toBe(true);
}, 120_000);
