import { describe, expect, test } from "bun:test";
import { Browser } from "#test/flow/browser";
import { OAuthWorld, pkce } from "#test/flow/oauth-world";
import { ADA, detailOf, OidcWorld, oidcEnv, PASSWORD } from "#test/flow/oidc-world";
import { OpenIdServer, VisitorAtProvider } from "#test/flow/openid-provider";
import { Hub } from "#test/support/hub";
import { verifies } from "#test/support/verifies";

const ROLES = {
  GUARDHOUSE_OIDC__NEW_USERS: "create",
  GUARDHOUSE_OIDC__ROLE_CLAIM: "groups",
  GUARDHOUSE_OIDC__ROLE_MAP: "hub-admins=admin,hub-readers=auditor,hub-analysts=analyst",
};
const verified = (email: string, groups?: unknown) => ({ email, email_verified: true, ...(groups ? { groups } : {}) });

test("strangers of the domain are made users; roles follow the claim, and the last administrator keeps theirs", async () => {
  verifies("oidc.roles", "oidc.who", "oidc.recorded");
  await using world = await OidcWorld.open(ROLES);
  const { provider, hub } = world;
  const zoe = new Browser(hub);
  const roleAfter = async (groups: unknown): Promise<unknown> => {
    await provider.says("zoe", verified("zoe@example.org", groups));
    expect(await world.signIn(zoe, "zoe")).toBe("/");
    return world.roleOf(zoe);
  };
  expect(await roleAfter(["hub-readers", "hub-analysts", "others"])).toBe("analyst");
  const made = (await world.records("user.create")).at(-1);
  expect(detailOf(made)).toEqual({ email: "zoe@example.org", role: "analyst", password: false, by: "oidc" });
  expect(await roleAfter(["hub-readers"])).toBe("auditor");
  expect(await roleAfter("hub-admins")).toBe("admin");
  expect(await roleAfter(["HUB-ADMINS", "admin", "__proto__", "constructor"])).toBe("member");
  expect(detailOf((await world.records("user.role")).at(-1))).toEqual({
    from: { role: "admin" },
    to: { role: "member" },
    by: "oidc",
  });
  // The old session of somebody demoted may as little as the new one.
  expect(await roleAfter(["hub-admins"])).toBe("admin");
  const old = new Browser(hub);
  old.cookie = zoe.cookie;
  expect(await roleAfter(undefined)).toBe("member");
  expect((await old.send("/api/users")).status).toBe(403);
  // Ada is the only administrator, and the provider knows no group of hers.
  await provider.says("ada", verified(ADA));
  const ada = new Browser(hub);
  expect(await world.signIn(ada, "ada")).toBe("/");
  expect(await world.roleOf(ada)).toBe("admin");
  expect(detailOf((await world.records("user.role_kept")).at(-1))).toMatchObject({ role: "admin", told: "member" });
  await roleAfter(["hub-admins"]);
  await world.signIn(ada, "ada");
  expect(await world.roleOf(ada)).toBe("member");
  expect((await hub.cli("audit", "verify")).code).toBe(0);
});

describe("without passwords", () => {
  test("password sign-in off: no sign-in or confirmation by password; the command line still creates a link", async () => {
    verifies("oidc.password-off");
    await using world = await OidcWorld.open({ GUARDHOUSE_PASSWORD_SIGN_IN: "off" });
    const { hub, provider } = world;
    const page = await (await hub.fetch("/login")).text();
    expect([page.includes("<form"), page.includes('id="oidc"')]).toEqual([false, true]);
    const ada = new Browser(hub);
    const code = async (answer: Response) => [answer.status, Object((await answer.json()) as object).error.code];
    expect(await code(await ada.signIn(ADA, PASSWORD))).toEqual([403, "password_sign_in_off"]);
    await provider.says("ada", verified(ADA));
    await world.signIn(ada, "ada");
    expect(await ada.me()).toBe(ADA);
    const confirm = await ada.send("/api/me/confirm", { json: { password: PASSWORD } });
    expect(await code(confirm)).toEqual([403, "password_sign_in_off"]);
    const { link } = Object((await hub.cli("user", "invite", ADA)).json());
    const rescued = new Browser(hub);
    const token = String(link).split("#")[1];
    const json = { token, password: "another horse battery" };
    expect((await rescued.send("/api/auth/invitation/accept", { json })).status).toBe(204);
    expect(await rescued.me()).toBe(ADA);
    expect((await rescued.signIn(ADA, "another horse battery")).status).toBe(403);
  });

  test("and without a provider a hub does not start, nor one that would let in everybody", async () => {
    verifies("oidc.password-off", "oidc.who");
    await using hub = await Hub.create();
    const check = async (env: Record<string, string>) => {
      const { code, stderr, stdout } = await hub.cliWith({ env }, "config", "check");
      return [code, stderr + stdout];
    };
    const off = await check({ GUARDHOUSE_PASSWORD_SIGN_IN: "off" });
    expect(off).toEqual([3, expect.stringContaining("without oidc.issuer nobody could sign in")]);
    const { GUARDHOUSE_OIDC__ALLOWED_DOMAINS: _, ...open } = oidcEnv("https://login.example.org", ROLES);
    expect(await check(open)).toEqual([3, expect.stringContaining("create needs allowed_domains")]);
    const { GUARDHOUSE_OIDC__CLIENT_ID: __, ...nameless } = oidcEnv("https://login.example.org");
    expect(await check(nameless)).toEqual([3, expect.stringContaining("issuer and client_id go together")]);
    const secret = { GUARDHOUSE_OIDC__CLIENT_SECRET: "x".repeat(2_000) };
    const [code, said] = await check(secret);
    expect([code, String(said).includes("xxx")]).toEqual([3, false]);
    const file = await hub.writeFile("from-a-file\n");
    const { GUARDHOUSE_OIDC__CLIENT_SECRET: ___, ...rest } = oidcEnv("https://login.example.org");
    const good = await check({ ...rest, GUARDHOUSE_OIDC__CLIENT_SECRET_FILE: file });
    expect(good[0]).toBe(0);
  });
});

test("a tool client's request goes on after the sign-in at the provider, to tokens that open the gateway", async () => {
  verifies("oidc.no-redirect", "oidc.sign-in");
  await using provider = await OpenIdServer.start();
  await using world = await OAuthWorld.open({
    env: oidcEnv(provider.issuer, { GUARDHOUSE_ADMIN_EMAIL: "b@example.org" }),
  });
  const { hub } = world;
  await provider.register(hub.url);
  await provider.says("ada", verified("ada@example.org"));
  const client = await world.register();
  const { verifier, challenge } = pkce();
  const query = world.query(client, challenge);
  const browser = new Browser(hub);
  const asked = await browser.send(`/api/auth/oauth2/authorize?${query}`);
  const login = new URL(asked.headers.get("location") ?? "");
  expect(login.pathname).toBe("/login");
  // The page's script puts its own query behind the button's address.
  const begun = await browser.send(`/api/auth/oidc${login.search}`);
  const back = await new VisitorAtProvider().goes(begun.headers.get("location") ?? "", "ada");
  const answer = await browser.send(back.pathname + back.search);
  const place = new URL(answer.headers.get("location") ?? "");
  expect(place.pathname + place.search).toBe(`/api/auth/oauth2/authorize?${query}`);
  const end = await world.decide(browser, place.search.slice(1));
  expect(end.searchParams.get("state")).toBe("st4te");
  const tokens = await world.redeem(client, end.searchParams.get("code") ?? "", verifier);
  const { access_token } = Object(await tokens.json());
  expect((await world.names(String(access_token))).length).toBeGreaterThan(0);
});
