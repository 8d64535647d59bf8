import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { PERSONAL, SECRETS } from "#test/scan/samples";
import { breaks, FakeProvider, fails, type Reply, says, sends, times } from "#test/support/fake-provider";
import { numberedIn } from "#test/support/labels";
import { heldPort } from "#test/support/port";
import { verifies } from "#test/support/verifies";
import { ChatWorld, PROVIDER_KEY } from "./chat-world";

const SECOND_KEY = "second-provider-key-for-tests";

let world: ChatWorld;
let second: FakeProvider;
/** Where nobody listens. */
const gone = heldPort();
beforeAll(async () => {
  second = await FakeProvider.start();
  const goneUrl = `http://127.0.0.1:${gone?.port ?? 1}/v1`;
  world = await ChatWorld.open({
    env: { GUARDHOUSE_UPSTREAM__RETRY_BASE_MS: "10", GUARDHOUSE_UPSTREAM__CONNECT_MS: "1500" },
    before: async (hub) => {
      const models = ["fake-both", "second-*", "dead-*", "*-tail", "a*b*c"];
      await hub.addProvider("second", { baseUrl: second.url, models, apiKey: SECOND_KEY, priority: 200 });
      await hub.addProvider("dead", { baseUrl: goneUrl, models: ["dead-*", "gone-*"], priority: 1 });
      await hub.addProvider("nowhere", { baseUrl: "http://192.0.2.1:9/v1", models: ["nowhere-*"], priority: 1 });
    },
  });
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await second[Symbol.asyncDispose]();
  gone?.[Symbol.dispose]();
});

const ask = (model: string, more: object = {}) =>
  world.ask({ model, messages: [{ role: "user", content: "Hello there" }], ...more });

/** One that works ends what failures of earlier tests left of the provider's breaker. */
beforeEach(async () => {
  await ask("fake-one");
});

/** Sends a call and gives what its caller and its record say. */
const outcome = async (model: string, ...replies: readonly Reply[]) => {
  const before = world.provider.calls.length;
  world.provider.next(...replies);
  const response = await ask(model);
  const body: unknown = await response.json();
  const { final } = await world.recordsOf(response);
  return {
    status: response.status,
    headers: response.headers,
    body,
    final,
    sent: world.provider.calls.length - before,
  };
};

describe("a call finds its provider by the model's name", () => {
  test.each([
    ["fake-one", "fake"],
    ["fake-both", "fake"],
    ["second-one", "second"],
    ["second-", "second"],
    ["any-tail", "second"],
    ["a1b2c", "second"],
    ["abc", "second"],
    ["guardhouse/echo", "guardhouse"],
  ])("%s goes to %s", async (model, provider) => {
    verifies("provider.routing");
    const response = await ask(model);
    expect(response.status).toBe(200);
    expect((await world.recordsOf(response)).final.call).toMatchObject({ model, provider, attempts: 1 });
    if (provider === "second") expect(second.lastCall.headers.get("authorization")).toBe(`Bearer ${SECOND_KEY}`);
    if (provider === "fake")
      expect(world.provider.lastCall.headers.get("authorization")).toBe(`Bearer ${PROVIDER_KEY}`);
  });

  test.each(["fake", "FAKE-one", "tail", "-tail-", "a1c", "cba", "xsecond-one"])("%s goes nowhere", async (model) => {
    verifies("provider.routing");
    const [before, beforeSecond] = [world.provider.calls.length, second.calls.length];
    const response = await ask(model);
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ error: { code: "model_not_found", param: "model" } });
    expect([world.provider.calls.length, second.calls.length]).toEqual([before, beforeSecond]);
    expect((await world.recordsOf(response)).final).toMatchObject({
      outcome: "refused",
      call: { model: null, provider: null },
    });
  });

  test("a provider added while the hub runs serves the next call", async () => {
    verifies("provider.routing");
    expect((await ask("late-one")).status).toBe(404);
    await world.hub.addProvider("late", { baseUrl: second.url, models: ["late-*"] });
    expect((await ask("late-one")).status).toBe(200);
    expect(second.lastCall.headers.get("authorization")).toBeNull();
    await world.hub.cli("provider", "remove", "late");
    expect((await ask("late-one")).status).toBe(404);
  });
});

