import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import { isRecord, type JsonRecord } from "#core/json/json";
import { asDocumented } from "#test/support/answer-check";
import { ApiDocument, type Operation } from "#test/support/api-document";
import { verifies } from "#test/support/verifies";
import { AppWorld } from "./app-world";

let world: AppWorld;
let api: ApiDocument;
let text: string;
beforeAll(async () => {
  world = await AppWorld.open();
  text = await (await world.fetch("/openapi.json")).text();
  api = new ApiDocument(JSON.parse(text));
});
afterAll(() => world[Symbol.asyncDispose]());

const named = ({ method, path }: { method: string; path: string }): string => `${method.toUpperCase()} ${path}`;
const recordsIn = (value: unknown): [string, JsonRecord][] =>
  Object.entries(isRecord(value) ? value : {}).flatMap(([name, one]) => (isRecord(one) ? [[name, one]] : []));
const responsesOf = (operation: Operation): [string, JsonRecord][] => Object.entries(api.responsesOf(operation));
const EMPTY = ["204", "302"];
const isWell = (status: string): boolean => status.startsWith("2") || status === "302";
const contentsOf = (part: unknown): [string, JsonRecord][] => (isRecord(part) ? recordsIn(part["content"]) : []);

/** Operations that fail a check, by name: what a test shows. */
const failing = (check: (operation: Operation) => boolean): string[] =>
  api.operations.filter((operation) => !check(operation)).map(named);

