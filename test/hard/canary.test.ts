import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { AppWorld, EVERY_METHOD, type Route, routesOf } from "#test/http/app-world";
import { FakeProvider, fails, says } from "#test/support/fake-provider";
import { Hub } from "#test/support/hub";
import { verifies } from "#test/support/verifies";
import { found, foundBelow, type Needle, needle } from "./needles";

const letters = (alphabet: string, length: number): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(length)), (byte) => alphabet[byte % alphabet.length]).join("");
const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const LOWER = "abcdefghijklmnopqrstuvwxyz";

/** One that detectors know, and that the policy blocks on the way in. */
const SECRET = `AKIA${letters(BASE32, 16)}`;
/** One that nothing knows. */
const WORD = `quokka${letters(LOWER, 14)}`;
/** No detector knows the shape of this key, so nothing but care keeps it in. */
const PROVIDER_KEY = `pk_${letters(LOWER, 40)}`;
const EVE = "eve@example.com";

type Probe = Route & { readonly what: string; readonly headers: Record<string, string>; readonly body?: string };

const json = (value: unknown): string => JSON.stringify(value);

/** Bodies with the canary in one position each. Fields of all endpoints side by side: every route reads its own. */
const bodiesWith = (canary: string): Record<string, string> => {
  const user = (content: unknown, more: object = {}) =>
    json({ model: "guardhouse/echo", text: "hello", messages: [{ role: "user", content }], ...more });
  const broken = user(canary);
  return {
    content: user(`my key is ${canary}, keep it`),
    "content, streamed": user(`my key is ${canary}, keep it`, { stream: true }),
    text: user("hello", { text: `my key is ${canary}` }),
    part: user([{ type: "text", text: `x ${canary}` }]),
    "unknown part": user([{ type: canary, [canary]: { [canary]: canary } }]),
    role: json({ model: "guardhouse/echo", text: 1, messages: [{ role: canary, content: "hello" }] }),
    name: json({ model: "guardhouse/echo", messages: [{ role: "user", name: canary, content: "hello" }] }),
    key: user("hello", { [canary]: 1 }),
    "key of a transport parameter": user("hello", { extra_body: { api_key: canary, [canary]: 1 } }),
    "transport parameter": user("hello", { api_base: `https://${canary}.example/`, headers: { [canary]: canary } }),
    metadata: user("hello", { metadata: { note: canary, [canary]: canary } }),
    "key of metadata": user("hello", { metadata: { [canary]: { deep: [1] } } }),
    origin: user("hello", { origin: canary }),
    agent: user("hello", { agent_id: canary }),
    "unknown model": json({ model: canary, text: "hello", messages: [{ role: "user", content: "hello" }] }),
    tools: user("hello", { tools: [{ type: "function", function: { name: canary, description: canary } }] }),
    "tool arguments": json({
      model: "guardhouse/echo",
      text: [canary],
      messages: [
        {
          role: "assistant",
          content: null,
          tool_calls: [{ id: canary, function: { name: "f", arguments: json({ [canary]: canary }) } }],
        },
      ],
    }),
    "tool result": json({
      model: "guardhouse/echo",
      messages: [{ role: "tool", tool_call_id: canary, content: canary }],
    }),
    "wrong types": json({
      model: [canary],
      text: { [canary]: canary },
      messages: { [canary]: canary },
      stream: canary,
    }),
    "wrong types inside": json({
      model: "guardhouse/echo",
      text: null,
      messages: [{ role: { [canary]: 1 }, content: { [canary]: canary } }],
    }),
    "a string only": json(canary),
    "a list": json([canary, { [canary]: canary }]),
    "malformed at its end": broken.slice(0, -1),
    "malformed at its beginning": `${canary} ${broken}`,
    "malformed inside": broken.replace(":", `: ${canary} `),
    "not JSON": canary,
    "nested too deep": `{"model":"guardhouse/echo","messages":[{"role":"user","content":"hello"}],"${canary}":${`{"${canary}":`.repeat(200)}1${"}".repeat(200)}}`,
  };
};

const HEADERS = [
  "x-request-id",
  "user-agent",
  "referer",
  "origin",
  "cookie",
  "content-type",
  "accept",
  "idempotency-key",
  "x-stainless-retry-count",
  "x-forwarded-for",
  "x-forwarded-host",
  "traceparent",
  "x-api-key",
  "openai-organization",
];

/** What is recorded on purpose (a conversation's id) is no place for a word nobody could know. */
const NAMING_HEADERS = ["x-conversation-id"];

const plain = (path: string): string => path.replace(/\*|:[^/]+/g, "guardhouse/echo");

/** Everything that is tried at one route with one canary. */
const probesOf = (route: Route, canary: string, token: string): Probe[] => {
  const authorization = `Bearer ${token}`;
  const { method } = route;
  const path = plain(route.path);
  const takesBody = method !== "GET" && method !== "HEAD";
  const at = (what: string, target: string, headers: Record<string, string> = {}, body?: string): Probe => ({
    method,
    path: target,
    what,
    headers: { authorization, ...headers },
    ...(takesBody
      ? {
          body:
            body ?? json({ model: "guardhouse/echo", text: "hello", messages: [{ role: "user", content: "hello" }] }),
        }
      : {}),
  });
  const naming = canary === SECRET ? NAMING_HEADERS : [];
  return [
    at("query", `${path}?${canary}=1&token=${canary}&api_key=${canary}#${canary}`),
    at("path, below", `${path}/${canary}`),
    at("path, its parameter", route.path.replace(/\*|:[^/]+/g, canary)),
    at("path, a segment", path.replace(/\/[^/]+$/, `/${canary}`)),
    at("path, malformed", `${path}/%${canary}%zz`),
    at("bearer", path, { authorization: `Bearer ${canary}` }),
    at("bearer, as a token", path, { authorization: `Bearer gw-live-${canary.padEnd(38, "0").slice(0, 38)}` }),
    at("basic", path, { authorization: `Basic ${btoa(`${canary}:${canary}`)}` }),
    ...[...HEADERS, ...naming].map((header) => at(`header ${header}`, path, { [header]: canary })),
    ...(takesBody ? Object.entries(bodiesWith(canary)).map(([what, body]) => at(`body, ${what}`, path, {}, body)) : []),
    // Nobody who is not let in gets anything written down either.
    ...(takesBody ? [at("body, without a token", path, { authorization: "" }, bodiesWith(canary)["content"])] : []),
  ];
};

/** What a client sees of an answer: the status line's words, every header, the body. */
const seenOf = async (response: Response): Promise<string> =>
  [response.statusText, ...[...response.headers].flat(), await response.text()].join("\n");

let hub: Hub;
let provider: FakeProvider;
let token: { readonly id: string; readonly token: string };
let routes: readonly Route[];
let needles: readonly Needle[];

beforeAll(async () => {
  await using world = await AppWorld.open();
  routes = [
    ...routesOf(world.app),
    ...EVERY_METHOD.map((method) => ({ method, path: "/v1/nothing/here" })),
    ...EVERY_METHOD.map((method) => ({ method, path: "/" })),
  ];
  provider = await FakeProvider.start();
  hub = await Hub.create({
    processes: "hub",
    env: { GUARDHOUSE_LOG_LEVEL: "debug", GUARDHOUSE_UPSTREAM__RETRIES: "0" },
  });
  await hub.createUser(EVE);
  token = await hub.createToken(EVE);
  await hub.addProvider("fake", { baseUrl: provider.url, models: ["fake-*"], apiKey: PROVIDER_KEY });
  await hub.start();
  needles = [
    needle("the secret", SECRET),
    needle("the word", WORD),
    needle("the provider's key", PROVIDER_KEY),
    needle("the gateway token", token.token),
  ];
});
afterAll(async () => {
  await hub[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
});

/** Where the built-in model repeats what it is asked; a response holds its request's tools and metadata, too. */
const ECHOING: ReadonlySet<string> = new Set([
  "/v1/chat/completions",
  "/v1/messages",
  "/v1/completions",
  "/v1/responses",
]);

/** What was found where it should not be, and how often the built-in model repeated the word as it was asked to. */
type Leaks = { readonly lines: string[]; repeated: number };

/** The built-in model repeats what it is told: the only answer the word may stand in. */
const mayRepeat = ({ path, what }: Probe, { status }: Response): boolean =>
  ECHOING.has(path) && status === 200 && what.startsWith("body, ");

const tryOne = async (probe: Probe, leaks: Leaks): Promise<void> => {
  const { method, path, what, headers, body } = probe;
  const response = await fetch(hub.url + path, { method, headers, ...(body === undefined ? {} : { body }) });
  const hits = found(needles, await seenOf(response));
  const wrong = mayRepeat(probe, response) ? hits.filter((hit) => hit !== "the word") : hits;
  leaks.repeated += hits.length - wrong.length;
  if (response.status >= 500) wrong.push("a failure");
  leaks.lines.push(...wrong.map((hit) => `${hit}: ${method} ${path} (${what}) → ${response.status}`));
};

const tryAll = async (canary: string): Promise<Leaks> => {
  const probes = routes.flatMap((route) => probesOf(route, canary, token.token));
  expect(probes.length).toBeGreaterThan(routes.length * 20);
  const leaks: Leaks = { lines: [], repeated: 0 };
  const work = probes.values();
  const worker = async (): Promise<void> => {
    for (const probe of work) await tryOne(probe, leaks);
  };
  await Promise.all(Array.from({ length: 16 }, worker));
  return leaks;
};

describe("a canary in any position of any request", () => {
  test("a secret that detectors know comes back in no answer", async () => {
    verifies("canary.silent");
    expect(await tryAll(SECRET)).toEqual({ lines: [], repeated: 0 });
  }, 120_000);

  test("a word that nothing knows comes back only where it is asked for", async () => {
    verifies("canary.silent");
    const { lines, repeated } = await tryAll(WORD);
    expect(lines).toEqual([]);
    // The search can find: the built-in model's answers hold it.
    expect(repeated).toBeGreaterThan(3);
  }, 120_000);

  test("a model's name is judged before it is passed on or written down", async () => {
    verifies("canary.silent");
    provider.always(says("Good morning."));
    const ask = (model: string, headers = {}) =>
      hub.fetch("/v1/chat/completions", {
        token: token.token,
        headers,
        json: { model, messages: [{ role: "user", content: "hello" }] },
      });
    const named = await ask(`fake-${SECRET}`);
    expect([named.status, found(needles, await seenOf(named))]).toEqual([400, []]);
    const conversation = await ask("fake-model", { "x-conversation-id": `${"x".repeat(190)} ${SECRET}` });
    expect([conversation.status, found(needles, await seenOf(conversation))]).toEqual([400, []]);
    expect(provider.calls).toHaveLength(0);
    expect((await ask("fake-model")).status).toBe(200);
    expect(provider.lastCall.headers.get("authorization")).toBe(`Bearer ${PROVIDER_KEY}`);
  });

  test("a provider's error about the API key is not passed on", async () => {
    verifies("canary.silent");
    const error = {
      message: `Incorrect API key provided: ${PROVIDER_KEY}`,
      type: PROVIDER_KEY,
      param: null,
      code: PROVIDER_KEY,
    };
    for (const status of [400, 401, 403, 404, 422, 429, 500, 503]) {
      for (const stream of [false, true]) {
        provider.next(fails(status, { body: { error }, headers: { "x-your-key": PROVIDER_KEY } }));
        const json = { model: "fake-model", stream, messages: [{ role: "user", content: "hello" }] };
        const response = await hub.fetch("/v1/chat/completions", { token: token.token, json });
        expect(response.status).toBeGreaterThanOrEqual(400);
        expect([status, found(needles, await seenOf(response))]).toEqual([status, []]);
      }
    }
    provider.next(
      says("one two three", { headers: { "x-your-key": PROVIDER_KEY, "set-cookie": `key=${PROVIDER_KEY}` } }),
    );
    const answered = await hub.fetch("/v1/chat/completions", {
      token: token.token,
      json: { model: "fake-model", messages: [{ role: "user", content: "hello" }] },
    });
    expect([answered.status, found(needles, await seenOf(answered))]).toEqual([200, []]);
  });

  test("and none of it is in the log, the database or any other file, while it runs and afterwards", async () => {
    verifies("canary.silent");
    expect(hub.logs.filter(({ level }) => level === "error")).toEqual([]);
    expect(await foundBelow(hub.dataDir, needles)).toEqual([]);
    await hub.kill("SIGTERM");
    expect(await foundBelow(hub.dataDir, needles)).toEqual([]);
    expect(found(needles, await hub.written())).toEqual([]);
    // The same search finds what is meant to be there.
    const control = [needle("the user", EVE), needle("the token's id", token.id)];
    const there = (await foundBelow(hub.dataDir, control)).map((hit) => hit.split(" in ")[0]);
    expect(new Set(there)).toEqual(new Set(["the token's id", "the user"]));
    expect(found([needle("the start", "listening")], await hub.written())).toEqual(["the start"]);
  });
});
