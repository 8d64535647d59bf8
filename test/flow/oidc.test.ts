import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Browser } from "#test/flow/browser";
import { ADA, detailOf, OidcWorld, PASSWORD } from "#test/flow/oidc-world";
import { VisitorAtProvider } from "#test/flow/openid-provider";
import { verifies } from "#test/support/verifies";

/* Against oidc-provider in a process of its own. */

let world: OidcWorld;
beforeAll(async () => {
  world = await OidcWorld.open();
});
afterAll(() => world[Symbol.asyncDispose]());

const verified = (email: string) => ({ email, email_verified: true, name: "Somebody" });

test("sign-in by an invited user with a verified address", async () => {
  verifies("oidc.sign-in", "sign-in.fixation");
  const { hub, provider } = world;
  const page = await (await hub.fetch("/login")).text();
  expect(page).toContain(`<a id="oidc" href="api/auth/oidc">Continue with Example &amp; Sons</a>`);
  const ada = new Browser(hub);
  await ada.signIn(ADA, PASSWORD);
  const planted = ada.cookie;
  await provider.says("ada", verified("Ada@Example.org"));
  const browser = new Browser(hub);
  browser.cookie = planted;
  expect(await world.signIn(browser, "ada")).toBe("/");
  expect(await browser.me()).toBe(ADA);
  expect(browser.cookie).not.toBe(planted);
  expect(browser.attempt).toBe("");
  // The account with the password is the same one still.
  expect(await ada.me()).toBe(ADA);
  const [linked] = await world.records("user.link");
  expect(detailOf(linked)).toEqual({ issuer: provider.issuer });
  expect(detailOf((await world.records("auth.sign_in")).at(-1))).toMatchObject({ how: "oidc", address: "203.0.113.1" });
  // Known by the subject from now on, whatever becomes of the address there.
  await provider.says("ada", verified("ada.lovelace@example.org"));
  const again = new Browser(hub);
  await world.signIn(again, "ada");
  expect(await again.me()).toBe(ADA);
  expect((await hub.cli("audit", "verify")).code).toBe(0);
});

test("with the parameters of OpenID Connect, and nothing that a request said", async () => {
  verifies("oidc.answer", "oidc.no-redirect");
  const begun = await new Browser(world.hub).send("/api/auth/oidc?redirect_uri=http://evil.test&state=x", {
    headers: { "x-forwarded-host": "evil.test" },
  });
  const place = new URL(begun.headers.get("location") ?? "");
  expect(place.origin).toBe(world.provider.issuer);
  const params = Object.fromEntries(place.searchParams);
  expect(params).toMatchObject({
    response_type: "code",
    client_id: "guardhouse",
    redirect_uri: `${world.hub.url}/api/auth/oidc/callback`,
    scope: "openid email profile groups",
    code_challenge_method: "S256",
  });
  for (const name of ["state", "nonce", "code_challenge"]) expect(params[name]).toMatch(/^[\w-]{43}$/);
  const [cookie = ""] = begun.headers.getSetCookie();
  expect(cookie).toMatch(/^hub\.oidc=v1[\w.-]+; Max-Age=600; Path=\/api\/auth\/oidc; HttpOnly; SameSite=Lax$/);
  for (const name of ["state", "nonce"]) expect(cookie).not.toContain(params[name] ?? "");
});

describe("OIDC: refused sign-ins", () => {
  const refused = async (account: string): Promise<[string, unknown]> => {
    const browser = new Browser(world.hub);
    const place = await world.signIn(browser, account);
    expect(await browser.me()).toBeNull();
    const record = (await world.records("auth.sign_in_failed")).at(-1);
    return [place, detailOf(record)["reason"]];
  };

  test("an unverified address, another domain, an unknown user, a disabled user", async () => {
    verifies("oidc.verified", "oidc.who", "oidc.recorded");
    const { hub, provider } = world;
    await hub.createUser("vic@example.org");
    await provider.says("vic", { email: "vic@example.org", email_verified: false });
    expect(await refused("vic")).toEqual(["/login#oidc=unverified", "unverified_email"]);
    await provider.says("vic", { email: "vic@example.org" });
    expect(await refused("vic")).toEqual(["/login#oidc=unverified", "unverified_email"]);
    for (const email of [
      "vic@evil.test",
      "vic@sub.example.org",
      "vic@example.org.evil.test",
      "a@example.org@evil.test",
    ]) {
      await provider.says("foreign", verified(email));
      expect(await refused("foreign")).toEqual(["/login#oidc=no_access", "foreign_domain"]);
    }
    await provider.says("stranger", verified("stranger@example.org"));
    expect(await refused("stranger")).toEqual(["/login#oidc=no_access", "unknown_user"]);
    expect((await hub.cli("user", "list")).stdout).not.toContain("stranger");
    await provider.says("vic", verified("vic@example.org"));
    const vic = new Browser(hub);
    await world.signIn(vic, "vic");
    expect(await vic.me()).toBe("vic@example.org");
    await hub.cli("user", "disable", "vic@example.org");
    expect(await refused("vic")).toEqual(["/login#oidc=no_access", "disabled"]);
    expect(await vic.me()).toBeNull();
    await hub.cli("user", "enable", "vic@example.org");
    // Who was let in once stays out with the domain, too.
    await provider.says("vic", verified("vic@evil.test"));
    expect(await refused("vic")).toEqual(["/login#oidc=no_access", "foreign_domain"]);
  });

  test("a reassigned e-mail address, until an operator unlinks it", async () => {
    verifies("oidc.linking");
    const { hub, provider } = world;
    await hub.createUser("tom@example.org");
    await provider.says("tom-1", verified("tom@example.org"));
    await world.signIn(new Browser(hub), "tom-1");
    await provider.says("tom-2", verified("tom@example.org"));
    expect(await refused("tom-2")).toEqual(["/login#oidc=no_access", "other_identity"]);
    expect((await hub.cli("user", "unlink", "tom@example.org")).code).toBe(0);
    const browser = new Browser(hub);
    expect(await world.signIn(browser, "tom-2")).toBe("/");
    expect(await refused("tom-1")).toEqual(["/login#oidc=no_access", "other_identity"]);
  });

  test("a denial at the provider, whose message is not shown", async () => {
    verifies("oidc.page");
    expect(await refused("nobody")).toEqual(["/login#oidc=denied", "denied"]);
    const page = await (await world.hub.fetch("/login")).text();
    for (const word of ["expired", "denied", "unavailable", "failed", "unverified", "no_access", "busy"])
      expect(page).toContain(`"${word}":"`);
    expect(page).not.toContain("alert(1)");
  });
});

