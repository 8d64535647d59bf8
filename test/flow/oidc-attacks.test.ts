import { Database } from "bun:sqlite";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Browser } from "#test/flow/browser";
import { ADA, detailOf, oidcEnv, PASSWORD, recordsOf } from "#test/flow/oidc-world";
import { CLIENT_SECRET } from "#test/flow/openid-provider";
import { type Script, ScriptedOpenId } from "#test/flow/scripted-openid";
import { Hub } from "#test/support/hub";
import { verifies } from "#test/support/verifies";

/* Against a provider that lies, on the real wire. */

let provider: ScriptedOpenId;
let hub: Hub;
let visits = 0;
beforeAll(async () => {
  provider = new ScriptedOpenId();
  hub = await Hub.started({ processes: "hub", env: oidcEnv(provider.issuer) });
});
afterAll(async () => {
  await hub[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
});
beforeEach(() => {
  provider.script = { claims: {}, document: {}, signing: "own key", status: 200, info: null };
});

type Answer = Readonly<Record<string, string>>;

/** Signs in; `more` goes over the parameters of the answer. */
const visit = async (more: Answer = {}, browser = new Browser(hub)): Promise<[string, string | null]> => {
  const begun = await browser.send("/api/auth/oidc");
  const place = begun.headers.get("location") ?? "";
  if (!place.startsWith(provider.issuer)) return [place.replace(hub.url, ""), null];
  const query = new URLSearchParams({ ...provider.codeFor(place), ...more });
  visits += 1;
  const headers = { "x-forwarded-for": `198.51.100.${visits % 250}` };
  const answer = await browser.send(`/api/auth/oidc/callback?${query}`, { headers });
  return [`${answer.headers.get("location")}`.replace(hub.url, ""), await browser.me()];
};

const FAILED: [string, null] = ["/login#oidc=failed", null];
const IN: [string, string] = ["/", ADA];

describe("an ID token", () => {
  test("that is good lets in", async () => {
    verifies("oidc.answer");
    expect(await visit()).toEqual(IN);
    const { form, authorization } =
      provider.sent.findLast(({ path }) => path === "/token") ?? provider.sent[0] ?? fail();
    expect(form.get("redirect_uri")).toBe(`${hub.url}/api/auth/oidc/callback`);
    expect(form.get("code_verifier")).toMatch(/^[\w-]{43}$/);
    // RFC 6749 §2.3.1: both parts are encoded before they are joined.
    const [scheme, pair = ""] = authorization.split(" ");
    expect([scheme, ...atob(pair).split(":").map(decodeURIComponent)]).toEqual(["Basic", "guardhouse", CLIENT_SECRET]);
  });

  const now = () => Math.floor(Date.now() / 1_000);
  const BAD: readonly (readonly [name: string, script: () => Partial<Script>])[] = [
    ["for another audience", () => ({ claims: { aud: "another-client" } })],
    ["for several, given to another", () => ({ claims: { aud: ["guardhouse", "x"], azp: "x" } })],
    ["for nobody", () => ({ claims: { aud: undefined } })],
    ["of another issuer", () => ({ claims: { iss: "http://evil.test" } })],
    ["of no issuer", () => ({ claims: { iss: undefined } })],
    ["with a nonce from before", () => ({ claims: { nonce: "a".repeat(43) } })],
    ["without a nonce", () => ({ claims: { nonce: undefined } })],
    ["about nobody", () => ({ claims: { sub: undefined } })],
    ["that has expired", () => ({ claims: { iat: now() - 7_200, exp: now() - 3_600 } })],
    ["that does not expire", () => ({ claims: { exp: undefined } })],
    ["made in two hours", () => ({ claims: { iat: now() + 7_200, exp: now() + 7_500 } })],
    ["of tomorrow", () => ({ claims: { iat: now() + 86_400, nbf: now() + 86_400, exp: now() + 90_000 } })],
    ["signed with another key", () => ({ signing: "another key" })],
    ["that is not signed", () => ({ signing: "no key" })],
    ["signed with what the hub knows too", () => ({ signing: "the client's secret" })],
  ];
  for (const [name, script] of BAD) {
    test(`${name} lets nobody in`, async () => {
      verifies("oidc.answer");
      provider.script = { ...provider.script, ...script() };
      expect(await visit()).toEqual(FAILED);
    });
  }

  test("is believed before the userinfo endpoint, which must speak of the same person", async () => {
    verifies("oidc.verified", "oidc.answer");
    const none = { email: undefined, email_verified: undefined };
    provider.script.claims = none;
    await hub.restart();
    expect((await visit())[0]).toBe("/login#oidc=unverified");
    provider.script = { ...provider.script, claims: none, info: { sub: "another", email: ADA, email_verified: true } };
    await hub.restart();
    expect(await visit()).toEqual(FAILED);
    provider.script.info = { sub: "subject-1", email: ADA, email_verified: true };
    expect(await visit()).toEqual(IN);
    provider.script.claims = { email_verified: false, email: undefined };
    expect((await visit())[0]).toBe("/login#oidc=unverified");
    // What one of the two says is verified is not the address that the other tells.
    provider.script.claims = { email_verified: true, email: undefined };
    provider.script.info = { sub: "subject-1", email: ADA, email_verified: false };
    expect((await visit())[0]).toBe("/login#oidc=unverified");
    provider.script.info = { sub: "subject-1", email: ADA };
    expect((await visit())[0]).toBe("/login#oidc=unverified");
    await hub.restart();
  });
});

describe("keys that the provider has changed", () => {
  test("are fetched at once, however lately the old ones were", async () => {
    verifies("oidc.rotation");
    expect(await visit()).toEqual(IN);
    provider.rotate();
    expect(await visit()).toEqual(IN);
    const fetched = provider.keyFetches;
    expect(await visit()).toEqual(IN);
    expect(provider.keyFetches).toBe(fetched);
  });

  test("are not fetched again for each unknown key id", async () => {
    verifies("oidc.rotation");
    await hub.restart();
    expect(await visit()).toEqual(IN);
    const fetched = provider.keyFetches;
    provider.script.header = { kid: "nobody's" };
    for (let at = 0; at < 5; at += 1) expect(await visit()).toEqual(FAILED);
    expect(provider.keyFetches - fetched).toBeLessThanOrEqual(1);
  });
});

test("a hand-made link with a query of its own ends where the hub's own button does", async () => {
  verifies("oidc.sign-in");
  const browser = new Browser(hub);
  const begun = await browser.send("/api/auth/oidc?next=/agents");
  const query = new URLSearchParams(provider.codeFor(begun.headers.get("location") ?? ""));
  const headers = { "x-forwarded-for": "192.0.2.77" };
  const answer = await browser.send(`/api/auth/oidc/callback?${query}`, { headers });
  expect(answer.headers.get("location")).toBe(`${hub.url}/`);
  expect(await browser.me()).toBe(ADA);
});

describe("a document without end", () => {
  test.each(["/.well-known/openid-configuration", "/jwks", "/token", "/info"])(
    "is not read to its end, and lets nobody in (%s)",
    async (path) => {
      verifies("oidc.answer");
      await hub.restart();
      const email = path === "/info" ? { claims: { email: undefined } } : {};
      provider.script = { ...provider.script, ...email, info: {}, endless: path };
      writeFileSync(`/proc/${hub.pid}/clear_refs`, "5");
      expect(await visit()).toEqual(FAILED);
      const peak = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${hub.pid}/status`, "utf8"))?.[1];
      const now = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${hub.pid}/status`, "utf8"))?.[1];
      // Endless over loopback is gigabytes in the ten seconds that an answer may take.
      expect(Number(peak) - Number(now)).toBeLessThan(100_000);
      expect((await hub.fetch("/healthz")).status).toBe(200);
    },
  );
});

