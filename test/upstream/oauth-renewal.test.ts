import { describe, expect, test } from "bun:test";
import { verifies } from "#test/support/verifies";
import { failureOf, OAuthServerWorld, refusal } from "./oauth-server-world.ts";
import { ScriptedOAuth } from "./scripted-oauth.ts";

const HOUR = 3_600_000;
const bearer = ({ access }: ScriptedOAuth) => ({ authorization: `Bearer ${access}` });

describe("tokens of a person", () => {
  test("OAuth renewal runs once for all waiting calls and is stored", async () => {
    verifies("tools.oauth-renewal");
    await using remote = new ScriptedOAuth();
    await using world = await OAuthServerWorld.create({ url: remote.url });
    await world.signIn();
    const authorization = await world.authorization();
    const old = remote.access;
    expect(await authorization.headers()).toEqual(bearer(remote));
    world.now += HOUR;
    const all = await Promise.all(Array.from({ length: 20 }, () => authorization.headers()));
    expect(remote.access).not.toBe(old);
    expect(all).toEqual(all.map(() => bearer(remote)));
    expect(remote.grants("refresh_token")).toHaveLength(1);
    expect(remote.grants("refresh_token")[0]?.form.get("resource")).toBe(remote.url);
    // Another process begins with what was stored, and the rotated token serves it the next time.
    const other = await world.authorization();
    expect(await other.headers()).toEqual(bearer(remote));
    world.now += HOUR;
    expect(await other.headers()).toEqual(bearer(remote));
    expect(remote.grants("refresh_token")).toHaveLength(2);
  });

  test("of two processes that renew at once the loser uses the winner's tokens", async () => {
    verifies("tools.oauth-renewal");
    await using remote = new ScriptedOAuth();
    await using world = await OAuthServerWorld.create({ url: remote.url });
    await world.signIn();
    const both = await Promise.all([world.authorization(), world.authorization()]);
    await Promise.all(both.map((one) => one.headers()));
    world.now += HOUR;
    const given = await Promise.all(both.map((one) => one.headers()));
    expect(given).toEqual([bearer(remote), bearer(remote)]);
  });

  test("processes that take turns spend a refresh token once", async () => {
    verifies("tools.oauth-renewal");
    await using remote = new ScriptedOAuth();
    await using world = await OAuthServerWorld.create({ url: remote.url });
    await world.signIn();
    const all = await Promise.all(Array.from({ length: 4 }, () => world.authorization({ takesTurns: true })));
    await Promise.all(all.map((one) => one.headers()));
    world.now += HOUR;
    const given = await Promise.all(all.map((one) => one.headers()));
    expect(given).toEqual(all.map(() => bearer(remote)));
    expect(remote.grants("refresh_token")).toHaveLength(1);
  });

  test("a token both get is the one that was stored first", async () => {
    verifies("tools.oauth-renewal");
    await using remote = new ScriptedOAuth();
    await using world = await OAuthServerWorld.create({ url: remote.url });
    await world.signIn();
    const both = await Promise.all([world.authorization(), world.authorization()]);
    await Promise.all(both.map((one) => one.headers()));
    // A server that does not rotate answers both; who answers last is stored last.
    let asked = 0;
    const arrived = Promise.withResolvers<void>();
    remote.instead.set("/token", async () => {
      asked += 1;
      const mine = asked;
      if (asked === 2) arrived.resolve();
      await arrived.promise;
      return Response.json({ access_token: `answer-${mine}`, token_type: "Bearer", expires_in: 3600 });
    });
    world.now += HOUR;
    const [one, two] = await Promise.all(both.map((each) => each.headers()));
    expect(asked).toBe(2);
    expect(one).toEqual(two);
    expect(await (await world.authorization()).headers()).toEqual(one ?? {});
  });

  test("a refused token is renewed; one that was just renewed is not", async () => {
    verifies("tools.oauth-renewal");
    await using remote = new ScriptedOAuth();
    await using world = await OAuthServerWorld.create({ url: remote.url });
    await world.signIn();
    const authorization = await world.authorization();
    await authorization.headers();
    // Both were sent with the old token.
    expect(await Promise.all([authorization.refused(refusal(401)), authorization.refused(refusal(401))])).toEqual([
      true,
      true,
    ]);
    expect(await authorization.refused(refusal(401))).toBe(true);
    expect(remote.grants("refresh_token")).toHaveLength(1);
    expect(await authorization.headers()).toEqual(bearer(remote));
    world.now += 5_000;
    expect(await authorization.refused(refusal(401))).toBe(true);
    expect(remote.grants("refresh_token")).toHaveLength(2);
  });

  test("a sign-in that has ended asks for a new one, and for it only; the new one is noticed", async () => {
    await using remote = new ScriptedOAuth();
    await using world = await OAuthServerWorld.create({ url: remote.url });
    await world.signIn();
    const authorization = await world.authorization();
    await authorization.headers();
    remote.revoke();
    world.now += HOUR;
    for (let tries = 0; tries < 3; tries += 1) {
      const failure = await failureOf(Promise.resolve(authorization.headers()));
      expect(failure.reason).toBe("unauthorized");
      expect(failure.message).toContain("The sign-in has ended at mail: sign in");
    }
    expect(remote.grants("refresh_token")).toHaveLength(1);
    await world.signIn();
    expect(await authorization.headers()).toEqual(bearer(remote));
  });

  test("an authorization server that is down costs no sign-in", async () => {
    await using remote = new ScriptedOAuth();
    await using world = await OAuthServerWorld.create({ url: remote.url });
    await world.signIn();
    const authorization = await world.authorization();
    await authorization.headers();
    world.now += HOUR;
    for (const reply of [() => new Response("", { status: 502 }), () => new Response("blocked", { status: 403 })]) {
      remote.instead.set("/token", reply);
      expect((await failureOf(Promise.resolve(authorization.headers()))).reason).toBe("unreachable");
    }
    remote.instead.clear();
    expect(await authorization.headers()).toEqual(bearer(remote));
  });

  test("OAuth step-up: missing scopes are requested at the next sign-in, refused ones not again", async () => {
    verifies("tools.oauth-sign-in");
    await using remote = new ScriptedOAuth();
    remote.challenge = ', scope="read"';
    await using world = await OAuthServerWorld.create({ url: remote.url });
    await world.signIn();
    const authorization = await world.authorization();
    await authorization.headers();
    expect(await authorization.refused(refusal(403, "read"))).toBe(false);
    const failure = await failureOf(authorization.refused(refusal(403, "write")));
    expect(failure.message).toContain("More must be allowed at mail: sign in");
    // Meanwhile what was allowed goes on, and is renewed.
    world.now += HOUR;
    expect(await authorization.headers()).toEqual(bearer(remote));
    const url = new URL(await world.signIns.begin(world.server, "u1", "any_browser"));
    expect(url.searchParams.get("scope")).toBe("read write");
    await world.signIns.finish(await world.visit(url.href), null);
    expect(await authorization.refused(refusal(403, "write"))).toBe(true);
    expect(await authorization.headers()).toEqual(bearer(remote));
    expect(await authorization.refused(refusal(403, "write"))).toBe(false);
  });
});

