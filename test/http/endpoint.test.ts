import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Elysia } from "elysia";
import { GuardError } from "#core/errors";
import { isRecord } from "#core/json/json";
import { Type } from "#core/schema";
import { Idempotency, jsonReply } from "#guard/endpoints/idempotency";
import { sessionAuth } from "#http/auth/session";
import { tokenAuth } from "#http/auth/token";
import { Answered, endpoint, personRouter, tokenEndpoint, tokenRouter } from "#http/endpoint";
import { errors } from "#http/errors";
import { GuardAnswers } from "#http/guard-answers";
import { openEndpoint, openRouter } from "#http/open-endpoint";
import { QueryChecks } from "#http/openapi/query-check";
import type { RegisteredRoute } from "#http/openapi/route-doc";
import { oneOf } from "#http/openapi/schemas";
import type { Role } from "#model/person";
import type { TokenPrincipal } from "#model/principal";
import type { Person } from "#model/session";
import { systemClock } from "#platform/clock";
import { systemIds } from "#platform/ids";
import { jsonLog } from "#platform/log";
import { openSqliteStore, type SqliteStore } from "#store/sqlite/index";
import { verifies } from "#test/support/verifies";

const BODY_BYTES = 1_000;
const Thing = Type.Object({ name: Type.String() }, { additionalProperties: false });
const Order = Type.Object({ force: Type.Optional(Type.Boolean()) }, { additionalProperties: false });
const Seen = Type.Unknown();
const QUERY = {
  all: Type.Boolean(),
  count: Type.Integer({ minimum: 1, maximum: 9 }),
  word: oneOf(["one", "two"]),
};

/** What was done, in order. */
const steps: string[] = [];
const hub = { isStopping: false };

const done = <T>(step: string, value: T): T => {
  steps.push(step);
  return value;
};

const ENDPOINTS = [
  endpoint("GET /api/things", {
    summary: "List",
    query: QUERY,
    answers: { 200: Seen },
    handler: ({ query }) => done("list", query),
  }),
  endpoint("POST /api/things", {
    summary: "Add",
    auth: { roles: ["admin"], fresh: true },
    query: QUERY,
    body: Thing,
    answers: { 201: Thing },
    handler: ({ body }) => done("add", body),
  }),
  endpoint("POST /api/things/:id/order", {
    summary: "Order",
    body: { schema: Order, isOptional: true },
    answers: { 200: Seen },
    handler: ({ params, body }) => done("order", { id: params.id, body }),
  }),
  endpoint("PUT /api/things/:id", {
    summary: "Replace",
    body: Thing,
    answers: { 200: Thing },
    handler: ({ body }) => new Answered(body, { status: 202, headers: { etag: '"7"' } }),
  }),
  endpoint("DELETE /api/things/:id", {
    summary: "Remove",
    answers: { 204: {} },
    handler: ({ params }) => {
      if (params.id === "none") throw new GuardError("not_found", "There is no such thing.", { param: "id" });
      steps.push("remove");
    },
  }),
  endpoint("POST /api/try", {
    summary: "Try",
    changes: false,
    body: Thing,
    answers: { 200: Thing },
    handler: ({ body }) => done("try", body),
  }),
  endpoint("GET /api/recorded", {
    summary: "Read, on record",
    isRecorded: true,
    answers: { 200: Seen },
    handler: () => done("read", {}),
  }),
  endpoint("GET /api/closed", {
    summary: "Search",
    query: QUERY,
    isQueryClosed: true,
    answers: { 200: Seen },
    handler: ({ query }) => done("search", query),
  }),
] as const;

const OPEN_ENDPOINTS = [
  openEndpoint("POST /in", {
    summary: "Come in",
    open: "the way in",
    body: {
      schema: Thing,
      refuse(body) {
        if (isRecord(body) && body["name"] === 7) throw new GuardError("link_invalid", "Seven is over.");
      },
    },
    answers: { 200: Thing },
    handler: ({ body }) => done("in", body),
  }),
  openEndpoint("GET /in", {
    summary: "Page",
    open: "says the same to everybody",
    answers: { 200: Seen },
    handler: () => done("page", {}),
  }),
  openEndpoint("GET /back", {
    summary: "Come back",
    open: "the way back",
    isRecorded: true,
    answers: { 200: Seen },
    handler: () => {
      throw new GuardError("not_found", "Nobody waits.");
    },
    refused: ({ code, status }) => Response.json({ page: code }, { status }),
  }),
] as const;

