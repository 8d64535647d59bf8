import { describe, expect, test } from "bun:test";
import { verifies } from "#test/support/verifies";
import { guardedFetch } from "#upstream/mcp/guarded-fetch";
import { failureOf, OAuthServerWorld } from "./oauth-server-world.ts";
import { ScriptedOAuth } from "./scripted-oauth.ts";

describe("signing in", () => {
  test("OAuth sign-in: authorization address, and a code valid once", async () => {
    verifies("tools.oauth-sign-in", "tools.oauth-discovery");
    await using remote = new ScriptedOAuth();
    await using world = await OAuthServerWorld.create({ url: remote.url });
    const authorization = await world.authorization();
    const before = await failureOf(Promise.resolve(authorization.headers()));
    expect(before.reason).toBe("unauthorized");
    expect(before.message).toContain("guardhouse tool-server authorize mail --owner EMAIL");

    const url = new URL(await world.signIns.begin(world.server, "u1", "any_browser"));
    expect(url.origin + url.pathname).toBe(`${remote.origin}/authorize`);
    const query = Object.fromEntries(url.searchParams);
    expect(query).toMatchObject({ response_type: "code", client_id: "registered", code_challenge_method: "S256" });
    expect(query["resource"]).toBe(remote.url);
    expect(query["state"]).toHaveLength(43);

    const answer = await world.visit(url.href);
    expect(await world.signIns.finish(answer, null)).toEqual({ kind: "signed_in", server_id: world.server.id });
    expect(await authorization.headers()).toEqual({ authorization: `Bearer ${remote.access}` });
    expect(remote.grants("authorization_code").map(({ form }) => form.get("resource"))).toEqual([remote.url]);
    // A second time nobody waits for it.
    expect(await world.signIns.finish(answer, null)).toEqual({ kind: "not_begun" });
    expect(remote.grants("authorization_code")).toHaveLength(1);
  });

  test("an answer with another state, from elsewhere, of a decliner or too late gives nothing", async () => {
    verifies("tools.oauth-sign-in");
    await using remote = new ScriptedOAuth();
    await using world = await OAuthServerWorld.create({ url: remote.url });
    const answer = async () => world.visit(await world.signIns.begin(world.server, "u1", "any_browser"));
    expect(await world.signIns.finish({ ...(await answer()), state: "guessed" }, null)).toEqual({ kind: "not_begun" });
    const elsewhere = [null, "https://evil.example.com", `${remote.origin}/`, remote.origin.toUpperCase()];
    for (const issuer of elsewhere) {
      expect((await failureOf(world.signIns.finish({ ...(await answer()), issuer }, null))).reason).toBe(
        "unauthorized",
      );
    }
    const declined = { ...(await answer()), code: null, error: "access_denied" };
    expect((await failureOf(world.signIns.finish(declined, null))).message).toContain("declined");
    const late = await answer();
    world.now += 600_001;
    expect(await world.signIns.finish(late, null)).toEqual({ kind: "not_begun" });
    expect(remote.grants("authorization_code")).toEqual([]);
  });

  test("OAuth sign-in uses the configured client and scopes", async () => {
    await using remote = new ScriptedOAuth();
    remote.metadata = { token_endpoint_auth_methods_supported: ["client_secret_basic"] };
    remote.resource = { scopes_supported: ["all", "of", "it"] };
    remote.challenge = ', scope="some"';
    const client = { client_id: "a:b c", client_secret: "s%: é+" };
    await using world = await OAuthServerWorld.create({
      url: remote.url,
      credentials: { kind: "authorization_code", ...client, scope: "read" },
    });
    const url = new URL(await world.signIns.begin(world.server, "u1", "any_browser"));
    expect(url.searchParams.get("scope")).toBe("read");
    await world.signIns.finish(await world.visit(url.href), null);
    const [{ authorization, form } = { authorization: "", form: new URLSearchParams() }] =
      remote.grants("authorization_code");
    // RFC 6749 §2.3.1: form-encoded, then joined.
    const [id, secret] = atob(authorization?.replace("Basic ", "") ?? "").split(":");
    const decoded = new URLSearchParams(`id=${id}&secret=${secret}`);
    expect([decoded.get("id"), decoded.get("secret")]).toEqual([client.client_id, client.client_secret]);
    expect(form.has("client_secret")).toBe(false);
    expect(remote.asked.some(({ path }) => path === "/register")).toBe(false);
  });
});

