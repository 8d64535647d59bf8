import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { extractWWWAuthenticateParams } from "@modelcontextprotocol/sdk/client/auth.js";
import { OAuthProtectedResourceMetadataSchema } from "@modelcontextprotocol/sdk/shared/auth.js";
import { OriginCheck } from "#http/origins";
import { urlFor } from "#http/resource-metadata";
import { verifies } from "#test/support/verifies";
import { BODY_BYTES, McpEndpoint, rpc, TOKEN } from "./mcp-endpoint";

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"] as const;
const LISTED = "https://inspector.example.com";

let endpoint: McpEndpoint;
beforeAll(() => {
  endpoint = new McpEndpoint({ allowedOrigins: [LISTED] });
});
afterAll(() => endpoint[Symbol.asyncDispose]());

describe("MCP gateway: invalid tokens", () => {
  test("is told where to sign in: before method, accepted types and body are looked at", async () => {
    verifies("tools.challenge");
    const before = endpoint.refusals;
    const wrong = ["", "Bearer", "Basic eDp5", TOKEN, `Token ${TOKEN}`, `Bearer ${TOKEN}x`, `Bearer ${TOKEN} ${TOKEN}`];
    for (const [method, authorization] of METHODS.flatMap((one) => wrong.map((token) => [one, token] as const))) {
      const body = method === "POST" ? "x".repeat(BODY_BYTES + 1) : null;
      const response = await fetch(endpoint.url, { method, headers: { authorization, accept: "image/png" }, body });
      expect([method, authorization, response.status]).toEqual([method, authorization, 401]);
      expect(response.headers.get("www-authenticate")).toStartWith("Bearer realm=");
      const { resourceMetadataUrl, scope, error } = extractWWWAuthenticateParams(response);
      expect(resourceMetadataUrl?.href).toBe(`${endpoint.publicUrl}/.well-known/oauth-protected-resource/mcp/gateway`);
      expect(scope).toBe("mcp:tools");
      // RFC 6750 §3.1: no error for who brought nothing.
      expect(error).toBe(authorization === `Bearer ${TOKEN}x` ? "invalid_token" : undefined);
      const text = await response.text();
      expect(text).toContain(method === "HEAD" ? "" : '"code":"invalid_api_key"');
    }
    expect(endpoint.refusals - before).toBe(METHODS.length * wrong.length);
  });

  test("is told so as a page, too", async () => {
    verifies("tools.challenge");
    const response = await fetch(endpoint.url, { method: "POST", headers: { origin: LISTED } });
    expect(response.status).toBe(401);
    expect(response.headers.get("access-control-allow-origin")).toBe(LISTED);
    expect(response.headers.get("access-control-expose-headers")).toContain("WWW-Authenticate");
  });

  test("a scheme in any case is a token", async () => {
    const response = await fetch(endpoint.url, {
      method: "POST",
      headers: { authorization: `bEARER  ${TOKEN}` },
      body: JSON.stringify(rpc("ping")),
    });
    expect(response.status).toBe(200);
  });
});

