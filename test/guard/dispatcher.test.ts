import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { GuardError } from "#core/errors";
import { matchesGlob } from "#core/glob";
import { isRecord } from "#core/json/json";
import { CallDeadline } from "#guard/call-deadline";
import { type DispatchedCall, Dispatcher, type DispatchOptions } from "#guard/dispatcher";
import { OpenCalls } from "#guard/open-calls";
import { verifies } from "#test/support/verifies";
import { type Provider, type UpstreamAnswer, UpstreamFailure } from "#upstream/port";

const ANSWER: UpstreamAnswer = { kind: "whole", text: "{}" };

const failure = (
  code: "upstream_error" | "upstream_auth_failed" | "upstream_timeout",
  retryAfterMs: number | null = null,
) => new UpstreamFailure(new GuardError(code, code), true, retryAfterMs);

/** A provider that fails as scripted, then answers for ever. */
const provider = (name: string, priority: number, ...failures: readonly unknown[]): Provider => {
  const left = [...failures];
  return {
    name,
    priority,
    models: ["m"],
    apis: new Set(["chat"]),
    upstream: {
      call: () => {
        const next = left.shift();
        return next === undefined ? Promise.resolve(ANSWER) : Promise.reject(next);
      },
      models: () => Promise.resolve(["m"]),
    },
  };
};

const room = (providers: readonly Provider[], options: Partial<DispatchOptions> = {}) => {
  const pauses: number[] = [];
  const sleep = async (ms: number) => {
    pauses.push(ms);
  };
  const dispatcher = new Dispatcher({
    retries: 2,
    retryBaseMs: 100,
    maxConcurrent: 10,
    sleep,
    random: () => 0.5,
    ...options,
  });
  dispatcher.replace(providers);
  const client = new AbortController();
  const deadline = new CallDeadline({
    client: client.signal,
    openCalls: new OpenCalls(),
    totalMs: 60_000,
    noteOpen: () => {},
    stopped: () => null,
    subject: () => ({ user_id: "u1", agent_id: null, model: null, server_id: null }),
  });
  const tried: string[] = [];
  const send = (model = "m", over: Partial<DispatchedCall> = {}) =>
    dispatcher.send(
      {
        ...{ api: "chat", path: "/chat/completions", headers: {}, request: {}, body: "{}" },
        ...{ model, stream: false, deadline },
        ...over,
      },
      (name) => tried.push(name),
    );
  return { send, pauses, tried, dispatcher, client };
};

describe("tries at one provider", () => {
  test.each([
    [0, [75, 150]],
    [0.5, [100, 200]],
    [1, [125, 250]],
  ])("pause longer each time, spread by chance (%p)", async (chance, expected) => {
    verifies("provider.retries");
    const down = failure("upstream_error");
    const { send, pauses, tried } = room([provider("one", 1, down, down)], { random: () => chance });
    expect(await send()).toMatchObject({ answer: ANSWER, provider: "one" });
    expect(pauses).toEqual(expected);
    expect(tried).toEqual(["one", "one", "one"]);
  });

  test("pause as long as the provider asked, up to what a caller can wait for", async () => {
    verifies("provider.retries", "provider.fallback");
    const asks = [failure("upstream_error", 3_000), failure("upstream_error", 900_000)];
    const { send, pauses, tried } = room([provider("one", 1, ...asks), provider("two", 2)]);
    expect(await send()).toMatchObject({ provider: "two" });
    expect(pauses).toEqual([3_000]);
    expect(tried).toEqual(["one", "one", "two"]);
  });

  test.each(["upstream_auth_failed", "upstream_timeout"] as const)("%s is not tried again there", async (code) => {
    verifies("provider.fallback");
    const { send, pauses, tried } = room([provider("one", 1, failure(code)), provider("two", 2)]);
    expect(await send()).toMatchObject({ provider: "two" });
    expect([pauses, tried]).toEqual([[], ["one", "two"]]);
  });

  test("a place at the provider is given back after each", async () => {
    verifies("provider.concurrency");
    const down = failure("upstream_error");
    const { send } = room([provider("one", 1, down, down)], { maxConcurrent: 1 });
    const first = await send();
    await expect(send()).rejects.toMatchObject({ code: "upstream_rate_limited" });
    first.release();
    first.release();
    await send();
    await expect(send()).rejects.toMatchObject({ code: "upstream_rate_limited" });
  });

  test("dispatcher retries provider failures only", async () => {
    const { send, tried } = room([provider("one", 1, new TypeError("a fault of ours")), provider("two", 2)]);
    await expect(send()).rejects.toBeInstanceOf(TypeError);
    expect(tried).toEqual(["one"]);
  });

  test("a call that is over is not tried again", async () => {
    verifies("chat.client-gone");
    const { send, tried, client } = room([provider("one", 1, failure("upstream_error")), provider("two", 2)]);
    client.abort();
    await expect(send()).rejects.toBeInstanceOf(UpstreamFailure);
    expect(tried).toEqual(["one"]);
  });
});