const tokenEndpoints = (idempotency: Idempotency) => [
  tokenEndpoint("POST /v1/guard/things", {
    summary: "Add",
    body: Thing,
    isIdempotent: true,
    answers: { 201: Thing },
    handler: ({ caller, read, key }) => {
      steps.push("begun");
      const body = read();
      return idempotency.once({ scope: caller.user.id, key, body }, async () => done("add", jsonReply(201, body)));
    },
  }),
  tokenEndpoint("GET /v1/guard/things/:id", {
    summary: "Read",
    query: QUERY,
    answers: { 200: Seen },
    handler: async ({ params, query }) => ({ ...params, ...query }),
  }),
];

const user = (role: Role) => ({
  ...{ id: `u-${role}`, email: `${role}@example.org`, name: null, role },
  ...{ state: "active" as const, created_at: 0 },
});

const personOf = (role: Role, confirmed_at: number | null = null): Person => ({
  user: user(role),
  session: { id: "s", created_at: 0, expires_at: Number.MAX_SAFE_INTEGER, confirmed_at },
});

const PEOPLE = new Map([
  ["admin", personOf("admin")],
  ["stale", personOf("admin", 0)],
  ["member", personOf("member")],
]);

const CALLER: TokenPrincipal = {
  user: user("member"),
  agent: null,
  token: {
    ...{ id: "t", hash: "h", display: "gw-live-…", name: null, user_id: "u-member", agent_id: null },
    ...{ state: "active", expires_at: null, created_at: 0 },
  },
};

/** Both routers behind the errors' answers, as the hub has them. */
const appOf = (idempotency: Idempotency) => {
  const log = jsonLog("error", () => {}, systemClock);
  const queries = new QueryChecks((): readonly RegisteredRoute[] => app.routes);
  const onRefused = () => {};
  const authenticate = (key: string) => PEOPLE.get(key) ?? null;
  const auth = sessionAuth({ authenticate, isToken: () => false, onRefused, now: systemClock, queries });
  const assertAcceptingWork = () => {
    if (hub.isStopping) throw new GuardError("shutting_down", "The hub is stopping.");
  };
  const cookieAuth = {
    checkOrigin({ headers }: Request) {
      if (headers.get("origin") !== "http://hub") throw new GuardError("origin_not_allowed", "Another page asks.");
    },
  };
  const app = new Elysia()
    .use(errors(log, () => []))
    .use(openRouter({ tag: "In", auth, assertAcceptingWork, cookieAuth }, OPEN_ENDPOINTS))
    .use(
      personRouter(
        {
          tag: "Things",
          auth,
          bodyBytes: BODY_BYTES,
          assertAcceptingWork,
          onChanged: async () => void steps.push("changed"),
        },
        ENDPOINTS,
      ),
    )
    .use(
      tokenRouter(
        {
          auth: tokenAuth((key) => (key === "token" ? CALLER : null), onRefused, queries),
          answers: new GuardAnswers({ ids: systemIds, reportsLeft: () => null }),
          bodyBytes: BODY_BYTES,
        },
        tokenEndpoints(idempotency),
      ),
    );
  return app;
};

let home: string;
let store: SqliteStore;
let server: ReturnType<typeof Bun.serve>;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "guardhouse-endpoint-"));
  store = await openSqliteStore({ dataDir: home, durability: "normal", writer: "inline" });
  const log = jsonLog("error", () => {}, systemClock);
  const app = appOf(new Idempotency({ store: store.idempotency, now: systemClock, log }));
  server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: (request) => app.fetch(request) });
});
afterAll(async () => {
  await server.stop(true);
  await store.close();
  await rm(home, { recursive: true, force: true });
});
beforeEach(() => {
  steps.length = 0;
  hub.isStopping = false;
});

type Sent = { readonly as?: string; readonly body?: string; readonly headers?: Readonly<Record<string, string>> };

const send = async (at: string, { as = "admin", body, headers = {} }: Sent = {}) => {
  const [method = "", path = ""] = at.split(" ");
  const response = await fetch(new URL(path, server.url), {
    method,
    headers: { ...(as !== "" && { authorization: `Bearer ${as}` }), ...headers },
    ...(body !== undefined && { body }),
  });
  const text = await response.text();
  const json: unknown = text === "" ? undefined : JSON.parse(text);
  const error = isRecord(json) && isRecord(json["error"]) ? json["error"] : {};
  return { status: response.status, headers: response.headers, json, code: error["code"], param: error["param"] };
};