describe("the document", () => {
  test("has every route the router has, and no other", () => {
    verifies("api.documented");
    const served = world.app.web().routes.map(({ method, path }) => {
      const rest = path.startsWith("/v1/models/") ? "{model}" : "{path}";
      return `${method} ${path.replace(/:(\w+)/g, "{$1}").replace("*", rest)}`;
    });
    const documented = new Set(api.operations.map(named));
    const all = served.filter((route) => route.startsWith("ALL ")).map((route) => route.slice(4));
    expect(served.filter((route) => !route.startsWith("ALL ") && !documented.has(route))).toEqual([]);
    expect(all.filter((path) => !documented.has(`POST ${path}`))).toEqual([]);
    expect(
      [...documented].filter((one) => !served.includes(one) && !all.some((path) => one.endsWith(` ${path}`))),
    ).toEqual([]);
    expect(documented.size).toBeGreaterThan(100);
  });

  test("is OpenAPI 3.1 by a validator that is not ours, and every reference leads somewhere", async () => {
    verifies("api.documented");
    const result = await new Validator().validate(JSON.parse(text));
    expect(result).toMatchObject({ valid: true });
    const schemas = recordsIn(api.document["components"]).find(([name]) => name === "schemas")?.[1] ?? {};
    const dangling = [...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)].filter(
      ([, name = ""]) => !(name in schemas),
    );
    expect(dangling).toEqual([]);
    expect(await new Validator().validate({ openapi: "3.1.0", info: {} })).toMatchObject({ valid: false });
  });

  test("says of every operation what it is, who may call it, and under which heading", () => {
    verifies("api.documented");
    const ids = api.operations.map(({ it }) => it["operationId"]);
    expect(new Set(ids).size).toBe(ids.length);
    expect(failing(({ it }) => typeof it["summary"] === "string" && it["summary"].length > 5)).toEqual([]);
    expect(failing(({ it }) => Array.isArray(it["tags"]) && it["tags"].length === 1)).toEqual([]);
    expect(
      failing(
        ({ it }) => Array.isArray(it["security"]) && (it["security"].length > 0 || typeof it["x-open"] === "string"),
      ),
    ).toEqual([]);
  });

  test("says what stands under each heading, and has no heading with nothing under it", () => {
    verifies("api.documented");
    const used = new Set(api.operations.flatMap(({ it }) => it["tags"]));
    const tags: unknown = api.document["tags"];
    const told = Array.isArray(tags) ? tags.filter(isRecord) : [];
    expect(new Set(told.map(({ name }) => name))).toEqual(used);
    expect(told.filter(({ description }) => typeof description !== "string" || description === "")).toEqual([]);
  });

  test("has a parameter for each variable of a path, and every parameter a schema", () => {
    verifies("api.documented");
    const of = ({ it }: Operation): JsonRecord[] =>
      Array.isArray(it["parameters"]) ? it["parameters"].filter(isRecord) : [];
    expect(
      failing((operation) => {
        const wanted = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
        const said = of(operation).filter((one) => one["in"] === "path" && one["required"] === true);
        return JSON.stringify(said.map(({ name }) => name)) === JSON.stringify(wanted);
      }),
    ).toEqual([]);
    expect(failing((operation) => of(operation).every(({ schema }) => isRecord(schema)))).toEqual([]);
  });

  test("says how each operation answers when it goes well, and with which codes when it does not", () => {
    verifies("api.documented");
    const isAnswered = (operation: Operation): boolean => {
      const well = responsesOf(operation).filter(([status]) => isWell(status));
      const hasBody = well.some(([status, answer]) => EMPTY.includes(status) || contentsOf(answer).length > 0);
      return operation.it["deprecated"] === true || hasBody || named(operation) === "POST /api/auth/oauth2/revoke";
    };
    expect(failing(isAnswered)).toEqual([]);
    expect(
      failing((operation) => responsesOf(operation).some(([, answer]) => Array.isArray(answer["x-error-codes"]))),
    ).toEqual([]);
  });

  test("lists what a provider may be at fault for, at every call of a model", () => {
    verifies("api.documented");
    const ofModels = api.operations.filter(({ path }) =>
      /^\/v1\/(?:chat|responses|messages|embeddings|completions)(?:\/|$)/.test(path),
    );
    expect(ofModels.length).toBeGreaterThanOrEqual(12);
    const codes = (operation: Operation): unknown[] =>
      responsesOf(operation).flatMap(([, answer]) => JSON.stringify(answer).match(/\bupstream_[a-z_]+?\b/g) ?? []);
    const wanted = ["upstream_auth_failed", "upstream_error", "upstream_rate_limited", "upstream_timeout"];
    expect(ofModels.filter((one) => !wanted.every((code) => codes(one).includes(code))).map(named)).toEqual([]);
  });

  test("names an answer that is no refusal for all operations but those that are gone and only ever refuse", () => {
    verifies("api.documented");
    const isGood = (status: string): boolean => /^[23]/.test(status);
    const without = api.operations.filter((one) => !responsesOf(one).some(([status]) => isGood(status)));
    expect(without.filter(({ it }) => it["deprecated"] !== true).map(named)).toEqual([]);
    expect(without).not.toEqual([]);
  });

  test("has an example for every body, and each fits its schema", () => {
    verifies("api.examples");
    const faults: string[] = [];
    let examples = 0;
    for (const operation of api.operations) {
      const parts: [string, unknown][] = [["body", operation.it["requestBody"]], ...responsesOf(operation)];
      for (const [part, it] of parts) {
        for (const [media, { schema, example, examples: several }] of contentsOf(it)) {
          const name = `${named(operation)} ${part} ${media}`;
          const given = example === undefined ? recordsIn(several).map(([, one]) => one["value"]) : [example];
          if (given.length === 0) faults.push(`${name}: no example`);
          for (const one of given) {
            examples += 1;
            const fault = isRecord(schema) ? api.mismatch(schema, one) : "no schema";
            if (fault) faults.push(`${name}: ${fault}`);
          }
        }
      }
    }
    expect(faults).toEqual([]);
    expect(examples).toBeGreaterThan(200);
  });

  test("is the same each time, and knows the base path of its hub", async () => {
    verifies("api.documented");
    expect(await (await world.fetch("/openapi.json")).text()).toBe(text);
    await using based = await AppWorld.open("https://hub.example/guard");
    const answer = await based.fetch("/guard/openapi.json", { headers: { host: "hub.example" } });
    const below = new ApiDocument(JSON.parse(await answer.text()));
    expect(below.document["servers"]).toEqual([{ url: "https://hub.example/guard" }]);
    const outside = below.operations.filter(({ path }) => path.includes("/guard") && path.startsWith("/.well-known"));
    expect(below.operations.length - outside.length).toBe(api.operations.length);
    expect(outside.length).toBeGreaterThan(0);
  });
});

