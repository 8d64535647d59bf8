import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { CallDeadline } from "#guard/call-deadline";
import { OpenCalls } from "#guard/open-calls";
import type { ModelApiName } from "#model/model-api";
import type { ModelAliases, ProviderKind } from "#model/provider";
import { verifies } from "#test/support/verifies";
import { Breaker } from "#upstream/breaker";
import { NO_CREDENTIAL } from "#upstream/credentials/header-credential";
import { bodyOf } from "#upstream/kinds";
import { UpstreamFailure } from "#upstream/port";
import { checkProvider } from "#upstream/provider-check";
import { ProviderUpstream } from "#upstream/provider-upstream";
import { Reachability } from "#upstream/reachability";
import { MovedClock, opened } from "./credentials/scripted-issuer";

type Got = { readonly path: string; readonly headers: Headers; readonly text: string };

/** A provider that answers what it is told to and remembers what it got. */
class RecordingProvider implements Disposable {
  readonly got: Got[] = [];
  readonly #server: ReturnType<typeof Bun.serve>;

  constructor(answer: (got: Got) => Response = () => Response.json({ ok: true })) {
    this.#server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: async (request) => {
        const { pathname, search } = new URL(request.url);
        const got = { path: pathname + search, headers: request.headers, text: await request.text() };
        this.got.push(got);
        return answer(got);
      },
    });
  }

  get url(): string {
    return `http://127.0.0.1:${this.#server.port}`;
  }

  [Symbol.dispose](): void {
    this.#server.stop(true);
  }
}

type Wish = {
  readonly kind: ProviderKind;
  readonly api: ModelApiName;
  readonly path: string;
  readonly base?: string;
  readonly stream?: boolean;
  readonly aliases?: ModelAliases;
  readonly headers?: Readonly<Record<string, string>>;
  readonly request?: Readonly<Record<string, unknown>>;
  readonly key?: string;
};

const upstreamOf = (url: string, { kind, base = "", aliases = {}, key }: Wish, breaker: Breaker) =>
  new ProviderUpstream({
    ...{ name: "tested", kind, baseUrl: url + base, aliases, breaker, firstByteMs: 30_000, answerBytes: 1_000_000 },
    credential: key === undefined ? NO_CREDENTIAL : opened({ kind, secret: key, credential: { source: "key" } }),
    reachability: new Reachability(30_000, Date.now),
  });

const callOf = ({ api, path, stream = false, headers = {}, request }: Wish) => {
  const body = request ?? { model: "asked-model", n: 1 };
  const model = String(body["model"]);
  const deadline = new CallDeadline({
    ...{ client: new AbortController().signal, openCalls: new OpenCalls(), totalMs: 60_000 },
    ...{
      noteOpen: () => {},
      stopped: () => null,
      subject: () => ({ user_id: "", agent_id: null, model, server_id: null }),
    },
  });
  return { api, path, stream, headers, request: body, body: JSON.stringify(body), model, attempt: deadline.attempt() };
};

const sent = async (wish: Wish): Promise<Got> => {
  using provider = new RecordingProvider();
  const breaker = new Breaker({ now: Date.now });
  await upstreamOf(provider.url, wish, breaker).call(callOf(wish));
  const [got] = provider.got;
  if (!got) throw new Error("nothing came");
  return got;
};

const CHAT = { api: "chat", path: "/chat/completions" } as const;
const RESPONSES = { api: "responses", path: "/responses" } as const;
const MESSAGES = { api: "messages", path: "/messages" } as const;
const PROJECT = "/v1/projects/p/locations/global";

describe("where a call goes", () => {
  const cases: readonly (readonly [Wish, string])[] = [
    [{ kind: "openai", base: "/v1", ...CHAT }, "/v1/chat/completions"],
    [{ kind: "openai", base: "/api/v1", ...RESPONSES }, "/api/v1/responses"],
    [{ kind: "openai", api: "embeddings", path: "/embeddings" }, "/embeddings"],
    [{ kind: "anthropic", ...MESSAGES }, "/v1/messages"],
    [{ kind: "anthropic", base: "/v1", ...MESSAGES }, "/v1/messages"],
    [{ kind: "anthropic", api: "messages", path: "/messages/count_tokens" }, "/v1/messages/count_tokens"],
    [{ kind: "azure", ...CHAT }, "/openai/v1/chat/completions"],
    [{ kind: "azure", base: "/openai/v1", ...RESPONSES }, "/openai/v1/responses"],
    [{ kind: "azure", ...MESSAGES }, "/anthropic/v1/messages"],
    [{ kind: "bedrock", ...CHAT }, "/openai/v1/chat/completions"],
    [{ kind: "bedrock", ...MESSAGES }, "/anthropic/v1/messages"],
    [{ kind: "bedrock", base: "/v1", ...RESPONSES }, "/v1/responses"],
    [{ kind: "vertex", base: PROJECT, ...CHAT }, `${PROJECT}/endpoints/openapi/chat/completions`],
    [{ kind: "vertex", base: PROJECT, ...MESSAGES }, `${PROJECT}/publishers/anthropic/models/asked-model:rawPredict`],
    [
      { kind: "vertex", base: PROJECT, ...MESSAGES, stream: true },
      `${PROJECT}/publishers/anthropic/models/asked-model:streamRawPredict`,
    ],
    [
      { kind: "vertex", base: PROJECT, api: "messages", path: "/messages/count_tokens" },
      `${PROJECT}/publishers/anthropic/models/count-tokens:rawPredict`,
    ],
  ];
  test.each([...cases])("%j", async (wish, path) => {
    verifies("provider.kinds");
    expect((await sent(wish)).path).toBe(path);
  });
});