describe("several providers", () => {
  test("are tried by priority, then by name; the last one's error is the call's", async () => {
    verifies("provider.routing", "provider.fallback");
    const all = ["c", "a", "b"].map((name) => provider(name, name === "c" ? 1 : 2, failure("upstream_timeout")));
    const last = provider("z", 9, failure("upstream_auth_failed"));
    const { send, tried, dispatcher } = room([...all, last]);
    await expect(send()).rejects.toMatchObject({ code: "upstream_auth_failed" });
    expect(tried).toEqual(["c", "a", "b", "z"]);
    expect(dispatcher.route("m").map(({ name }) => name)).toEqual(["c", "a", "b", "z"]);
  });

  test("a model without a provider", async () => {
    await expect(room([provider("one", 1)]).send("other")).rejects.toMatchObject({ code: "model_not_found" });
  });

  test("only those that speak the call's API are asked; where none does, the error says which APIs serve the model", async () => {
    verifies("provider.apis");
    const both = { ...provider("both", 2), apis: new Set(["chat", "responses"] as const) };
    const { send, tried } = room([provider("one", 1), both]);
    await send("m", { api: "responses" });
    expect(tried).toEqual(["both"]);
    const missing = { code: "model_not_found", message: expect.stringContaining("it is by: chat, responses") };
    await expect(send("m", { api: "messages" })).rejects.toMatchObject(missing);
    await expect(send("m", { api: "messages", provider: "one" })).rejects.toMatchObject({ code: "model_not_found" });
  });

  test("replaced ones serve the next call", async () => {
    verifies("provider.routing");
    const { send, dispatcher } = room([provider("one", 1)]);
    await send();
    dispatcher.replace([provider("two", 1)]);
    expect(await send()).toMatchObject({ provider: "two" });
  });
});

test("globs match as a regular expression of them would, and no slower for it", () => {
  verifies("provider.routing");
  const part = fc.stringMatching(/^[ab.]{0,4}$/);
  const globs = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join("*"));
  fc.assert(
    fc.property(globs, fc.stringMatching(/^[ab.]{0,12}$/), (glob, name) => {
      const pattern = glob
        .split("*")
        .map((text) => text.replaceAll(".", "\\."))
        .join(".*");
      expect(matchesGlob(glob, name)).toBe(new RegExp(`^${pattern}$`).test(name));
    }),
    { numRuns: 3_000 },
  );
  expect(matchesGlob("a*".repeat(100), `${"a".repeat(5_000)}b`)).toBe(true);
  expect(matchesGlob(`${"a*".repeat(100)}c`, "a".repeat(5_000))).toBe(false);
});

describe("what the last provider said of its own failure", () => {
  const said = { status: 529, text: '{"error":{"type":"overloaded_error"}}' };
  const overloaded = () => new UpstreamFailure(new GuardError("upstream_error", "status 529"), true, null, said);
  const down = () => failure("upstream_error");

  test("is the answer where the API shows such words, and an error of ours where it does not", async () => {
    verifies("provider.own-failures");
    const providers = () => [provider("one", 1, down(), down(), down()), provider("two", 2, overloaded())];
    const shown = room(providers(), { retries: 0 });
    const dispatched = await shown.send("m", { showsFailure: isRecord });
    expect(dispatched).toMatchObject({ answer: { kind: "refused", ...said }, provider: "two" });
    expect(shown.tried).toEqual(["one", "two"]);
    await expect(room(providers(), { retries: 0 }).send()).rejects.toMatchObject({ code: "upstream_error" });
  });

  test("is no answer where it is of another form than the API's", async () => {
    verifies("provider.own-failures");
    const { send } = room([provider("one", 1, overloaded())], { retries: 0 });
    await expect(send("m", { showsFailure: () => false })).rejects.toMatchObject({ code: "upstream_error" });
  });

  test("is no answer where the last one said nothing", async () => {
    verifies("provider.own-failures");
    const { send } = room([provider("one", 1, overloaded()), provider("two", 2, down())], { retries: 0 });
    await expect(send("m", { showsFailure: isRecord })).rejects.toMatchObject({ code: "upstream_error" });
  });
});