const GOOD = '{"name":"a"}';

describe("personRouter", () => {
  test("checks session, role, fresh session, query, admission and body in this order, before the handler", async () => {
    verifies("api.order");
    hub.isStopping = true;
    const bad = { body: "{" };
    const at = "POST /api/things?count=x";
    expect(await send(at, { ...bad, as: "" })).toMatchObject({ status: 401, code: "invalid_api_key" });
    expect(await send(at, { ...bad, as: "member" })).toMatchObject({ status: 403, code: "insufficient_scope" });
    expect(await send(at, { ...bad, as: "stale" })).toMatchObject({ status: 403, code: "fresh_session_required" });
    expect(await send(at, bad)).toMatchObject({ status: 400, code: "invalid_value", param: "count" });
    expect(await send("POST /api/things", bad)).toMatchObject({ status: 503, code: "shutting_down" });
    hub.isStopping = false;
    expect(await send("POST /api/things", bad)).toMatchObject({ status: 400, code: "invalid_json" });
    expect(steps).toEqual([]);
    expect(await send("POST /api/things", { body: GOOD })).toMatchObject({ status: 201, json: { name: "a" } });
    expect(steps).toEqual(["add", "changed"]);
  });

  test("refuses a change while nothing is accepted before it reads the body", async () => {
    verifies("api.order");
    const body = JSON.stringify({ name: "a".repeat(BODY_BYTES) });
    expect(await send("POST /api/things", { body })).toMatchObject({ status: 413, code: "request_too_large" });
    hub.isStopping = true;
    expect(await send("POST /api/things", { body })).toMatchObject({ status: 503, code: "shutting_down" });
  });

  test("names a field of the body that the schema does not have, or that is missing", async () => {
    verifies("api.order");
    const unknown = await send("POST /api/things", { body: '{"name":"a","owner":"b"}' });
    expect(unknown).toMatchObject({ status: 400, code: "invalid_value", param: "owner" });
    expect(await send("POST /api/things", { body: "{}" })).toMatchObject({ status: 400, param: "name" });
    expect(steps).toEqual([]);
  });

  test("takes an optional body that is left out as an empty one, and checks one that is sent", async () => {
    verifies("api.order");
    expect(await send("POST /api/things/7/order")).toMatchObject({ status: 200, json: { id: "7", body: {} } });
    const forced = await send("POST /api/things/7/order", { body: '{"force":true}' });
    expect(forced.json).toEqual({ id: "7", body: { force: true } });
    expect(await send("POST /api/things/7/order", { body: '{"force":1}' })).toMatchObject({ param: "force" });
  });

  test("gives the handler query values of their types, and no names it does not know", async () => {
    verifies("api.queries");
    expect((await send("GET /api/things?all&count=7&word=two&other=1")).json).toEqual({
      ...{ all: true, count: 7, word: "two" },
    });
    expect((await send("GET /api/things?all=false")).json).toEqual({ all: false });
    expect((await send("GET /api/things")).json).toEqual({});
    expect(await send("GET /api/things?word=three")).toMatchObject({ status: 400, param: "word" });
    expect(await send("GET /api/things?count=7&count=8")).toMatchObject({ status: 400, param: "count" });
    expect(await send("GET /api/things?count=10")).toMatchObject({ status: 400, param: "count" });
  });

  test("refuses an unknown name in a closed query", async () => {
    verifies("api.queries");
    expect((await send("GET /api/closed?count=7")).json).toEqual({ count: 7 });
    expect(await send("GET /api/closed?conut=7")).toMatchObject({ status: 400, code: "invalid_value", param: "conut" });
    expect(steps).toEqual(["search"]);
  });

  test("calls onChanged after changes only, and not after one that was refused", async () => {
    verifies("api.order");
    await send("GET /api/things");
    await send("POST /api/try", { body: GOOD });
    expect((await send("DELETE /api/things/none")).code).toBe("not_found");
    expect(steps).toEqual(["list", "try"]);
    await send("GET /api/recorded");
    expect(steps).toEqual(["list", "try", "read"]);
  });

  test("serves what changes nothing while no change is accepted, and refuses a read that is recorded", async () => {
    verifies("api.order");
    hub.isStopping = true;
    expect((await send("GET /api/things")).status).toBe(200);
    expect((await send("POST /api/try", { body: GOOD })).status).toBe(200);
    expect(await send("GET /api/recorded")).toMatchObject({ status: 503, code: "shutting_down" });
    expect(steps).toEqual(["list", "try"]);
  });

  test("answers with the status and headers of an Answered, and with no body where the handler gives none", async () => {
    verifies("api.order");
    const put = await send("PUT /api/things/7", { body: GOOD });
    expect(put).toMatchObject({ status: 202, json: { name: "a" } });
    expect(put.headers.get("etag")).toBe('"7"');
    expect(await send("DELETE /api/things/7")).toMatchObject({ status: 204, json: undefined });
    expect(steps).toEqual(["changed", "remove", "changed"]);
  });
});

