import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { isRecord, type JsonRecord } from "#core/json/json";
import { HARNESS_NAMES } from "#model/verdict";
import { ApiDocument, type Operation } from "#test/support/api-document";
import { verifies } from "#test/support/verifies";
import { type Got, gotOf } from "./door";
import type { Name, Thing } from "./rules";
import { AuthorizationWorld } from "./world";

setDefaultTimeout(120_000);

let world: AuthorizationWorld;
let api: ApiDocument;
beforeAll(async () => {
  world = await AuthorizationWorld.open();
  const document: unknown = await (await world.hub.fetch("/openapi.json")).json();
  api = new ApiDocument(isRecord(document) ? document : {});
});
afterAll(() => world?.[Symbol.asyncDispose]());

const UNKNOWN = "01a1fbfa-d53a-7410-9bb7-0d100e31ae5a";

const ask = async (who: Name, path: string, json?: unknown, method?: string): Promise<Got> => {
  const token = world.keys.get(who) ?? "";
  return gotOf(await world.hub.fetch(path, { token, ...(json !== undefined && { json }), ...(method && { method }) }));
};
const theirs = (thing: Thing): string => world.things.get(thing) ?? "";
const listOf = ({ text }: Got): JsonRecord[] => {
  const { data }: { data: JsonRecord[] } = JSON.parse(text);
  return data;
};
const lists = (): Operation[] =>
  api.operations.filter(
    ({ method, it }) =>
      method === "get" && Array.isArray(it["parameters"]) && it["parameters"].some(({ name }) => name === "cursor"),
  );
const queryOf = ({ it }: Operation): JsonRecord[] =>
  Array.isArray(it["parameters"]) ? it["parameters"].filter((one) => isRecord(one) && one["in"] === "query") : [];
/** What a member may list for themselves. */
const ownLists = () =>
  lists().filter(({ path, it }) => path.startsWith("/api/") && !path.includes("{") && !("x-roles" in it));

describe("ids of other users' objects in bodies and filters answer as unknown ids", () => {
  test.each([
    ["/api/scan", (agent_id: string) => ({ text: "Hello.", agent_id })],
    ["/api/tokens", (agent_id: string) => ({ agent_id })],
  ] as const)("a body of %s", async (path, body) => {
    verifies("route.authorized");
    const foreign = await ask("stranger", path, body(theirs("agent")));
    const unknown = await ask("stranger", path, body(UNKNOWN));
    expect([foreign.status, foreign.text]).toEqual([unknown.status, unknown.text]);
    expect(foreign.status).toBe(404);
    expect((await ask("owner", path, body(theirs("agent")))).status).toBeLessThan(300);
  });

  test("authorization: no creating for others, no raising of own rights", async () => {
    verifies("route.authorized");
    const owner = "owner@example.com";
    for (const [path, body] of [
      ["/api/tokens", { user_id: theirs("user") }],
      ["/api/agents", { name: "theirs", owner }],
    ] as const) {
      const { status, code } = await ask("stranger", path, body);
      expect([path, status, code]).toEqual([path, 403, "insufficient_scope"]);
    }
    for (const path of ["/api/agents?all=true", "/api/tokens?all=true", "/api/tool-servers?all=true"]) {
      const { status, code } = await ask("stranger", path);
      expect([path, status, code]).toEqual([path, 403, "insufficient_scope"]);
    }
  });

  test("a list filtered by it shows nothing, and counts nothing", async () => {
    verifies("route.authorized");
    const filters = { agent_id: theirs("agent"), user_id: theirs("user"), token_id: theirs("token") };
    let tried = 0;
    for (const list of ownLists()) {
      for (const [name, id] of Object.entries(filters)) {
        if (!queryOf(list).some((one) => one["name"] === name)) continue;
        const foreign = await ask("stranger", `${list.path}?${name}=${id}`);
        const unknown = await ask("stranger", `${list.path}?${name}=${UNKNOWN}`);
        expect([list.path, foreign.status, foreign.text]).toEqual([list.path, 200, unknown.text]);
        expect(listOf(foreign)).toEqual([]);
        tried += 1;
      }
    }
    expect(tried).toBeGreaterThan(5);
  });

  test("a cursor of another user shows none of that user's objects", async () => {
    verifies("route.authorized");
    let seen = 0;
    for (const { path } of ownLists()) {
      const all = listOf(await ask("owner", path));
      const own = new Set(listOf(await ask("stranger", path)).map((one) => JSON.stringify(one)));
      for (const { id } of all.slice(0, 3)) {
        const { status, text } = await ask("stranger", `${path}?cursor=${id}`);
        if (status === 400) continue;
        const { data }: { data: JsonRecord[] } = JSON.parse(text);
        expect([path, data.filter((one) => !own.has(JSON.stringify(one)))]).toEqual([path, []]);
        seen += 1;
      }
    }
    expect(seen).toBeGreaterThan(5);
  });
});