describe("answers of authorization servers that do not follow the standards to the letter", () => {
  const token = { access_token: "given", token_type: "Bearer" };
  test.each([
    ["members that are null", { ...token, refresh_token: null, scope: null, expires_in: null }],
    ["a lifetime as text", { ...token, expires_in: "3600" }],
    ["a lifetime of no meaning", { ...token, expires_in: "soon" }],
    ["an ID token nobody asked for", { ...token, id_token: "e30.e30.x" }],
  ])("a token with %s is taken", async (_, answer) => {
    verifies("tools.oauth-sign-in");
    await using remote = new ScriptedOAuth();
    remote.instead.set("/token", () => Response.json(answer));
    await using house = await OAuthServerWorld.create({ url: remote.url });
    await house.signIn();
    expect(await (await house.authorization()).headers()).toEqual({ authorization: "Bearer given" });
  });

  test.each([
    ["status 200", { status: 200 }],
    ["a challenge", { status: 401, headers: { "www-authenticate": 'Basic realm="clients"' } }],
  ])("a refusal with %s is told by its error code", async (_, init) => {
    verifies("tools.oauth-sign-in");
    await using remote = new ScriptedOAuth();
    remote.instead.set("/token", () => Response.json({ error: "invalid_client" }, init));
    await using house = await OAuthServerWorld.create({ url: remote.url });
    expect((await failureOf(house.signIn())).message).toContain("does not take the answer (invalid_client)");
  });

  test("OAuth sign-in refuses DPoP tokens", async () => {
    verifies("tools.oauth-sign-in");
    await using remote = new ScriptedOAuth();
    remote.instead.set("/token", () => Response.json({ ...token, token_type: "DPoP" }));
    await using house = await OAuthServerWorld.create({ url: remote.url });
    expect((await failureOf(house.signIn())).message).toContain("gave no bearer token");
  });

  test.each([
    ["status 200", { client_id: "known" }, 200],
    ["a secret without an end", { client_id: "known", client_secret: "s" }, 201],
    ["a secret that is null", { client_id: "known", client_secret: null }, 201],
  ])("a registration with %s is taken", async (_, answer, status) => {
    verifies("tools.oauth-discovery");
    await using remote = new ScriptedOAuth();
    remote.instead.set("/register", () => Response.json(answer, { status }));
    await using house = await OAuthServerWorld.create({ url: remote.url });
    const url = new URL(await house.signIns.begin(house.server, "u1", "any_browser"));
    expect(url.searchParams.get("client_id")).toBe("known");
  });

  test("metadata of a resource above the server's address is taken, and asked for as it is written", async () => {
    verifies("tools.oauth-discovery");
    await using remote = new ScriptedOAuth();
    remote.resource = { resource: remote.origin };
    await using house = await OAuthServerWorld.create({ url: remote.url });
    const url = new URL(await house.signIns.begin(house.server, "u1", "any_browser"));
    expect(url.searchParams.get("resource")).toBe(remote.origin);
  });

  test("a client's id is sent by Basic as it is where form encoding leaves it so", async () => {
    await using remote = new ScriptedOAuth();
    const client = { client_id: "my-client_1.a", client_secret: "s-1" };
    const credentials = { kind: "authorization_code", ...client, scope: null } as const;
    await using house = await OAuthServerWorld.create({ url: remote.url, credentials });
    await house.signIn();
    const [asked] = remote.grants("authorization_code");
    expect(atob(asked?.authorization?.replace("Basic ", "") ?? "")).toBe("my-client_1.a:s-1");
  });
});