describe("what goes there", () => {
  test("Anthropic's headers go to those who know them, with a version where there is none", async () => {
    verifies("provider.anthropic-headers");
    const headers = { "anthropic-version": "2024-01-01", "anthropic-beta": "a-1,b-2", "x-other": "never" };
    const seen = async (wish: Wish) => {
      const { headers: got } = await sent(wish);
      return ["anthropic-version", "anthropic-beta", "x-other"].map((name) => got.get(name));
    };
    for (const kind of ["anthropic", "azure", "bedrock"] as const) {
      expect(await seen({ kind, ...MESSAGES, headers })).toEqual(["2024-01-01", "a-1,b-2", null]);
      expect(await seen({ kind, ...MESSAGES })).toEqual(["2023-06-01", null, null]);
    }
    expect(await seen({ kind: "vertex", base: PROJECT, ...MESSAGES, headers })).toEqual([null, "a-1,b-2", null]);
    expect(await seen({ kind: "openai", ...MESSAGES, headers })).toEqual([null, null, null]);
    expect(await seen({ kind: "azure", ...CHAT, headers })).toEqual([null, null, null]);
  });

  test("Vertex has the model in the address and the version in the body", async () => {
    verifies("provider.kinds");
    const request = { model: "claude-x", max_tokens: 5, messages: [], stream: true };
    const wish: Wish = { kind: "vertex", base: PROJECT, ...MESSAGES, stream: true, request };
    expect((await sent(wish)).text).toBe(
      '{"anthropic_version":"vertex-2023-10-16","max_tokens":5,"messages":[],"stream":true}',
    );
    const own = { ...wish, request: { ...request, anthropic_version: "vertex-2030-01-01" } };
    expect(JSON.parse((await sent(own)).text)).toMatchObject({ anthropic_version: "vertex-2030-01-01" });
    const named = await sent({ ...wish, request: { ...request, model: "a/b c?d" } });
    expect(named.path).toBe(`${PROJECT}/publishers/anthropic/models/a%2Fb%20c%3Fd:streamRawPredict`);
    // Its endpoint for counting has the name of the model in the body.
    const counting = await sent({ ...wish, path: "/messages/count_tokens", stream: false });
    expect(JSON.parse(counting.text)).toMatchObject({ model: "claude-x", anthropic_version: "vertex-2023-10-16" });
  });

  test("an alias becomes the provider's name, and nothing else of the body changes", async () => {
    verifies("provider.aliases");
    const aliases = { "gpt-5": "my-deployment" };
    const request = { z: [1, { model: "gpt-5" }], model: "gpt-5", a: "ü\u2028" };
    const changed = await sent({ kind: "azure", ...CHAT, aliases, request });
    expect(changed.text).toBe(JSON.stringify(request).replace('],"model":"gpt-5"', '],"model":"my-deployment"'));
    const other = await sent({ kind: "azure", ...CHAT, aliases, request: { ...request, model: "constructor" } });
    expect(JSON.parse(other.text)).toMatchObject({ model: "constructor" });
    const path = (await sent({ kind: "vertex", base: PROJECT, ...MESSAGES, aliases, request })).path;
    expect(path).toContain("/models/my-deployment:rawPredict");
  });

  test("of any request, an alias changes the model alone", () => {
    verifies("provider.aliases");
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue(), { noNullPrototype: true }), (rest) => {
        const request = { ...rest, model: "asked" };
        const call = { ...CHAT, model: "other", stream: false };
        const body = bodyOf("openai", call, "asked", request);
        expect(body).toEqual({ ...request, model: "other" });
        expect(Object.keys(body ?? {})).toEqual(Object.keys(request));
        expect(bodyOf("openai", { ...call, model: "asked" }, "asked", request)).toBeNull();
      }),
    );
  });
});