test("only POST is served, and says so", async () => {
  verifies("tools.dialect-2025");
  for (const method of METHODS.filter((one) => one !== "POST")) {
    const response = await fetch(endpoint.url, { method, headers: { authorization: `Bearer ${TOKEN}` } });
    expect([method, response.status, response.headers.get("allow")]).toEqual([method, 405, "POST"]);
    expect(response.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
    if (method !== "HEAD") expect(await response.json()).toMatchObject({ error: { code: "method_not_allowed" } });
  }
});

describe("pages", () => {
  const foreign = [
    "https://evil.example",
    "null",
    "",
    "file://",
    "http://localhost.evil.example",
    "http://127.0.0.1.evil.example:8787",
    "http://evil.example/localhost",
    "http://localhost@evil.example",
    "https://inspector.example.com.evil.example",
    "http://inspector.example.com",
    "https://inspector.example.com:444",
    "chrome-extension://abcdef",
    "http://10.0.0.1",
    "http://localhost/path",
    "http://evil@localhost",
    "HTTP://LOCALHOST",
  ];
  test("of foreign origins are refused, before they are asked for a token", async () => {
    verifies("tools.origin");
    for (const origin of foreign) {
      for (const method of ["POST", "GET", "OPTIONS"]) {
        for (const authorization of [`Bearer ${TOKEN}`, "Bearer x"]) {
          const headers = { origin, authorization, "access-control-request-method": "POST" };
          const response = await fetch(endpoint.url, { method, headers });
          expect([origin, method, response.status]).toEqual([origin, method, 403]);
          expect(response.headers.get("access-control-allow-origin")).toBeNull();
          expect(await response.json()).toMatchObject({ error: { code: "origin_not_allowed" } });
        }
      }
    }
  });

  test("of our own, of this machine and of the list are let in, and may read the answer", async () => {
    verifies("tools.origin");
    const own = new URL(endpoint.publicUrl).origin;
    const near = [
      "http://localhost",
      "http://localhost:6274",
      "https://127.0.0.1:1",
      "http://[::1]:5",
      "http://a.localhost",
    ];
    for (const origin of [own, LISTED, ...near]) {
      const response = await endpoint.post(rpc("ping"), { origin });
      expect([origin, response.status]).toEqual([origin, 200]);
      expect(response.headers.get("access-control-allow-origin")).toBe(origin);
      expect(response.headers.get("vary")).toBe("Origin");
      expect(response.headers.get("access-control-expose-headers")).toContain("Mcp-Session-Id, MCP-Protocol-Version");
    }
    const plain = await endpoint.post(rpc("ping"));
    expect(plain.headers.get("access-control-allow-origin")).toBeNull();
  });

  test("are the hub's own under its public URL, which may be known late, and under no other name", () => {
    verifies("tools.origin");
    let publicUrl = "https://hub.example:8443/hub";
    const origins = new OriginCheck(() => publicUrl, []);
    const from = (origin: string) => new Request("http://localhost", { headers: { origin } });
    expect(origins.check(from("https://hub.example:8443"))).toBe("https://hub.example:8443");
    for (const origin of ["https://hub.example", "http://hub.example:8443", "https://a.hub.example:8443"]) {
      expect(() => origins.check(from(origin))).toThrow("origin");
    }
    publicUrl = "https://hub.example";
    expect(origins.check(from("https://hub.example"))).toBe("https://hub.example");
    expect(origins.check(new Request("http://localhost"))).toBeNull();
  });

  test("ask first, without a token, and learn which headers they may send", async () => {
    verifies("tools.origin");
    const asked =
      "Authorization, content-type,MCP-Protocol-Version, mcp-method, Mcp-Name, Mcp-Param-Region, X-Other, cookie";
    const response = await fetch(endpoint.url, {
      method: "OPTIONS",
      headers: {
        origin: LISTED,
        "access-control-request-method": "POST",
        "access-control-request-headers": `${asked}, last-event-id`,
      },
    });
    expect(response.status).toBe(204);
    expect(response.headers.get("access-control-allow-origin")).toBe(LISTED);
    expect(response.headers.get("access-control-allow-methods")).toBe("POST, GET, DELETE");
    expect(response.headers.get("access-control-allow-headers")?.split(", ")).toEqual([
      "authorization",
      "content-type",
      "mcp-protocol-version",
      "mcp-method",
      "mcp-name",
      "mcp-param-region",
      "last-event-id",
    ]);
  });
});

test("MCP gateway: oversized bodies are refused in the caller's dialect", async () => {
  verifies("tools.dialect-total");
  const long = `{"jsonrpc":"2.0","x":"${"x".repeat(BODY_BYTES)}"}`;
  const plain = await endpoint.post(long);
  expect([plain.status, (await plain.json()).error.code]).toEqual([413, "request_too_large"]);
  const client = await endpoint.post(long, { accept: "application/json, text/event-stream" });
  expect([client.status, (await client.json()).error.code]).toEqual([413, -32_000]);
});

describe("the protected-resource metadata", () => {
  const WELL_KNOWN = "/.well-known/oauth-protected-resource";
  const read = async (url: string) => {
    const response = await fetch(url, {
      headers: { "mcp-protocol-version": "2025-11-25", origin: "https://any.example" },
    });
    expect([url, response.status]).toEqual([url, 200]);
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    return OAuthProtectedResourceMetadataSchema.parse(await response.json());
  };

  test("is where clients look, and may be read by any page", async () => {
    verifies("tools.resource-metadata");
    for (const path of [WELL_KNOWN, `${WELL_KNOWN}/mcp/gateway`]) {
      expect(await read(endpoint.publicUrl + path)).toEqual({
        resource: endpoint.url,
        authorization_servers: [`${endpoint.publicUrl}/api/auth`],
        scopes_supported: ["mcp:tools"],
        bearer_methods_supported: ["header"],
        resource_name: "Guardhouse",
      });
      const asked = await fetch(endpoint.publicUrl + path, {
        method: "OPTIONS",
        headers: { origin: "https://any.example", "access-control-request-method": "GET" },
      });
      expect([asked.status, asked.headers.get("access-control-allow-origin")]).toEqual([204, "*"]);
      expect(asked.headers.get("access-control-allow-headers")).toContain("MCP-Protocol-Version");
    }
  });

  test("under a base path is there too, and where RFC 9728 puts it", async () => {
    verifies("tools.resource-metadata");
    await using based = new McpEndpoint({ basePath: "/hub/a" });
    const { origin } = new URL(based.publicUrl);
    for (const url of [
      `${origin}/hub/a${WELL_KNOWN}`,
      `${origin}/hub/a${WELL_KNOWN}/mcp/gateway`,
      `${origin}${WELL_KNOWN}/hub/a`,
      `${origin}${WELL_KNOWN}/hub/a/mcp/gateway`,
    ]) {
      expect(await read(url)).toMatchObject({
        resource: `${origin}/hub/a/mcp/gateway`,
        authorization_servers: [`${origin}/hub/a/api/auth`],
      });
    }
    const refused = await fetch(based.url, { method: "POST" });
    expect(extractWWWAuthenticateParams(refused).resourceMetadataUrl?.href).toBe(
      `${origin}/hub/a${WELL_KNOWN}/mcp/gateway`,
    );
  });

  test("of a hub at a name of its machine names it as it was asked for, and any other by its public URL", () => {
    verifies("tools.resource-metadata");
    const askedAt = (host: string) => new Request("http://localhost", { headers: { host } });
    for (const [publicUrl, host, shown] of [
      ["http://127.0.0.1:8787", "localhost:8787", "http://localhost:8787"],
      ["http://localhost:8787/hub", "127.0.0.1:8787", "http://127.0.0.1:8787/hub"],
      ["http://localhost:8787", "[::1]:8787", "http://[::1]:8787"],
      ["http://127.0.0.1", "localhost", "http://localhost"],
      ["http://127.0.0.1:8787", "localhost:9999", null],
      ["http://127.0.0.1:8787", "evil.localhost:8787", null],
      ["http://127.0.0.1:8787", "evil.example:8787", null],
      ["http://127.0.0.1:8787", "localhost:8787@evil.example", null],
      ["http://127.0.0.1:8787", "", null],
      ["https://hub.example", "localhost", null],
      ["https://localhost:8443", "127.0.0.1:8443", null],
      ["http://hub.internal:8787", "localhost:8787", null],
    ] as const) {
      expect([publicUrl, host, urlFor(publicUrl, askedAt(host))]).toEqual([publicUrl, host, shown ?? publicUrl]);
    }
  });

  test("answers what is wrong in JSON", async () => {
    verifies("tools.resource-metadata");
    const cases = [
      ["GET", `${WELL_KNOWN}/mcp`, 404],
      ["GET", `${WELL_KNOWN}/other`, 404],
      ["POST", `${WELL_KNOWN}/mcp/gateway`, 405],
    ] as const;
    for (const [method, path, status] of cases) {
      const response = await fetch(endpoint.publicUrl + path, { method });
      expect([path, response.status]).toEqual([path, status]);
      expect(await response.json()).toHaveProperty("error.code");
    }
  });
});