describe("a provider that fails is tried again, then the next one", () => {
  test.each([500, 502, 503, 529])("twice %d, then an answer", async (status) => {
    verifies("provider.retries");
    const { final, sent, status: seen } = await outcome("fake-one", ...times(2, fails(status)), says("At last."));
    expect([seen, sent]).toEqual([200, 3]);
    expect(final).toMatchObject({ outcome: "answered", call: { attempts: 3, provider: "fake" } });
  });

  test("a connection that breaks before the answer", async () => {
    verifies("provider.retries");
    const { final, status } = await outcome("fake-one", breaks(), says("At last."));
    expect(status).toBe(200);
    expect(final.call.attempts).toBe(2);
  });

  test("a provider that stays down: 502, in our own words", async () => {
    verifies("provider.retries");
    const html = "<html><h1>Bad gateway</h1> internal-host-17</html>";
    const { status, body, final, sent, headers } = await outcome(
      "fake-one",
      ...times(3, fails(502, { body: html, contentType: "text/html" })),
    );
    expect([status, sent]).toEqual([502, 3]);
    expect(body).toMatchObject({ error: { type: "upstream_error", code: "upstream_error", param: null } });
    expect(JSON.stringify(body)).not.toMatch(/internal-host|html/);
    expect(headers.get("x-should-retry")).toBe("false");
    expect(final).toMatchObject({
      outcome: "upstream_error",
      call: { attempts: 3, status: 502, code: "upstream_error" },
    });
  });

  test("one that is down for good: the next in order of priority answers", async () => {
    verifies("provider.fallback");
    second.next(says("From the second."));
    const { status, body, final, sent } = await outcome("fake-both", ...times(3, fails(500)));
    expect([status, sent]).toEqual([200, 3]);
    expect(body).toMatchObject({ choices: [{ message: { content: "From the second." } }] });
    expect(final).toMatchObject({ outcome: "answered", call: { provider: "second", attempts: 4 } });
  });

  test("one that is not there: refused and unreachable alike", async () => {
    verifies("provider.fallback", "provider.timeouts");
    const { status, final } = await outcome("dead-one");
    expect(status).toBe(200);
    expect(final.call).toMatchObject({ provider: "second", attempts: 4 });
    for (const model of ["gone-one", "nowhere-one"]) {
      const alone = await outcome(model);
      expect([alone.status, alone.final.call.code]).toEqual([502, "upstream_error"]);
      expect(JSON.stringify(alone.body)).not.toMatch(/127\.0\.0\.1|192\.0\.2\.1|ECONN/);
    }
  });

  test("one that asks for patience we do not have: the next at once", async () => {
    verifies("provider.fallback");
    const { status, final, sent } = await outcome("fake-both", fails(429, { retryAfter: 900 }));
    expect([status, sent]).toEqual([200, 1]);
    expect(final.call).toMatchObject({ provider: "second", attempts: 2 });
  });

  test("one that asks for a little patience gets it", async () => {
    verifies("provider.retries");
    const { status, final } = await outcome("fake-both", fails(429, { retryAfter: 0 }), says("Now."));
    expect(status).toBe(200);
    expect(final.call).toMatchObject({ provider: "fake", attempts: 2 });
  });

  test("a rate limit that stays: 429, and the client is told not to hammer", async () => {
    verifies("provider.retries");
    const { status, body, headers, final } = await outcome("fake-one", fails(429, { retryAfter: 900 }));
    expect(status).toBe(429);
    expect(body).toMatchObject({ error: { type: "upstream_error", code: "upstream_rate_limited" } });
    expect(headers.get("x-should-retry")).toBe("false");
    expect(final.call).toMatchObject({ attempts: 1, code: "upstream_rate_limited" });
  });

  test("the same before a stream begins, and never after", async () => {
    verifies("provider.retries");
    world.provider.next(fails(503), says("At last. "));
    const stream = await world.stream();
    expect(stream.content()).toBe("At last. ");
    expect((await world.recordsOf(stream)).final.call.attempts).toBe(2);

    world.provider.next(...times(3, fails(503)));
    const failed = await world.stream();
    expect([failed.status, failed.headers.get("content-type")]).toEqual([502, "application/json"]);

    const before = world.provider.calls.length;
    world.provider.next(says("Half of it. More.", { gapMs: 20, stop: { after: 4, how: "close" } }));
    const broken = await world.stream();
    expect(broken.events.at(-1)?.error?.code).toBe("upstream_error");
    expect(world.provider.calls.length).toBe(before + 1);
  });
});