describe("openRouter", () => {
  const at = "POST /in";
  const own = { as: "", headers: { origin: "http://hub" } };

  test("checks origin, admission and body in this order, before the handler", async () => {
    verifies("api.order");
    hub.isStopping = true;
    expect(await send(at, { as: "", body: "{" })).toMatchObject({ status: 403, code: "origin_not_allowed" });
    expect(await send(at, { ...own, body: "{" })).toMatchObject({ status: 503, code: "shutting_down" });
    hub.isStopping = false;
    expect(await send(at, { ...own, body: "{" })).toMatchObject({ status: 400, code: "invalid_json" });
    expect(await send(at, { ...own, body: "{}" })).toMatchObject({ status: 400, param: "name" });
    expect(steps).toEqual([]);
    expect(await send(at, { ...own, body: GOOD })).toMatchObject({ status: 200, json: { name: "a" } });
    expect(steps).toEqual(["in"]);
  });

  test("gives a body the error it has of its own before the schema's", async () => {
    verifies("api.order");
    expect(await send(at, { ...own, body: '{"name":7}' })).toMatchObject({ code: "link_invalid" });
    expect(await send(at, { ...own, body: '{"name":8}' })).toMatchObject({ code: "invalid_value", param: "name" });
  });

  test("serves pages while nothing is accepted, and shows refusals where people read them", async () => {
    verifies("api.order");
    expect(await send("GET /back", { as: "" })).toMatchObject({ status: 404, json: { page: "not_found" } });
    hub.isStopping = true;
    expect(await send("GET /in", { as: "" })).toMatchObject({ status: 200 });
    expect(await send("GET /back", { as: "" })).toMatchObject({ status: 503, json: { page: "shutting_down" } });
  });
});

describe("tokenRouter", () => {
  test("begins the call before it checks the body, so that a refusal is recorded", async () => {
    verifies("api.order");
    expect(await send("POST /v1/guard/things", { as: "other", body: "{" })).toMatchObject({ status: 401 });
    expect(steps).toEqual([]);
    for (const [body, expected] of [
      ["{", { status: 400, code: "invalid_json" }],
      ['{"name":"a","owner":"b"}', { status: 400, param: "owner" }],
      [JSON.stringify({ name: "a".repeat(BODY_BYTES) }), { status: 413 }],
    ] as const) {
      const refused = await send("POST /v1/guard/things", { as: "token", body });
      expect(refused).toMatchObject(expected);
      expect(refused.headers.get("x-request-id")).toBeString();
    }
    expect(steps).toEqual(["begun", "begun", "begun"]);
  });

  test("gives the first answer again for the same Idempotency-Key", async () => {
    verifies("loop.idempotency");
    const sent = { as: "token", body: GOOD, headers: { "idempotency-key": "k1" } };
    const first = await send("POST /v1/guard/things", sent);
    expect(first).toMatchObject({ status: 201, json: { name: "a" } });
    const second = await send("POST /v1/guard/things", sent);
    expect(second).toMatchObject({ status: 201, json: { name: "a" } });
    expect([first, second].map(({ headers }) => headers.get("idempotency-replayed"))).toEqual([null, "true"]);
    expect(steps).toEqual(["begun", "add", "begun"]);
    const other = await send("POST /v1/guard/things", { ...sent, body: '{"name":"b"}' });
    expect(other.code).toBe("idempotency_mismatch");
  });

  test("gives the handler path and query, decoded", async () => {
    verifies("api.queries");
    const { json } = await send("GET /v1/guard/things/a%20b?count=3", { as: "token" });
    expect(json).toEqual({ id: "a b", count: 3 });
  });
});
