import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Elysia } from "elysia";
import { tokenAuth } from "#http/auth/token";
import { SCREENS } from "#http/dashboard";
import { QueryChecks } from "#http/openapi/query-check";
import { verifies } from "#test/support/verifies";
import { AppWorld, EVERY_METHOD, routesOf } from "./app-world";

let world: AppWorld;
beforeAll(async () => {
  world = await AppWorld.open();
});
afterAll(() => world[Symbol.asyncDispose]());

/** As Elysia keeps a route: what its macros wrote, and how its body is parsed. */
type Kept = {
  readonly method: string;
  readonly path: string;
  readonly hooks: { readonly detail?: object; readonly parse?: unknown };
};

/** What a route says of who may come in; null when it says nothing, or two things. */
const statementOf = ({ hooks }: Kept): "role" | "open" | null => {
  const detail = new Map<string, unknown>(Object.entries(hooks.detail ?? {}));
  const security = detail.get("security");
  const why = detail.get("x-open");
  if (!Array.isArray(security)) return null;
  if (security.length === 0) return typeof why === "string" && why.length > 10 ? "open" : null;
  return why === undefined ? "role" : null;
};

const allRoutes = (): readonly Kept[] => world.app.web().routes;
const named = ({ method, path }: Kept): string => `${method} ${path}`;

/** An address that the route answers. */
const addressOf = (path: string): string =>
  path.replace(/:[^/]+/g, "01a1fbfa-d53a-7410-9bb7-0d100e31ae5a").replace("*", "guardhouse/echo");

/** Whether an address has the form of a route. */
const isOf = (path: string, address: string): boolean =>
  new RegExp(`^${path.replace(/:[^/]+/g, "[^/]+").replace("*", ".*")}$`).test(address);

