import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { answerAt, isSameResource } from "#model/oauth/authorization";
import { isAllowlist } from "#model/oauth/client";
import { OAuthError } from "#model/oauth/error";
import { isRedirectUri, matchesRedirect, placeOf } from "#model/oauth/redirect";
import { registered, registrationOf } from "#model/oauth/registration";
import { verifies } from "#test/support/verifies";

/** What programs send, as far as their reports and sources tell: docs/spec/oauth.md, "Registration". */
const PROGRAMS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  "Claude Code": {
    client_name: "Claude Code (guardhouse)",
    redirect_uris: ["http://localhost:3118/callback"],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
    application_type: "native",
    scope: "mcp:tools",
  },
  "claude.ai": {
    client_name: "Claude",
    redirect_uris: ["https://claude.ai/api/mcp/auth_callback", "https://claude.com/api/mcp/auth_callback"],
    token_endpoint_auth_method: "client_secret_post",
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
  },
  Cursor: {
    client_name: "Cursor",
    application_type: "web",
    redirect_uris: [
      "cursor://anysphere.cursor-mcp/oauth/callback",
      "https://www.cursor.com/agents/mcp/oauth/callback",
      "http://localhost:8787/callback",
    ],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  },
  "VS Code": {
    client_name: "Visual Studio Code",
    client_uri: "https://code.visualstudio.com",
    grant_types: ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"],
    response_types: ["code"],
    redirect_uris: [
      "https://insiders.vscode.dev/redirect",
      "https://vscode.dev/redirect",
      "http://127.0.0.1/",
      "http://127.0.0.1:33418/",
    ],
    token_endpoint_auth_method: "none",
    application_type: "native",
  },
  Codex: {
    client_name: "Codex",
    redirect_uris: ["http://127.0.0.1:50761/callback/3f1a"],
    application_type: "native",
    grant_types: ["authorization_code", "refresh_token"],
    token_endpoint_auth_method: "none",
    response_types: ["code"],
  },
  "Gemini CLI": {
    client_name: "Gemini CLI MCP Client",
    redirect_uris: ["http://localhost:7777/oauth/callback"],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
    code_challenge_method: ["S256"],
    scope: "",
  },
  OpenCode: {
    client_name: "OpenCode",
    client_uri: "https://opencode.ai",
    redirect_uris: ["http://127.0.0.1:19876/mcp/oauth/callback"],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  },
  "mcp-remote": {
    client_name: "MCP CLI Proxy",
    client_uri: "https://github.com/modelcontextprotocol/mcp-cli",
    redirect_uris: ["http://localhost:26421/oauth/callback"],
    token_endpoint_auth_method: "none",
    application_type: "native",
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    software_id: "2e6dc280-f3c3-4e01-99a7-8181dbd1d23d",
    software_version: "0.15.1",
  },
};

const HOSTILE: Readonly<Record<string, unknown>> = {
  "runs in the browser": { redirect_uris: ["javascript:alert(1)//"] },
  "hides among good ones": { redirect_uris: ["http://127.0.0.1/", "data:text/html,<script>"] },
  "plain http to elsewhere": { redirect_uris: ["http://evil.example/callback"] },
  "a loopback name that is none": { redirect_uris: ["http://localhost.evil.example/"] },
  "somebody else's scheme": { redirect_uris: ["cursor://anysphere.cursor-mcp/oauth/other"] },
  "a user before the host": { redirect_uris: ["https://claude.ai@evil.example/"] },
  "a fragment": { redirect_uris: ["https://claude.ai/cb#"] },
  "no grant we have": { redirect_uris: ["http://127.0.0.1/"], grant_types: ["client_credentials"] },
  "an implicit client": { redirect_uris: ["http://127.0.0.1/"], response_types: ["token"] },
  "none at all": { redirect_uris: [] },
  "too many": { redirect_uris: Array.from({ length: 11 }, (_, at) => `http://127.0.0.1/${at}`) },
  "no object": ["http://127.0.0.1/"],
};

describe("OAuth registration", () => {
  for (const [name, payload] of Object.entries(PROGRAMS)) {
    test(name, () => {
      verifies("oauth.register");
      const wanted = registrationOf(payload);
      expect(registered("id", wanted, 1_000)).toEqual({
        client_id: "id",
        client_id_issued_at: 1,
        client_name: `${payload["client_name"]}`,
        redirect_uris: [...wanted.redirect_uris],
        application_type: name === "claude.ai" ? "web" : "native",
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
        token_endpoint_auth_method: "none",
        scope: "mcp:tools offline_access",
      });
      expect<unknown>(wanted.redirect_uris).toEqual(payload["redirect_uris"]);
    });
  }

  for (const [name, payload] of Object.entries(HOSTILE)) {
    test(`not: ${name}`, () => {
      verifies("oauth.register");
      expect(() => registrationOf(payload)).toThrow(OAuthError);
    });
  }

  test("a name cannot pass itself off as other text", () => {
    const name = (client_name: unknown) => registrationOf({ client_name, redirect_uris: ["http://127.0.0.1/"] }).name;
    expect(name("Cur\u202Esor\u0000\n\n verified\u200B")).toBe("Cur sor verified");
    expect(name("x".repeat(500))).toHaveLength(80);
    expect([name(""), name(" \n"), name(7), name(undefined)]).toEqual([null, null, null, null]);
  });
});