describe("authorization: ids in request bodies", () => {
  /** Bodies that belong to other protocols, in which unknown fields mean nothing to us. */
  const OPEN = [
    ...[
      "/v1/messages",
      "/v1/messages/count_tokens",
      "/v1/chat/completions",
      "/v1/responses",
      "/v1/responses/compact",
      "/v1/responses/input_tokens",
      "/v1/completions",
      "/v1/embeddings",
    ],
    ...["/mcp/gateway", "/v1/guard/scan", "/v1/guard/disputes", "/v1/guard/miss-reports"],
    ...["/v1/guard/hooks/litellm/beta/litellm_basic_guardrail_api"],
    ...["/v1/guard/hooks/anthropic", "/v1/guard/hooks/cursor"],
    "/v1/guard/hooks/copilot-studio/analyze-tool-execution",
    ...HARNESS_NAMES.map((name) => `/v1/guard/hooks/harness/${name}`),
    ...["/register", "/token", "/api/auth/oauth2/register", "/api/auth/oauth2/token", "/api/auth/oauth2/revoke"],
  ];

  const schemaOf = ({ it }: Operation): JsonRecord | null => {
    const body = isRecord(it["requestBody"]) ? it["requestBody"]["content"] : null;
    const content = isRecord(body) ? Object.values(body)[0] : null;
    const schema = isRecord(content) ? content["schema"] : null;
    const [, name = ""] = isRecord(schema) ? `${schema["$ref"]}`.split("schemas/") : [];
    const components = api.document["components"];
    const schemas = isRecord(components) && isRecord(components["schemas"]) ? components["schemas"] : {};
    const meant = schemas[name] ?? schema;
    return isRecord(meant) ? meant : null;
  };
  const isClosed = (schema: JsonRecord): boolean => {
    const options = schema["anyOf"] ?? schema["oneOf"];
    if (Array.isArray(options)) return options.filter(isRecord).every(isClosed);
    return schema["additionalProperties"] === false;
  };

  test("unknown body fields are refused", async () => {
    verifies("route.authorized");
    const bodies = api.operations.flatMap((one) => {
      const schema = schemaOf(one);
      return schema && !OPEN.includes(one.path) ? [{ ...one, schema }] : [];
    });
    expect(bodies.length).toBeGreaterThan(40);
    expect(bodies.filter(({ schema }) => !isClosed(schema)).map(({ method, path }) => `${method} ${path}`)).toEqual([]);
    // And it is so, where it would matter most.
    for (const [path, body, method] of [
      ["/api/agents", { name: "mine", owner_id: theirs("user") }, "POST"],
      ["/api/agents", { name: "mine", lifecycle: "active", review_status: "approved" }, "POST"],
      [`/api/agents/${theirs("agent")}`, { governed: false }, "PATCH"],
      ["/api/tokens", { scopes: ["tuning"] }, "POST"],
      [`/api/tool-servers/${theirs("server")}`, { given_by: "operator" }, "PATCH"],
      ["/api/me/password", { current_password: "a", new_password: "b", role: "admin" }, "POST"],
    ] as const) {
      const { status, code } = await ask("owner", path, body, method);
      expect([path, status, code]).toEqual([path, 400, "invalid_value"]);
    }
  });

  /** Every filter of a list that says of what form it is, with the address. */
  const filters = (): [path: string, name: string, schema: JsonRecord][] => {
    const isAsked = ({ method, path, it }: Operation): boolean =>
      method === "get" && /^\/api\/[^{]*$/.test(path) && Array.isArray(it["security"]) && it["security"].length > 0;
    const found = api.operations
      .filter(isAsked)
      .flatMap((operation) =>
        queryOf(operation).flatMap(({ name, schema }): [string, string, JsonRecord][] =>
          isRecord(schema) ? [[operation.path, `${name}`, schema]] : [],
        ),
      );
    return found;
  };
  const isFree = (schema: JsonRecord): boolean =>
    schema["type"] === "string" && !("format" in schema) && !("enum" in schema) && !("pattern" in schema);

  test("behind the ? is of the form the document names, and there once", async () => {
    verifies("api.queries");
    const all = filters();
    expect(all.length).toBeGreaterThan(40);
    for (const [path, name, schema] of all) {
      for (const query of [`${name}=1&${name}=1`, ...(isFree(schema) ? [] : [`${name}=n%27onsense`])]) {
        const { status, code, text } = await ask("admin", `${path}?${query}`);
        expect([path, query, status, code]).toEqual([path, query, 400, "invalid_value"]);
        expect(JSON.parse(text).error.param).toBe(name);
      }
    }
  });
});

describe("files", () => {
  const NAMES = [
    ...["..%2f..%2fguardhouse.db", "%2e%2e%2fguardhouse.db", "..%5cguardhouse.db", "guardhouse.db"],
    ...[
      "guardhouse-20261121T233332Z-1f2e.tar%00.png",
      "%2fetc%2fpasswd",
      "guardhouse-20261121T233332Z-1f2e.tar%0d%0ax:1",
    ],
  ];

  test("are given by names of their own only, to administrators too", async () => {
    verifies("route.authorized");
    const name = theirs("backup");
    for (const odd of [...NAMES, `.%2f${name}`, `..%2fbackups%2f${name}`, `${name}%00`]) {
      const { status } = await ask("admin", `/api/backups/${odd}`);
      expect([odd, status]).toEqual([odd, 404]);
      const asset = await world.hub.fetch(`/assets/${odd}`);
      expect([odd, asset.status, asset.headers.get("x")]).toEqual([odd, 404, null]);
    }
    const whole = await world.hub.fetch(`/api/backups/${name}`, { token: world.keys.get("admin") ?? "" });
    expect([whole.status, whole.headers.get("content-disposition")]).toEqual([200, `attachment; filename="${name}"`]);
    await whole.body?.cancel();
  });
});