/** What opens a route: a caller's `gatewayToken` or a person's `session`. */
const keyOf = ({ hooks }: Kept): string => JSON.stringify(hooks.detail).match(/"security":\[\{"(\w+)"/)?.[1] ?? "none";

/** Reports of nothing. */
const SENT = ["POST /v1/guard/disputes", "POST /v1/guard/miss-reports", "POST /v1/guard/hooks/offline"];

/** What a gateway token gets there: people's addresses are not for it, and what is asked about is nobody's. */
const statusesFor = (route: Kept): readonly number[] => {
  if (keyOf(route) === "session") return [403];
  if (SENT.includes(named(route))) return [400];
  // What is sent is looked at before what it is about, or after.
  return /:(?:\w+_)?id\b/.test(route.path) ? [400, 404] : [200];
};

const REMOVED = ["agents/register", "sessions", "check-tool", "onboard"].map((name) => `/v1/guard/${name}`);

test("routes: a hub that nobody has administered yet has those of calls and of set-up alone; the first other request makes all", async () => {
  await using fresh = await AppWorld.open();
  const ask = (path: string, init?: RequestInit) =>
    fresh.app.entry.answer(new Request(`http://localhost${path}`, { ...init, headers: { host: "localhost" } }));
  const served = () => fresh.app.parts.routeTable.routes.map(({ method, path }) => `${method} ${path}`);
  const early = served();
  expect(early).toContain("POST /v1/chat/completions");
  expect(early).toContain("GET /readyz");
  expect(early.filter((route) => route.startsWith("GET /api/"))).toEqual([]);
  expect((await ask("/readyz?verbose")).status).toBe(200);
  expect(served()).toEqual(early);
  expect((await ask("/v1/chat/completions", { method: "PUT" })).headers.get("allow")).toBe("POST");
  const all = served();
  expect(all).toContain("GET /api/agents");
  for (const route of early.filter((one) => one !== "ALL /*")) expect(all).toContain(route);
  expect(new Set(all).size).toBe(all.length);
});

describe("routes: authentication", () => {
  test("every route states a role, or why it is open", () => {
    verifies("route.guarded");
    const silent = allRoutes().filter((route) => statementOf(route) === null);
    expect(silent.map(named)).toEqual([]);
    expect(allRoutes().length).toBeGreaterThan(10);
  });

  test("a route that states neither, or both, is found", () => {
    const auth = tokenAuth(
      () => null,
      () => {},
      new QueryChecks(() => []),
    );
    const app = new Elysia()
      .use(auth)
      .get("/none", () => "")
      .get("/empty", () => "", { open: "" })
      .get("/both", () => "", { role: "caller", open: "for a reason of some length" })
      .get("/role", () => "", { role: "caller" })
      .get("/open", () => "", { open: "for a reason of some length" });
    const statements = app.routes.map((route): [string, string | null] => [route.path, statementOf(route)]);
    expect(Object.fromEntries(statements)).toEqual({
      "/none": null,
      "/empty": null,
      "/both": null,
      "/role": "role",
      "/open": "open",
    });
  });

  test("only what must be is open", () => {
    verifies("route.guarded");
    const open = new Set(
      allRoutes()
        .filter((route) => statementOf(route) === "open")
        .map(({ path }) => path),
    );
    const metadata = "/.well-known/oauth-protected-resource";
    expect(open).toEqual(
      new Set([
        ...["/healthz", "/readyz", metadata, `${metadata}/mcp/gateway`, "/api/tool-servers/oauth/callback"],
        ...["/login", "/setup", "/invite", "/assets/:name", "/openapi.json", "/docs", "/docs/api", "/docs/*"],
        "/configuration.schema.json",
        ...["/audit/log/*", "/audit/logs/:node/*"],
        ...SCREENS.flatMap((path) => (path === "/" ? [path] : [path, `${path}/*`])),
        ...["/sign-in", "/sign-out", "/setup", "/invitation", "/invitation/accept"].map((path) => `/api/auth${path}`),
        ...["register", "authorize", "consent", "token", "revoke"].map((name) => `/api/auth/oauth2/${name}`),
        ...["/register", "/authorize", "/token"],
        // Each signed, or with a secret of its own.
        ...["anthropic", "cursor"].map((name) => `/v1/guard/hooks/${name}`),
        ...["validate", "analyze-tool-execution"].map((name) => `/v1/guard/hooks/copilot-studio/${name}`),
        ...["", "/:name/versions", "/:name/versions/:version"].map((path) => `/v0.1/servers${path}`),
        ...["oauth-authorization-server", "openid-configuration"]
          .map((name) => `/.well-known/${name}`)
          .flatMap((path) => [path, `${path}/api/auth`, `/api/auth${path}`]),
        ...REMOVED,
        ...REMOVED.map((path) => `${path}/*`),
      ]),
    );
  });

  test("routes with a role refuse requests without a session, all alike", async () => {
    verifies("route.guarded", "token.one-refusal");
    const bodies = new Map<string, Set<string>>([
      ["gatewayToken", new Set()],
      ["session", new Set()],
    ]);
    for (const route of allRoutes().filter((one) => statementOf(one) === "role")) {
      for (const authorization of [
        "",
        "Bearer",
        "Bearer ",
        "Basic eDp5",
        world.token,
        `Token ${world.token}`,
        `Bearer ${world.token}x`,
      ]) {
        const init = { method: route.method, headers: { authorization } };
        const response = await world.fetch(addressOf(route.path), init);
        expect([named(route), authorization, response.status]).toEqual([named(route), authorization, 401]);
        expect(response.headers.get("www-authenticate")).toMatch(/^Bearer( |$)/);
        // The shape is that of the API that is called.
        bodies.get(keyOf(route))?.add((await response.json()).error.message);
      }
      const query = await world.fetch(
        `${addressOf(route.path)}?access_token=${world.token}&token=${world.token}&%00=${world.token}`,
        {
          method: route.method,
        },
      );
      expect([named(route), query.status]).toEqual([named(route), 401]);
    }
    expect([...bodies.values()].map(({ size }) => size)).toEqual([1, 1]);
  });

  test("and lets a good token in where callers come, and nowhere else", async () => {
    verifies("route.guarded");
    for (const route of allRoutes().filter((one) => statementOf(one) === "role")) {
      const headers = { authorization: `Bearer ${world.token}` };
      const body =
        route.method === "GET"
          ? null
          : JSON.stringify({
              ...{ model: "guardhouse/echo", text: "hi", messages: [{ role: "user", content: "hi" }] },
              ...{ method: "tools/list", input_type: "request" },
            });
      const method = route.method === "ALL" ? "POST" : route.method;
      const response = await world.fetch(addressOf(route.path), { method, headers, body });
      expect([named(route), statusesFor(route)]).toEqual([named(route), expect.arrayContaining([response.status])]);
    }
  });

  test("bodies are read by our own reader, which counts them", () => {
    verifies("route.guarded");
    const parsed = allRoutes().filter(
      ({ method, hooks }) => method !== "GET" && JSON.stringify(hooks.parse) !== '[{"fn":"none"}]',
    );
    expect(parsed.map(named)).toEqual([]);
  });
});

describe("routes: removed endpoints", () => {
  const methods = [...EVERY_METHOD, "PROPFIND"];
  const below = ["", "/", "/a", "/a/b/c", "/01a1fbfa-d53a-7410-9bb7-0d100e31ae5a", "/%2f..%2f", "?x=1"];
  const answerOf = async (target: string, method: string, authorization: string): Promise<string> => {
    const response = await world.fetch(target, { method, headers: { authorization } });
    const text = await response.text();
    if (method === "HEAD") return `${response.status} endpoint_removed`;
    const { error } = JSON.parse(text);
    expect(error).toMatchObject({
      type: "invalid_request_error",
      message: expect.stringMatching(/gateway token.*Agent Review/),
    });
    return `${response.status} ${error.code}`;
  };
  for (const path of REMOVED) {
    test(`${path}: every method, and everything below it, says so`, async () => {
      verifies("route.removed");
      for (const method of methods) {
        for (const target of below.map((rest) => path + rest)) {
          for (const authorization of ["", `Bearer ${world.token}`]) {
            const answer = await answerOf(target, method, authorization);
            expect([method, target, answer]).toEqual([method, target, "404 endpoint_removed"]);
          }
        }
      }
    });
  }

  test("and nothing beside it", async () => {
    for (const path of [
      "/v1/guard/session",
      "/v1/guard/sessionsx",
      "/v1/guard/agents",
      "/v1/guard/agents/x/register",
      "/v1/guard",
      "/v1/guard/",
    ]) {
      const { error } = await (await world.fetch(path)).json();
      expect([path, error.code]).toEqual([path, "unknown_url"]);
    }
  });
});

describe("routes: unknown addresses", () => {
  const UNKNOWN = [
    "/v1",
    "/v1/",
    "/v1/nothing",
    "/V1/models",
    "/v1/chat",
    "/v1/chat/completions/x",
    "/v1//models",
    "/api",
    "/api/user",
    "/api/auth",
    "/api/auth/get-session",
    "/mcp",
    "/mcp/x",
    "/index.html",
    "/favicon.ico",
    "/%76%31/models",
    "/v1/models%2f",
    "/.env",
    "/healthz/x",
  ];
  test("is a JSON 404, for every method", async () => {
    verifies("route.unknown");
    for (const path of UNKNOWN) {
      for (const method of EVERY_METHOD) {
        const response = await world.fetch(path, { method });
        expect([path, method, response.status]).toEqual([path, method, 404]);
        expect(response.headers.get("content-type")).toBe("application/json");
        expect(response.headers.get("x-request-id")).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
        if (method === "HEAD") continue;
        expect(await response.json()).toMatchObject({
          error: { code: "unknown_url", type: "invalid_request_error", param: null },
        });
      }
    }
  });

  test("a method that an address does not take is told apart, with those it takes", async () => {
    verifies("route.unknown");
    const open = allRoutes().filter(({ method }) => method !== "ALL");
    for (const path of new Set(open.map((route) => route.path))) {
      const taken = open.filter((route) => route.path === path).map(({ method }) => method);
      const allowed = taken.includes("GET") ? [...taken, "HEAD"] : taken;
      // "/v1/responses/compact" has the form of "/v1/responses/:id", too: GET is that one's, for an id that is none.
      const others = open.filter((route) => route.path !== path && isOf(route.path, addressOf(path)));
      const elsewhere = others.flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method]));
      for (const method of EVERY_METHOD.filter((one) => !allowed.includes(one) && !elsewhere.includes(one))) {
        const response = await world.fetch(addressOf(path), {
          method,
          headers: { authorization: `Bearer ${world.token}` },
        });
        expect([path, method, response.status]).toEqual([path, method, 405]);
        expect(new Set(response.headers.get("allow")?.split(", "))).toEqual(new Set([...allowed, ...elsewhere]));
        expect(await response.json()).toMatchObject({
          error: { type: "invalid_request_error", message: expect.stringContaining("This address supports") },
        });
      }
    }
  });
});