/** Signature Version 4 as its receiver computes it, from what came over the wire alone. */
const signatureOf = ({ path, headers, text }: Got, secret: string): string => {
  const hex = (data: string) => new Bun.CryptoHasher("sha256").update(data).digest("hex");
  const hmac = (key: string | Buffer, data: string) => new Bun.CryptoHasher("sha256", key).update(data).digest();
  const [, scope = "", names = ""] =
    /Credential=\w+\/(\S+), SignedHeaders=(\S+),/.exec(headers.get("authorization") ?? "") ?? [];
  const lines = names.split(";").map((name) => `${name}:${headers.get(name)?.replaceAll(/ +/g, " ")}\n`);
  const request = ["POST", path, "", lines.join(""), names, hex(text)].join("\n");
  const signed = ["AWS4-HMAC-SHA256", headers.get("x-amz-date"), scope, hex(request)].join("\n");
  const key = scope.split("/").reduce<string | Buffer>((from, part) => hmac(from, part), `AWS4${secret}`);
  return hmac(key, signed).toString("hex");
};

test("what is signed is what arrives: body, host and headers", async () => {
  verifies("provider.sigv4");
  using provider = new RecordingProvider();
  const secret = "secret/of/the/keys+for+tests";
  const wish: Wish = {
    kind: "bedrock",
    ...MESSAGES,
    headers: { "anthropic-beta": "a,  b" },
    request: { text: "ü\u2028" },
  };
  const upstream = new ProviderUpstream({
    ...{ name: "tested", kind: "bedrock", baseUrl: provider.url, aliases: {}, firstByteMs: 30_000, answerBytes: 1_000 },
    credential: opened({
      ...{ kind: "bedrock", secret, clock: new MovedClock() },
      credential: { source: "aws-keys", access_key_id: "AKIAFORTESTS", region: "eu-west-1" },
    }),
    ...{ breaker: new Breaker({ now: Date.now }), reachability: new Reachability(30_000, Date.now) },
  });
  await upstream.call(callOf(wish));
  const [got] = provider.got;
  if (!got) throw new Error("nothing came");
  const authorization = got.headers.get("authorization") ?? "";
  expect(authorization).toContain("SignedHeaders=anthropic-beta;anthropic-version;content-type;host;x-amz-date,");
  expect(authorization).toEndWith(`Signature=${signatureOf(got, secret)}`);
});

describe("a credential that the provider refuses", () => {
  test("is asked for again when it had run out, and the call is sent once more", async () => {
    verifies("provider.tokens-renewed");
    const clock = new MovedClock();
    let given = 0;
    using issuer = new RecordingProvider(() => Response.json({ access_token: `token-${given++}`, expires_in: 3_600 }));
    using provider = new RecordingProvider(({ headers }) =>
      headers.get("authorization") === "Bearer token-1"
        ? Response.json({ ok: true })
        : new Response("", { status: 401 }),
    );
    const upstream = new ProviderUpstream({
      ...{ name: "tested", kind: "azure", baseUrl: provider.url, aliases: {}, firstByteMs: 30_000, answerBytes: 1_000 },
      credential: opened({
        ...{ kind: "azure", secret: "client-secret", clock, environment: { AZURE_AUTHORITY_HOST: issuer.url } },
        credential: { source: "entra", tenant_id: "t", client_id: "c" },
      }),
      ...{ breaker: new Breaker({ now: clock.now }), reachability: new Reachability(30_000, clock.now) },
    });
    const wish: Wish = { kind: "azure", ...CHAT };
    await expect(upstream.call(callOf(wish))).rejects.toMatchObject({ error: { code: "upstream_auth_failed" } });
    // One that was only just given is not asked for again: a provider that refuses all would flood the issuer.
    expect([given, provider.got.length]).toEqual([1, 1]);
    clock.ms += 60_000;
    expect(await upstream.call(callOf(wish))).toEqual({ kind: "whole", text: '{"ok":true}' });
    expect([given, provider.got.length]).toEqual([2, 3]);
  });

  test("is in no answer that repeats it, and what an issuer says is in no error", async () => {
    verifies("provider.no-secrets");
    const key = "a-long-key-for-tests";
    using provider = new RecordingProvider(({ headers }) =>
      Response.json({ error: `you sent ${headers.get("x-api-key")}` }, { status: 400 }),
    );
    const breaker = new Breaker({ now: Date.now });
    const wish: Wish = { kind: "anthropic", ...MESSAGES, key };
    const answer = await upstreamOf(provider.url, wish, breaker).call(callOf(wish));
    expect(answer).toEqual({ kind: "refused", status: 400, text: '{"error":"you sent [provider key]"}' });
    using issuer = new RecordingProvider(() => Response.json({ error: "words of the issuer" }, { status: 400 }));
    const upstream = new ProviderUpstream({
      ...{ name: "tested", kind: "azure", baseUrl: provider.url, aliases: {}, firstByteMs: 30_000, answerBytes: 1_000 },
      credential: opened({
        ...{ kind: "azure", secret: "client-secret", environment: { AZURE_AUTHORITY_HOST: issuer.url } },
        credential: { source: "entra", tenant_id: "t", client_id: "c" },
      }),
      ...{ breaker, reachability: new Reachability(30_000, Date.now) },
    });
    const failed = await upstream.call(callOf({ kind: "azure", ...CHAT })).catch((error: unknown) => error);
    expect(failed).toMatchObject({ retryable: true, error: { code: "upstream_auth_failed" } });
    expect(String(failed)).not.toMatch(/words of the issuer|client-secret|127\.0\.0\.1/);
  });
});