describe("the answer", () => {
  test("names the provider that was asked, where it names one at all (mix-up)", async () => {
    verifies("oidc.answer");
    const before = provider.sent.length;
    expect(await visit({ iss: "https://honest.example" })).toEqual(FAILED);
    // The code of another is sent to nobody.
    expect(provider.sent.slice(before).filter(({ path }) => path === "/token")).toEqual([]);
    expect(await visit({ iss: provider.issuer })).toEqual(IN);
    provider.script.document = { authorization_response_iss_parameter_supported: true };
    await hub.restart();
    expect(await visit()).toEqual(FAILED);
    expect(await visit({ iss: provider.issuer })).toEqual(IN);
    provider.script.document = {};
    await hub.restart();
  });

  test("is taken a few times from one address, then has to wait", async () => {
    verifies("sign-in.backoff");
    const places: string[] = [];
    // The waits double from a second on: however slow the machine is, one of them is longer than the next try takes.
    for (let at = 0; at < 30 || (at < 60 && places.at(-1) !== "/login#oidc=busy"); at++) {
      const answer = await new Browser(hub).send(`/api/auth/oidc/callback?state=${at}&code=x`);
      places.push(`${answer.headers.get("location")}`.replace(hub.url, ""));
    }
    expect(places[0]).toBe("/login#oidc=expired");
    expect(places.at(-1)).toBe("/login#oidc=busy");
    const refusals = await recordsOf(hub, "auth.sign_in_failed");
    expect(refusals.filter((one) => detailOf(one)["reason"] === "no_attempt").length).toBeLessThan(25);
  });
});