describe("an answer", () => {
  test("is good once", async () => {
    verifies("oidc.answer");
    await world.provider.says("ada", verified(ADA));
    const browser = new Browser(world.hub);
    const path = await world.toCallback(browser, "ada");
    const sealed = browser.attempt;
    await browser.send(path);
    expect(await browser.me()).toBe(ADA);
    // The same browser, with the cookie it had then.
    const replay = new Browser(world.hub);
    replay.attempt = sealed;
    expect((await replay.send(path)).headers.get("location")).toEndWith("/login#oidc=expired");
    expect(await replay.me()).toBeNull();
  });

  test("is good in the browser that asked, for what it asked", async () => {
    verifies("oidc.answer");
    const [one, other] = [new Browser(world.hub), new Browser(world.hub)];
    const theirs = await world.toCallback(one, "ada");
    const own = await world.toCallback(other, "ada");
    for (const path of [theirs, theirs.replace(/state=[^&]+/, "state="), "/api/auth/oidc/callback?code=x"]) {
      const fresh = new Browser(world.hub);
      expect((await fresh.send(path)).headers.get("location")).toEndWith("#oidc=expired");
      // With an attempt of its own that is not this one (login CSRF).
      fresh.attempt = other.attempt;
      expect((await fresh.send(path)).headers.get("location")).toEndWith("#oidc=expired");
      expect(await fresh.me()).toBeNull();
    }
    // The other's code under one's own state: the code is bound to the other's verifier.
    const state = new URL(own, world.hub.url).searchParams.get("state") ?? "";
    const mixed = theirs.replace(/state=[^&]+/, `state=${state}`);
    expect((await other.send(mixed)).headers.get("location")).toEndWith("#oidc=failed");
    expect(await other.me()).toBeNull();
  });

  test("leads to the hub's own pages, whatever the request said", async () => {
    verifies("oidc.no-redirect");
    const tries = [
      "callbackURL=//evil.test",
      "client_id=x&redirect_uri=http://evil.test",
      "@evil.test",
      "/..//evil.test",
    ];
    for (const query of tries) {
      const browser = new Browser(world.hub);
      const place = await world.signIn(browser, "ada", `/api/auth/oidc?${query}`);
      expect(place).toStartWith("/api/auth/oauth2/authorize?");
      expect(await browser.me()).toBe(ADA);
      const page = await browser.send(place);
      expect([page.status, page.headers.get("location")]).toEqual([400, null]);
      expect(await page.text()).not.toContain("evil");
    }
  });
});

test("a session becomes fresh by a new authentication of the same account at the provider", async () => {
  verifies("oidc.fresh", "session.fresh");
  const { hub, provider } = world;
  await provider.says("ada", verified(ADA));
  const at = new VisitorAtProvider();
  const ada = new Browser(hub);
  await world.signIn(ada, "ada", undefined, at);
  const cookie = ada.cookie;
  const begun = new URL((await ada.send("/api/auth/oidc/confirm")).headers.get("location") ?? "");
  expect([begun.searchParams.get("prompt"), begun.searchParams.get("max_age")]).toEqual(["login", "0"]);
  expect(await world.signIn(ada, "ada", "/api/auth/oidc/confirm", at)).toBe("/");
  expect(ada.cookie).toBe(cookie);
  expect(detailOf((await world.records("session.confirm")).at(-1))).toMatchObject({ how: "oidc" });
  await hub.createUser("una@example.org");
  await provider.says("una", verified("una@example.org"));
  await world.signIn(new Browser(hub), "una");
  expect(await world.signIn(ada, "una", "/api/auth/oidc/confirm")).toBe("/login#oidc=no_access");
  expect(await ada.me()).toBe(ADA);
  expect(await world.records("session.confirm")).toHaveLength(1);
});