describe("errors of providers about the request", () => {
  test.each([401, 403])("%d is about our key, not the caller's: 502, and the key is nowhere", async (status) => {
    verifies("provider.auth-failure");
    const body = { error: { message: `Incorrect API key provided: ${PROVIDER_KEY}`, code: "invalid_api_key" } };
    const { status: seen, body: shown, headers, final, sent } = await outcome("fake-one", fails(status, { body }));
    expect([seen, sent]).toEqual([502, 1]);
    expect(shown).toMatchObject({ error: { type: "upstream_error", code: "upstream_auth_failed", param: null } });
    expect(headers.get("www-authenticate")).toBeNull();
    expect(headers.get("x-should-retry")).toBe("false");
    expect(final).toMatchObject({ outcome: "upstream_error", call: { code: "upstream_auth_failed", attempts: 1 } });
    const providers = await world.hub.cli("provider", "list");
    const everything = [
      JSON.stringify(shown),
      [...headers].join(),
      JSON.stringify(await world.tail()),
      providers.stdout,
    ];
    for (const text of [...everything, JSON.stringify(world.hub.logs)]) expect(text).not.toContain(PROVIDER_KEY);
  });

  test("a wrong key at one provider: the next one answers", async () => {
    verifies("provider.fallback");
    const { status, final } = await outcome("fake-both", fails(401));
    expect(status).toBe(200);
    expect(final.call).toMatchObject({ provider: "second", attempts: 2 });
  });

  test.each([404, 501])("%d of one provider: the next one may have it", async (status) => {
    verifies("provider.failover");
    const { status: seen, final } = await outcome("fake-both", ...times(3, fails(status)));
    expect(seen).toBe(200);
    expect(final.call).toMatchObject({ provider: "second" });
  });

  test("404 of every provider is what the last one says", async () => {
    verifies("provider.failover");
    const error = { message: "No such model", type: "invalid_request_error", param: "model", code: "not_here" };
    world.provider.next(fails(404));
    second.next(fails(404, { body: { error } }));
    const response = await ask("fake-both");
    const body: unknown = await response.json();
    expect([response.status, body]).toEqual([404, { error }]);
    expect((await world.recordsOf(response)).final).toMatchObject({ call: { attempts: 2, provider: "second" } });
  });

  test("a provider that fails again and again is asked after the others, until it works again", async () => {
    verifies("provider.breaker");
    for (let failed = 0; failed < 5; failed += 1) await outcome("fake-both", fails(401));
    const { sent, final } = await outcome("fake-both");
    expect(sent).toBe(0);
    expect(final.call).toMatchObject({ provider: "second", attempts: 1 });
    // Without another it is asked all the same.
    expect((await outcome("fake-one")).status).toBe(200);
    expect((await outcome("fake-both")).final.call).toMatchObject({ provider: "fake", attempts: 1 });
  });

  test.each([400, 404, 422])("%d about the request passes, scanned, once", async (status) => {
    verifies("provider.refusals");
    const error = {
      message: `max_tokens is too large. Ask ${PERSONAL.email}, key ${SECRETS.github}`,
      type: "invalid_request_error",
      param: "max_tokens",
      code: "too_large",
      internal: "host-17",
    };
    const {
      status: seen,
      body,
      headers,
      final,
      sent,
    } = await outcome(status === 404 ? "fake-one" : "fake-both", fails(status, { body: { error } }));
    expect([seen, sent]).toEqual([status, 1]);
    expect(numberedIn(body)).toEqual({
      error: {
        message: "max_tokens is too large. Ask [pii.email:1], key [secret.github_token:1]",
        type: "invalid_request_error",
        param: "max_tokens",
        code: "too_large",
      },
    });
    expect(headers.get("x-should-retry")).toBe("false");
    expect(final).toMatchObject({
      outcome: "upstream_error",
      call: { status, code: "upstream_rejected", action: "redact", attempts: 1 },
    });
  });

  test("a refusal in another shape: its status, our words", async () => {
    verifies("provider.refusals");
    const bodies: [string | object, string][] = [
      ["<html>400 nginx</html>", "text/html"],
      ["", "text/plain"],
      [{ detail: "nope" }, "application/json"],
      [{ error: "just a string" }, "application/json"],
      ["[1,2]", "application/json"],
    ];
    for (const [body, contentType] of bodies) {
      const { status, body: shown } = await outcome("fake-one", fails(400, { body, contentType }));
      expect(status).toBe(400);
      expect(shown).toEqual({
        error: {
          message: "The provider refused the request.",
          type: "invalid_request_error",
          param: null,
          code: "upstream_rejected",
        },
      });
    }
  });

  test("a refusal of a streamed call is an error, not a stream", async () => {
    verifies("provider.refusals");
    world.provider.next(fails(400, { body: { error: { message: "No such option", code: "bad" } } }));
    const stream = await world.stream();
    expect([stream.status, stream.headers.get("content-type")]).toEqual([400, "application/json"]);
    expect(JSON.parse(stream.text)).toMatchObject({ error: { message: "No such option", code: "bad" } });
  });

  test("a redirect is not followed: our key goes where the operator said, and nowhere else", async () => {
    verifies("provider.redirect");
    const before = second.requests.length;
    for (const status of [301, 302, 307, 308]) {
      const reply = fails(status, { body: "", headers: { location: `${second.url}/chat/completions` } });
      const { status: seen, body } = await outcome("fake-one", ...times(3, reply));
      expect(seen).toBe(502);
      expect(body).toMatchObject({ error: { code: "upstream_error" } });
    }
    expect(second.requests).toHaveLength(before);
  });

  const unreadable: Record<string, Reply> = {
    "no JSON": sends(["Hello"], { contentType: "application/json" }),
    "JSON that is no object": sends(['"Hello"'], { contentType: "application/json" }),
    "half an answer": says("Hello there, this is long enough", { stop: { after: 0, how: "close" } }),
    nothing: sends([""], { contentType: "application/json" }),
    "too deep to be read": sends([`{"choices":[{"message":{"deep":${"[".repeat(200)}"x"${"]".repeat(200)}}}]}`], {
      contentType: "application/json",
    }),
  };
  test.each(Object.keys(unreadable))("an answer that is %s is a 502, and is not asked for again", async (name) => {
    const reply = unreadable[name];
    const { status, body, final, sent } = await outcome("fake-one", ...(reply ? [reply] : []));
    expect([status, sent]).toEqual([502, 1]);
    expect(body).toMatchObject({ error: { code: "upstream_error" } });
    expect(final.outcome).toBe("upstream_error");
  });
});