describe("the document", () => {
  const inside = { token_endpoint: "http://169.254.169.254/token", jwks_uri: "http://10.0.0.1/jwks" };
  test("names no place inside that the operator did not allow, and no other issuer", async () => {
    verifies("oidc.guarded");
    for (const [document, place] of [
      [{ token_endpoint: inside.token_endpoint }, "/login#oidc=unavailable"],
      [{ jwks_uri: inside.jwks_uri }, "/login#oidc=unavailable"],
      [{ issuer: "https://login.example" }, "/login#oidc=failed"],
      [{ authorization_endpoint: "javascript:alert(1)" }, "/login#oidc=failed"],
      [{ authorization_endpoint: undefined }, "/login#oidc=failed"],
    ] as const) {
      provider.script.document = document;
      await hub.restart();
      expect([document, ...(await visit())]).toEqual([document, place, null]);
    }
    provider.script.document = {};
    await hub.restart();
  });

  test("is not asked for at a private address that was not allowed; the hub runs, and says so", async () => {
    verifies("oidc.guarded");
    const before = provider.sent.length;
    await using other = await Hub.started({
      env: oidcEnv(provider.issuer, { GUARDHOUSE_OIDC__ALLOW_PRIVATE: "10.0.0.0/8" }),
    });
    const answer = await new Browser(other).send("/api/auth/oidc");
    expect(answer.headers.get("location")).toBe(`${other.url}/login#oidc=unavailable`);
    expect(provider.sent.length).toBe(before);
    expect(await other.log("oidc.failed")).toMatchObject({ reason: "unreachable", fault: "forbidden_address" });
    expect((await new Browser(other).signIn(ADA, PASSWORD)).status).toBe(204);
  });

  test("may come late: a provider that was down is asked again", async () => {
    verifies("oidc.guarded");
    provider.script.status = 503;
    await hub.restart();
    expect((await visit())[0]).toBe("/login#oidc=failed");
    provider.script.status = 200;
    const deadline = performance.now() + 60_000;
    for (let last = await visit(); last[1] === null && performance.now() < deadline; last = await visit())
      await Bun.sleep(100);
    expect(await visit()).toEqual(IN);
  });
});

test("a session is as fresh as the provider's own proof, and confirming there renews it", async () => {
  verifies("oidc.fresh");
  const seconds = () => Math.floor(Date.now() / 1_000);
  provider.script.claims = { auth_time: seconds() - 3_600 };
  const ada = new Browser(hub);
  expect(await visit({}, ada)).toEqual(IN);
  const invite = (name: string) => ada.send("/api/users", { json: { email: `${name}@example.org`, role: "member" } });
  expect((await invite("old")).status).toBe(403);
  const confirm = async () => {
    const begun = await ada.send("/api/auth/oidc/confirm");
    const query = new URLSearchParams(provider.codeFor(begun.headers.get("location") ?? ""));
    await ada.send(`/api/auth/oidc/callback?${query}`, { headers: { "x-forwarded-for": "192.0.2.7" } });
  };
  // A provider that did not ask anew proves nothing new.
  await confirm();
  expect((await invite("old")).status).toBe(403);
  provider.script.claims = { auth_time: seconds() };
  await confirm();
  expect((await invite("new")).status).toBe(201);
});

test("behind https and below a path the attempt's cookie is for https and for its own addresses", async () => {
  verifies("oidc.sign-in", "sign-in.cookie");
  const serve = ["--public-url", "https://hub.example/hub"];
  await using other = await Hub.started({ env: oidcEnv(provider.issuer), serve, basePath: "/hub" });
  const begun = await new Browser(other, "https://hub.example").send("/hub/api/auth/oidc");
  const place = new URL(begun.headers.get("location") ?? "");
  expect(place.searchParams.get("redirect_uri")).toBe("https://hub.example/hub/api/auth/oidc/callback");
  expect(begun.headers.getSetCookie()[0]).toMatch(
    /^__Secure-hub\.oidc=v1[^;]+; Max-Age=600; Path=\/hub\/api\/auth\/oidc; HttpOnly; SameSite=Lax; Secure$/,
  );
});

test("no secret, code, token or verifier is in the log, the record or the database", async () => {
  verifies("oidc.secrets");
  expect(await visit()).toEqual(IN);
  const verifiers = provider.sent.flatMap(({ form }) => [form.get("code_verifier"), form.get("code")]);
  const secrets = [CLIENT_SECRET, provider.accessToken, ...verifiers].filter((one) => one !== null && one.length > 20);
  expect(secrets.length).toBeGreaterThan(4);
  const records = (await hub.cli("audit", "tail", "-n", "1000")).stdout;
  const shown = (await hub.cli("config", "show")).stdout;
  await hub.kill("SIGTERM");
  const written = await hub.written();
  const db = new Database(join(hub.dataDir, "guardhouse.db"), { readonly: true });
  const kept = db.serialize().toString("latin1");
  db.close();
  for (const secret of secrets) {
    for (const text of [records, shown, written, kept]) expect(text.includes(String(secret))).toBe(false);
  }
  await hub.start();
});

const fail = (): never => {
  throw new Error("the provider was not asked");
};
