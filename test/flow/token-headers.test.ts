import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { verifies } from "#test/support/verifies";
import { ChatWorld, MODEL, USER } from "./chat-world";

let world: ChatWorld;
let other: string;
beforeAll(async () => {
  world = await ChatWorld.open();
  ({ token: other } = await world.hub.createToken(USER));
});
afterAll(() => world[Symbol.asyncDispose]());

type Headers = Readonly<Record<string, string>>;
const CHAT = { model: MODEL, messages: [{ role: "user", content: "Hello there" }] };
const LIST = { method: "tools/list" };

/** How a model call, a list of models and a list of tools are answered. */
const statuses = async (headers: Headers): Promise<readonly number[]> =>
  Promise.all([
    world.hub.fetch("/v1/chat/completions", { headers, json: CHAT }).then(({ status }) => status),
    world.hub.fetch("/v1/models", { headers }).then(({ status }) => status),
    world.hub.fetch("/v1/guard/scan", { headers, json: { text: "Hello" } }).then(({ status }) => status),
    world.hub.fetch("/mcp/gateway", { headers, json: LIST }).then(({ status }) => status),
  ]);
const IN = [200, 200, 200, 200];
const OUT = [401, 401, 401, 401];

describe("a gateway token", () => {
  test("is taken from Authorization, x-api-key or api-key", async () => {
    verifies("token.headers");
    const { token } = world;
    for (const headers of [{ authorization: `Bearer ${token}` }, { "x-api-key": token }, { "API-Key": ` ${token} ` }]) {
      expect(await statuses(headers)).toEqual(IN);
    }
  });

  test("may be there more than once, when it is the same", async () => {
    verifies("token.headers");
    const { token } = world;
    expect(await statuses({ authorization: `Bearer ${token}`, "x-api-key": token, "api-key": token })).toEqual(IN);
  });

  test("of two different ones none counts, though both are good", async () => {
    verifies("token.headers", "token.one-refusal");
    const { token } = world;
    const pairs: readonly Headers[] = [
      { authorization: `Bearer ${token}`, "x-api-key": other },
      { authorization: `Bearer ${token}`, "api-key": "sk-dummy" },
      { "x-api-key": token, "api-key": other },
      { authorization: "Basic eDp5", "x-api-key": token },
      { "x-api-key": `${token}, ${other}` },
    ];
    for (const headers of pairs) expect(await statuses(headers)).toEqual(OUT);
  });

  test("is refused alike wherever it stands, and never taken from the address", async () => {
    verifies("token.headers", "token.one-refusal");
    const bodies = new Set<string>();
    for (const headers of [{}, { "x-api-key": "x" }, { "api-key": `${world.token}x` }, { "x-api-key": "" }]) {
      const response = await world.hub.fetch("/v1/models", { headers });
      expect(response.status).toBe(401);
      expect(response.headers.get("www-authenticate")).toBe("Bearer");
      bodies.add(await response.text());
    }
    expect(bodies.size).toBe(1);
    const inQuery = await world.hub.fetch(
      `/v1/models?api-key=${world.token}&x-api-key=${world.token}&key=${world.token}`,
    );
    expect(inQuery.status).toBe(401);
  });

  test("gateway tokens do not permit /api", async () => {
    verifies("token.headers");
    for (const name of ["x-api-key", "api-key"]) {
      expect((await world.hub.fetch("/api/me", { headers: { [name]: world.token } })).status).toBe(401);
    }
  });

  test("may be sent by web pages that may call the tool gateway", async () => {
    verifies("token.headers");
    const preflight = await world.hub.fetch("/mcp/gateway", {
      method: "OPTIONS",
      headers: {
        origin: "http://localhost:5173",
        "access-control-request-method": "POST",
        "access-control-request-headers": "x-api-key,api-key,x-other",
      },
    });
    expect(preflight.headers.get("access-control-allow-headers")).toBe("x-api-key, api-key");
  });
});

describe("clients that send it so", () => {
  test("OpenAI's client as Azure's addresses are called: api-key", async () => {
    verifies("token.headers");
    const defaultHeaders = { authorization: null, "api-key": world.token };
    const answer = await world
      .client({ apiKey: "unused", defaultHeaders })
      .chat.completions.create({ model: MODEL, messages: [{ role: "user", content: "Hi" }] });
    expect(answer.choices[0]?.message.content).toBe("Hello from the fake provider.");
  });

  test("Anthropic's client: x-api-key", async () => {
    verifies("token.headers");
    const models = await new Anthropic({ baseURL: world.hub.url, apiKey: world.token, maxRetries: 0 }).models.list();
    expect(models.data.map(({ id }) => id)).toContain(MODEL);
  });
});

describe("a refused token", () => {
  test("is an authentication error to clients that read status, code or words", async () => {
    verifies("token.one-refusal", "errors.clients");
    const client = world.client({ apiKey: `${world.token}x` });
    const error = await client.models.list().then(
      () => null,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(OpenAI.AuthenticationError);
    expect(error).toMatchObject({ status: 401, code: "invalid_api_key", type: "invalid_request_error" });
    // LiteLLM goes by OpenAI's own words: without them it takes any `invalid_request_error` for a bad request.
    expect(String(error)).toContain("Incorrect API key provided");
  });
});