describe("what a provider says of its own failure", () => {
  const overloaded = { type: "error", error: { type: "overloaded_error", message: "Overloaded a-long-key-for-tests" } };
  const failing = async (status: number, answer: () => Response) => {
    using provider = new RecordingProvider(() => new Response(answer().body, { status }));
    const wish: Wish = { kind: "anthropic", ...MESSAGES, key: "a-long-key-for-tests" };
    const upstream = upstreamOf(provider.url, wish, new Breaker({ now: Date.now }));
    const failed: unknown = await upstream.call(callOf(wish)).catch((error: unknown) => error);
    return failed instanceof UpstreamFailure ? failed.said : failed;
  };

  test("is kept without our key, for APIs that show it", async () => {
    verifies("provider.own-failures", "provider.no-secrets");
    for (const status of [429, 500, 529]) {
      expect(await failing(status, () => Response.json(overloaded))).toEqual({
        ...{ status, text: JSON.stringify(overloaded).replace("a-long-key-for-tests", "[provider key]") },
      });
    }
  });

  test("is not kept where it is about our key, or no JSON", async () => {
    verifies("provider.own-failures");
    for (const status of [401, 403]) expect(await failing(status, () => Response.json(overloaded))).toBeNull();
    expect(await failing(502, () => new Response("<html>inner-host-17</html>"))).toBeNull();
    expect(await failing(500, () => new Response(null))).toBeNull();
    expect(await failing(503, () => Response.json({ message: "inner-host-17" }))).toBeNull();
  });
});

describe("testing a provider", () => {
  test("says of each API what an empty request came to", async () => {
    verifies("provider.test-apis");
    using provider = new RecordingProvider(({ path }) => {
      if (path === "/v1/models") return Response.json({ data: [{ id: "m-1" }] });
      const status = { "/v1/chat/completions": 400, "/v1/responses": 404, "/v1/embeddings": 401 }[path] ?? 500;
      return new Response("words", { status });
    });
    const credential = opened({ kind: "openai", secret: "key-for-tests", credential: { source: "key" } });
    const apis = ["chat", "responses", "embeddings", "completions"] as const;
    const checked = {
      kind: "openai",
      baseUrl: `${provider.url}/v1`,
      models: ["m-*"],
      aliases: {},
      credential,
    } as const;
    expect(await checkProvider({ ...checked, apis, maxBytes: 1_000 })).toMatchObject({
      ...{ ok: true, status: 200, models: ["m-1"], problem: null },
      apis: [
        { api: "chat", ok: true, status: 400, problem: null },
        { api: "responses", ok: false, status: 404, problem: "The provider does not have this API at this address." },
        { api: "embeddings", ok: false, status: 401, problem: "The provider refused the key." },
        { api: "completions", ok: false, status: 500, problem: "The provider failed." },
      ],
    });
    expect(provider.got.filter(({ path }) => path !== "/v1/models").map(({ text }) => text)).toEqual(
      apis.map(() => "{}"),
    );
  });

  test("of a kind that lists no models goes by its APIs", async () => {
    verifies("provider.test-apis");
    using provider = new RecordingProvider(
      ({ path }) => new Response("", { status: path.includes("raw") ? 400 : 404 }),
    );
    const checked = { kind: "vertex", baseUrl: provider.url + PROJECT, models: ["claude-x"], aliases: {} } as const;
    const check = await checkProvider({
      ...{ ...checked, apis: ["chat", "messages"], maxBytes: 1_000, credential: NO_CREDENTIAL },
    });
    expect(check).toMatchObject({ ok: true, status: 400, models: [], problem: null });
    expect(check.apis.map(({ ok }) => ok)).toEqual([false, true]);
    expect(provider.got.map(({ path }) => path)).toContain(
      `${PROJECT}/publishers/anthropic/models/claude-x:rawPredict`,
    );
  });
});