test("every answer has a request id, no-store, and no server details", async () => {
  verifies("route.headers");
  const seen = new Set<string | null>();
  const targets = [...routesOf(world.app), ...EVERY_METHOD.map((method) => ({ method, path: "/nothing" }))];
  let answers = 0;
  for (const { method, path } of targets) {
    for (const headers of [{}, { authorization: `Bearer ${world.token}` }, { host: "evil.example" }]) {
      const response = await world.fetch(addressOf(path), {
        method,
        headers: { origin: "https://evil.example", ...headers },
      });
      seen.add(response.headers.get("x-request-id"));
      answers += 1;
      expect(response.headers.get("cache-control")).toContain("no-store");
      expect(response.headers.get("x-content-type-options")).toBe("nosniff");
      const isEmpty = response.status === 204;
      expect(isEmpty ? "application/json" : response.headers.get("content-type")).toMatch(
        /^(application\/json|text\/(event-stream|html; charset=utf-8)$)/,
      );
      // Metadata is for every web page's eyes (RFC 9728), the registry too, and nothing else of ours.
      const isRegistry = path.startsWith("/v0.1/servers");
      const isMetadata = path.includes("/.well-known/") || isRegistry;
      const shared = response.headers.get("access-control-allow-origin");
      // The registry's refusals, too: a page is told why there is nothing.
      const isShared = (isMetadata && response.ok) || (isRegistry && response.status === 404);
      expect([path, shared]).toEqual([path, isShared ? "*" : null]);
      for (const name of ["server", "x-powered-by", "set-cookie", "location"]) {
        expect([name, response.headers.get(name)]).toEqual([name, null]);
      }
    }
  }
  expect(seen.size).toBe(answers);
  expect(seen.has(null)).toBe(false);
});

test("a hub with a base path tells tool clients where to sign in at the root too, where RFC 9728 puts it", async () => {
  await using based = await AppWorld.open("http://localhost:8787/hub");
  for (const path of [
    "/.well-known/oauth-protected-resource/hub/mcp/gateway",
    "/hub/.well-known/oauth-protected-resource",
  ]) {
    const answer = await based.fetch(path);
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ resource: "http://localhost:8787/hub/mcp/gateway" });
  }
  expect((await based.fetch("/.well-known/oauth-protected-resource")).status).toBe(404);
});
