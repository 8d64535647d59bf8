import { describe, expect, test } from "bun:test";
import { verifies } from "#test/support/verifies";
import { guardedFetch } from "#upstream/mcp/guarded-fetch";
import { failureOf, OAuthHouse } from "./oauth-house.ts";
import { ScriptedOAuth } from "./scripted-oauth.ts";

describe("signing in", () => {
  test("a person is sent to the right place, and what he brings back is good once", async () => {
    verifies("tools.oauth-sign-in", "tools.oauth-discovery");
    await using remote = new ScriptedOAuth();
    await using house = await OAuthHouse.create({ url: remote.url });
    const authorization = await house.authorization();
    const before = await failureOf(Promise.resolve(authorization.headers()));
    expect(before.reason).toBe("unauthorized");
    expect(before.message).toContain("guardhouse tool-server authorize mail --owner EMAIL");

    const url = new URL(await house.signIns.begin(house.server, "u1", "any_browser"));
    expect(url.origin + url.pathname).toBe(`${remote.origin}/authorize`);
    const query = Object.fromEntries(url.searchParams);
    expect(query).toMatchObject({ response_type: "code", client_id: "registered", code_challenge_method: "S256" });
    expect(query["resource"]).toBe(remote.url);
    expect(query["state"]).toHaveLength(43);

    const answer = await house.visit(url.href);
    expect(await house.signIns.finish(answer, null)).toEqual({ kind: "signed_in", server_id: house.server.id });
    expect(await authorization.headers()).toEqual({ authorization: `Bearer ${remote.access}` });
    expect(remote.grants("authorization_code").map(({ form }) => form.get("resource"))).toEqual([remote.url]);
    // A second time nobody waits for it.
    expect(await house.signIns.finish(answer, null)).toEqual({ kind: "not_begun" });
    expect(remote.grants("authorization_code")).toHaveLength(1);
  });

  test("an answer with another state, from elsewhere, of a decliner or too late gives nothing", async () => {
    verifies("tools.oauth-sign-in");
    await using remote = new ScriptedOAuth();
    await using house = await OAuthHouse.create({ url: remote.url });
    const answer = async () => house.visit(await house.signIns.begin(house.server, "u1", "any_browser"));
    expect(await house.signIns.finish({ ...(await answer()), state: "guessed" }, null)).toEqual({ kind: "not_begun" });
    const elsewhere = [null, "https://evil.example.com", `${remote.origin}/`, remote.origin.toUpperCase()];
    for (const issuer of elsewhere) {
      expect((await failureOf(house.signIns.finish({ ...(await answer()), issuer }, null))).reason).toBe(
        "unauthorized",
      );
    }
    const declined = { ...(await answer()), code: null, error: "access_denied" };
    expect((await failureOf(house.signIns.finish(declined, null))).message).toContain("declined");
    const late = await answer();
    house.now += 600_001;
    expect(await house.signIns.finish(late, null)).toEqual({ kind: "not_begun" });
    expect(remote.grants("authorization_code")).toEqual([]);
  });

  test("what is configured is asked for, with its client, in the way the server wants", async () => {
    await using remote = new ScriptedOAuth();
    remote.metadata = { token_endpoint_auth_methods_supported: ["client_secret_basic"] };
    remote.resource = { scopes_supported: ["all", "of", "it"] };
    remote.challenge = ', scope="some"';
    const client = { client_id: "a:b c", client_secret: "s%: é+" };
    await using house = await OAuthHouse.create({
      url: remote.url,
      credentials: { kind: "authorization_code", ...client, scope: "read" },
    });
    const url = new URL(await house.signIns.begin(house.server, "u1", "any_browser"));
    expect(url.searchParams.get("scope")).toBe("read");
    await house.signIns.finish(await house.visit(url.href), null);
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
    await using house = await OAuthHouse.create({ url: remote.url });
    const failure = await failureOf(house.signIns.begin(house.server, "u1", "any_browser"));
    expect(failure.reason).toBe("unauthorized");
    expect(failure.message).not.toContain("evil.example.com");
    expect(remote.asked.some(({ path }) => path === "/token")).toBe(false);
  });

  test("a place that is down is not taken for one without metadata", async () => {
    verifies("tools.oauth-discovery");
    for (const path of ["/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-authorization-server"]) {
      await using remote = new ScriptedOAuth();
      remote.instead.set(path, () => new Response("", { status: 503 }));
      await using house = await OAuthHouse.create({ url: remote.url });
      expect((await failureOf(house.signIns.begin(house.server, "u1", "any_browser"))).reason).toBe("unreachable");
    }
  });

  test("redirects of metadata are not followed", async () => {
    verifies("tools.ssrf-redirects");
    await using remote = new ScriptedOAuth();
    await using trap = new ScriptedOAuth();
    const away = () => Response.redirect(`${trap.origin}/.well-known/oauth-authorization-server`, 307);
    remote.instead.set("/.well-known/oauth-authorization-server", away);
    await using house = await OAuthHouse.create({ url: remote.url });
    await failureOf(house.signIns.begin(house.server, "u1", "any_browser"));
    expect(trap.asked).toEqual([]);
  });

  test("what a server hands out passes the same check as its own address", async () => {
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
      await using house = await OAuthHouse.create({ url: remote.url, fetch });
      expect((await failureOf(house.signIn())).reason).toBe("forbidden_address");
      expect(inside.asked).toEqual([]);
    }
    // Without any of it the same server is fine.
    remote.metadata = {};
    await using house = await OAuthHouse.create({ url: remote.url, fetch });
    await house.signIn();
  });
});