describe("discovery", () => {
  const elsewhere = "https://evil.example.com";
  test.each([
    ["another resource", { resource: `${elsewhere}/mcp` }, {}],
    ["a resource beside it", { resource: "ORIGIN/mc" }, {}],
    ["a resource below it", { resource: "ORIGIN/mcp/deeper" }, {}],
    ["another issuer", {}, { issuer: elsewhere }],
    ["no issuer", {}, { issuer: undefined }],
    ["no PKCE", {}, { code_challenge_methods_supported: ["plain"] }],
    ["nothing of PKCE", {}, { code_challenge_methods_supported: undefined }],
    ["a script for a place", {}, { authorization_endpoint: "javascript:alert(1)" }],
    ["no token endpoint", {}, { token_endpoint: "file:///etc/passwd" }],
    ["no registration", {}, { registration_endpoint: undefined }],
  ])("%s: refused before anybody is sent anywhere", async (_, resource, metadata) => {
    verifies("tools.oauth-discovery");
    await using remote = new ScriptedOAuth();
    const here = (value: unknown) => (typeof value === "string" ? value.replace("ORIGIN", remote.origin) : value);
    remote.resource = Object.fromEntries(Object.entries(resource).map(([name, value]) => [name, here(value)]));
    remote.metadata = metadata;
    await using world = await OAuthServerWorld.create({ url: remote.url });
    const failure = await failureOf(world.signIns.begin(world.server, "u1", "any_browser"));
    expect(failure.reason).toBe("unauthorized");
    expect(failure.message).not.toContain("evil.example.com");
    expect(remote.asked.some(({ path }) => path === "/token")).toBe(false);
  });

  test("a place that is down is not taken for one without metadata", async () => {
    verifies("tools.oauth-discovery");
    for (const path of ["/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-authorization-server"]) {
      await using remote = new ScriptedOAuth();
      remote.instead.set(path, () => new Response("", { status: 503 }));
      await using world = await OAuthServerWorld.create({ url: remote.url });
      expect((await failureOf(world.signIns.begin(world.server, "u1", "any_browser"))).reason).toBe("unreachable");
    }
  });

  test("redirects of metadata are not followed", async () => {
    verifies("tools.ssrf-redirects");
    await using remote = new ScriptedOAuth();
    await using trap = new ScriptedOAuth();
    const away = () => Response.redirect(`${trap.origin}/.well-known/oauth-authorization-server`, 307);
    remote.instead.set("/.well-known/oauth-authorization-server", away);
    await using world = await OAuthServerWorld.create({ url: remote.url });
    await failureOf(world.signIns.begin(world.server, "u1", "any_browser"));
    expect(trap.asked).toEqual([]);
  });

  test("OAuth sign-in checks addresses from metadata like the server's own", async () => {
    verifies("tools.oauth-guarded");
    await using remote = new ScriptedOAuth("127.0.0.2");
    await using inside = new ScriptedOAuth("127.0.0.1");
    const fetch = guardedFetch({ allowPrivate: ["127.0.0.2/32"], connectMs: 2_000 });
    const attempts = [
      () => {
        remote.challenge = `, resource_metadata="${inside.origin}/.well-known/oauth-protected-resource/mcp"`;
      },
      () => {
        remote.resource = { authorization_servers: [inside.origin] };
      },
      () => {
        remote.metadata = { registration_endpoint: `${inside.origin}/register` };
      },
      () => {
        remote.metadata = { token_endpoint: `${inside.origin}/token` };
      },
    ];
    for (const attempt of attempts) {
      remote.challenge = "";
      remote.resource = {};
      remote.metadata = {};
      attempt();
      await using world = await OAuthServerWorld.create({ url: remote.url, fetch });
      expect((await failureOf(world.signIn())).reason).toBe("forbidden_address");
      expect(inside.asked).toEqual([]);
    }
    // Without any of it the same server is fine.
    remote.metadata = {};
    await using world = await OAuthServerWorld.create({ url: remote.url, fetch });
    await world.signIn();
  });
});