test("a renewal is kept although something else of the grant changed meanwhile", async () => {
  verifies("tools.oauth-renewal");
  await using remote = new ScriptedOAuth();
  await using world = await OAuthServerWorld.create({ url: remote.url });
  await world.signIn();
  const [renewing, refused] = await Promise.all([world.authorization(), world.authorization()]);
  await Promise.all([renewing.headers(), refused.headers()]);
  remote.instead.set("/token", async () => {
    await failureOf(refused.refused(refusal(403, "write")));
    return Response.json({ access_token: "new", refresh_token: "next", token_type: "Bearer" });
  });
  world.now += HOUR;
  expect(await renewing.headers()).toEqual({ authorization: "Bearer new" });
  remote.instead.clear();
  const url = new URL(await world.signIns.begin(world.server, "u1", "any_browser"));
  expect(url.searchParams.get("scope")).toBe("write");
  expect(await (await world.authorization()).headers()).toEqual({ authorization: "Bearer new" });
});

describe("tokens of the hub itself", () => {
  const credentials = {
    kind: "client_credentials",
    client_id: "hub",
    client_secret: "hub-secret",
    scope: null,
  } as const;

  test("had when the server asks for them, renewed when they expire, widened once", async () => {
    verifies("tools.oauth-renewal");
    await using remote = new ScriptedOAuth();
    await using world = await OAuthServerWorld.create({ url: remote.url, credentials });
    const authorization = await world.authorization();
    expect(await authorization.headers()).toEqual({});
    const refused = Array.from({ length: 5 }, () => authorization.refused(refusal(401, "read")));
    expect(await Promise.all(refused)).toEqual(refused.map(() => true));
    expect(await authorization.headers()).toEqual(bearer(remote));
    const scopes = () => remote.grants("client_credentials").map(({ form }) => form.get("scope"));
    expect(scopes()).toEqual(["read"]);
    world.now += HOUR;
    await Promise.all([authorization.headers(), authorization.headers()]);
    expect(scopes()).toEqual(["read", "read"]);
    expect(await authorization.refused(refusal(403, "write"))).toBe(true);
    expect(await authorization.refused(refusal(403, "write"))).toBe(false);
    expect(scopes()).toEqual(["read", "read", "read write"]);
    expect(await authorization.headers()).toEqual(bearer(remote));
    // Its metadata is read again only when the server sends us there.
    expect(remote.asked.filter(({ path }) => path.startsWith("/.well-known/"))).toHaveLength(2);
  });

  test("a client that is refused is said to be", async () => {
    await using remote = new ScriptedOAuth();
    remote.instead.set("/token", () => Response.json({ error: "invalid_client" }, { status: 401 }));
    await using world = await OAuthServerWorld.create({ url: remote.url, credentials });
    const failure = await failureOf((await world.authorization()).refused(refusal(401)));
    expect(failure).toMatchObject({ reason: "unauthorized" });
    expect(failure.message).toContain("refuses the hub's client (invalid_client)");
  });
});

test("given headers are sent as they are, and nothing can be done when they are refused", async () => {
  const headers = { "x-api-key": "k" };
  await using world = await OAuthServerWorld.create({
    url: "http://127.0.0.1/",
    credentials: { kind: "headers", headers },
  });
  const authorization = await world.authorization();
  expect(await authorization.headers()).toEqual(headers);
  expect(await authorization.refused(refusal(401))).toBe(false);
});