describe("redirect URIs", () => {
  test("match exactly, but for the port on this machine", () => {
    verifies("oauth.redirect");
    const registeredUris = ["http://localhost/callback", "http://127.0.0.1:33418/", "https://vscode.dev/redirect"];
    for (const [asked, matches] of [
      ["http://localhost:51234/callback", true],
      ["http://localhost/callback", true],
      ["http://127.0.0.1:1/", true],
      ["http://127.0.0.1:1", false],
      ["http://127.0.0.1:51234/callback", false],
      ["http://localhost:51234/callback/", false],
      ["http://localhost:51234/callback?x=1", false],
      ["http://LOCALHOST/callback", false],
      ["http://localhost:99999/callback", false],
      ["http://localhost:80@evil.example/callback", false],
      ["http://localhost/callback#f", false],
      ["https://localhost/callback", false],
      ["https://vscode.dev:8443/redirect", false],
      ["https://vscode.dev/redirect/", false],
      ["https://vscode.dev/redirect/../redirect", false],
    ] as const) {
      expect([asked, matchesRedirect(registeredUris, asked)]).toEqual([asked, matches]);
    }
  });

  test("whatever is made up, nothing but https, this machine and known programs is one", () => {
    verifies("oauth.redirect");
    const odd = fc.oneof(
      fc.webUrl({ withQueryParameters: true, withFragments: true }),
      fc.string(),
      fc
        .tuple(
          fc.constantFrom("http://localhost", "http://127.0.0.1", "https://", "cursor://", "com.example:/"),
          fc.string(),
        )
        .map((parts) => parts.join("")),
    );
    fc.assert(
      fc.property(odd, (uri) => {
        if (!isRedirectUri(uri)) return !matchesRedirect([uri], uri);
        const { protocol, hostname, hash, username } = new URL(uri);
        expect(hash + username).toBe("");
        if (protocol === "http:") expect(["localhost", "127.0.0.1", "[::1]"]).toContain(hostname);
        else
          expect(protocol === "https:" || protocol.includes(".") || uri.startsWith("cursor://anysphere.")).toBe(true);
        expect(placeOf(uri)).not.toBe("");
        return matchesRedirect([uri], uri);
      }),
    );
  });

  test("an answer keeps to the address, whatever is in the state", () => {
    verifies("oauth.redirect");
    fc.assert(
      fc.property(fc.string(), fc.constantFrom("http://127.0.0.1:7/cb", "https://a.example/cb?x=1"), (state, uri) => {
        const url = new URL(answerAt({ redirect_uri: uri, state }, "http://hub/api/auth", { code: "c" }));
        expect(url.href.startsWith(uri)).toBe(true);
        expect(url.searchParams.get("code")).toBe("c");
        expect(url.searchParams.get("iss")).toBe("http://hub/api/auth");
        expect(url.searchParams.get("state")).toBe(state.toWellFormed());
      }),
    );
  });
});

test("a resource is the gateway's, with or without a slash, by whichever name of the person's machine", () => {
  verifies("oauth.audience");
  const here = "http://127.0.0.1:8787/mcp/gateway";
  for (const host of ["127.0.0.1", "localhost", "[::1]"]) {
    expect([host, isSameResource(`http://${host}:8787/mcp/gateway`, here)]).toEqual([host, true]);
    expect([host, isSameResource(`http://${host}:8787/mcp/gateway/`, here)]).toEqual([host, true]);
    for (const other of [
      ...[`https://${host}:8787/mcp/gateway`, `http://${host}/mcp/gateway`, `http://${host}:8788/mcp/gateway`],
      ...[`http://${host}:8787/mcp`, `http://${host}:8787/mcp/gateway/x`, `http://${host}:8787/mcp/gateway?x`],
      ...[`http://${host}.evil.example:8787/mcp/gateway`, `http://evil@${host}:8787/mcp/gateway`],
    ]) {
      expect([other, isSameResource(other, here)]).toEqual([other, false]);
    }
    expect(isSameResource(`http://${host}:8787/mcp/gateway`, "http://hub.example:8787/mcp/gateway")).toBe(false);
  }
});

test("lists of tools hold names and patterns only", () => {
  expect(isAllowlist(["*", "files__*", "files__read", "a-b__c", `a__${"b".repeat(61)}`])).toBe(true);
  for (const bad of [
    "",
    "f*",
    "*__*",
    "files__re*",
    "a b",
    "x".repeat(65),
    "<b>",
    "read",
    `gw-at-${"a".repeat(32)}`,
    `a__${"b".repeat(62)}`,
  ])
    expect(isAllowlist([bad])).toBe(false);
});