describe("holding answers against it", () => {
  const got = { method: "GET", path: "/healthz", status: 200, type: "application/json" };

  test("is what the tests do with every answer they get, and those are as documented", async () => {
    verifies("api.true");
    const headers = { authorization: `Bearer ${world.token}` };
    for (const path of ["/v1/models", "/v1/guard/miss-reports", "/v1/guard/tuning/", "/v1/nothing", "/api/users/"]) {
      expect((await world.fetch(path, { headers })).headers.get("content-type")).toMatch(/^application\/json/);
    }
    const odd = Response.json({ status: "ok", more: 1 });
    const load = () => Promise.resolve(text);
    expect(asDocumented(odd, { method: "GET", path: "/healthz", load })).rejects.toThrow("not as documented");
  });

  test("tells of JSON-RPC errors at the tool gateway, and of preflights as they are asked", async () => {
    verifies("api.true");
    const headers = { authorization: `Bearer ${world.token}`, "content-type": "application/json" };
    const rpc = { ...headers, "mcp-protocol-version": "2025-11-25" };
    const asked: [string, Record<string, string>, number][] = [
      ["[]", headers, 400],
      ["{", rpc, 400],
      ["{", headers, 400],
      ['{"method":"tools/call","params":{"name":"none__none"}}', headers, 404],
    ];
    for (const [body, sent, status] of asked) {
      const answer = await world.fetch("/mcp/gateway", { method: "POST", headers: sent, body });
      expect(answer.status).toBe(status);
      const type = answer.headers.get("content-type") ?? "";
      expect(api.faultOf({ method: "POST", path: "/mcp/gateway", status, type }, await answer.json())).toBeNull();
    }
    const preflight = api.operations.find((one) => named(one) === "OPTIONS /mcp/gateway");
    const origin = new URL("http://localhost:8787").origin;
    const answer = await world.fetch("/mcp/gateway", {
      method: "OPTIONS",
      headers: { origin, "access-control-request-method": "POST" },
    });
    expect(answer.status).toBe(204);
    expect(preflight?.it["security"]).toEqual([]);
    expect(preflight?.it["requestBody"]).toBeUndefined();
    expect(preflight?.it["parameters"]).toMatchObject([
      { name: "origin", in: "header", required: true },
      { name: "access-control-request-method", in: "header", required: true },
    ]);
  });

  test("says which texts the services refuse, too", () => {
    verifies("api.true");
    const bodies: [string, JsonRecord, JsonRecord][] = [
      ["NewInvitation", { email: "eve@example.com", role: "member" }, { email: "no address" }],
      ["NewInvitation", { email: "eve@example.com", name: "Eve", role: "member" }, { name: "a\u0007" }],
      ["NewWebhook", { url: "https://example.com/?a=b", events: ["report.*"] }, { url: "0" }],
      ["NewWebhook", { url: "https://example.com", events: ["*", "call.blocked.*"] }, { events: ["0"] }],
      ["NewProvider", { name: "one", base_url: "https://example.com/v1", models: ["gpt-*"] }, { name: "" }],
      ["NewProvider", { name: "one", base_url: "http://[::1]:80/v1", models: ["*"] }, { base_url: "" }],
      ["NewProvider", { name: "one", base_url: "https://example.com", models: ["*"], api_key: "k" }, { api_key: "" }],
      ["NewProvider", { name: "one", base_url: "https://example.com", models: ["*"] }, { models: [""] }],
      ["NewToolServer", { slug: "files", url: "https://example.com/mcp" }, { slug: "" }],
      ["NewToolServer", { slug: "files", url: "https://example.com/mcp" }, { url: "https://eve@example.com/" }],
    ];
    for (const [name, good, bad] of bodies) {
      const schema = { $ref: `#/components/schemas/${name}` };
      expect([name, api.mismatch(schema, good)]).toEqual([name, null]);
      expect([name, bad, api.mismatch(schema, { ...good, ...bad })]).not.toEqual([name, bad, null]);
    }
  });

  test("finds a field that is not documented, one that is missing, a status and an error code that are not listed", () => {
    expect(api.faultOf(got, { status: "ok" })).toBeNull();
    expect(api.faultOf(got, { status: "ok", more: 1 })).toContain("additional properties");
    expect(api.faultOf(got, {})).toContain("required");
    expect(api.faultOf({ ...got, status: 418 }, {})).toContain("status is not documented");
    const error = { error: { message: "m", type: "t", param: null, code: "stale_base" } };
    expect(api.faultOf({ ...got, path: "/v1/models", status: 401 }, error)).toContain("must be equal to one of");
    expect(api.faultOf({ ...got, path: "/nothing" }, {})).toBeNull();
  });
});

describe("the page to read it", () => {
  test("is served to anybody, loads nothing but the document, and runs under a policy that allows nothing else", async () => {
    verifies("api.page");
    const answer = await world.fetch("/docs/api");
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
    const policy = answer.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("connect-src 'self'");
    const page = await answer.text();
    expect(page).not.toMatch(/https?:\/\//);
    const [, script = ""] = /<script type="module" src="\.\/(assets\/api-[^"]+)"/.exec(page) ?? [];
    const code = await (await world.fetch(`/docs/${script}`)).text();
    expect(code).not.toContain("innerHTML");
    expect(code.match(/fetch\("[^"]+"\)/g)).toEqual(['fetch("../openapi.json")']);
  });
});
