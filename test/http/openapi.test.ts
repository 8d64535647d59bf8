import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import { isRecord, type JsonRecord } from "#core/json";
import { asDocumented } from "#test/support/answer-check";
import { ApiDocument, type Operation } from "#test/support/api-document";
import { verifies } from "#test/support/verifies";
import { House } from "./house";

let house: House;
let api: ApiDocument;
let text: string;
beforeAll(async () => {
  house = await House.open();
  text = await (await house.fetch("/openapi.json")).text();
  api = new ApiDocument(JSON.parse(text));
});
afterAll(() => house[Symbol.asyncDispose]());

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
    const served = house.app.web.routes.map(({ method, path }) => {
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
    expect(await (await house.fetch("/openapi.json")).text()).toBe(text);
    await using based = await House.open("https://hub.example/guard");
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
    const headers = { authorization: `Bearer ${house.token}` };
    for (const path of ["/v1/models", "/v1/guard/miss-reports", "/v1/guard/tuning/", "/v1/nothing", "/api/users/"]) {
      expect((await house.fetch(path, { headers })).headers.get("content-type")).toMatch(/^application\/json/);
    }
    const odd = Response.json({ status: "ok", more: 1 });
    const load = () => Promise.resolve(text);
    expect(asDocumented(odd, { method: "GET", path: "/healthz", load })).rejects.toThrow("not as documented");
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
    const answer = await house.fetch("/docs/api");
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
    const policy = answer.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("connect-src 'self'");
    const page = await answer.text();
    expect(page).not.toMatch(/https?:\/\//);
    expect(page).not.toContain("innerHTML");
    expect(page.match(/fetch\("[^"]+"\)/g)).toEqual(['fetch("../openapi.json")']);
  });
});
