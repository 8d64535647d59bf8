import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { join } from "node:path";
import { Browser } from "#test/flow/browser";
import { betterAuthEndpoints } from "#test/flow/library-endpoints";
import { Hub } from "#test/support/hub";
import { verifies } from "#test/support/verifies";

const ADA = "ada@example.org";
const PASSWORD = "correct horse battery";
const ENV = { GUARDHOUSE_ADMIN_EMAIL: ADA, GUARDHOUSE_ADMIN_PASSWORD: PASSWORD };
const LONG_MS = 120_000;

let hub: Hub;
let ada: Browser;
beforeAll(async () => {
  hub = await Hub.started({ env: ENV });
  ada = new Browser(hub);
  await ada.signIn(ADA, PASSWORD);
}, LONG_MS);
afterAll(() => hub[Symbol.asyncDispose]());

const codeOf = async (answer: Response): Promise<[number, string]> => {
  const { error } = (await answer.json()) as { error: { code: string } };
  return [answer.status, error.code];
};

const FOREIGN = [
  "http://evil.test",
  "null",
  "http://localhost:1",
  "http://127.0.0.1",
  "http://localhost.evil.test",
  "https://127.0.0.1:8787",
  "file://",
];

describe("other people's pages", () => {
  test("pages of other origins cannot change anything or sign in", async () => {
    verifies("sign-in.origin");
    const invite = { email: "mallory@example.org", role: "admin" };
    for (const origin of [...FOREIGN, `${hub.url}.evil.test`, hub.url.toUpperCase(), `${hub.url}/`]) {
      const headers = { origin };
      const tries: Response[] = [
        await ada.send("/api/users", { json: invite, headers }),
        await ada.send("/api/me/password", { json: {}, headers }),
        await ada.send("/api/webhooks", { json: {}, headers }),
        await ada.send("/api/auth/sign-out", { method: "POST", headers }),
        await new Browser(hub).signIn(ADA, PASSWORD, headers),
        await new Browser(hub).send("/api/auth/setup", { json: {}, headers }),
        await new Browser(hub).send("/api/auth/invitation/accept", { json: {}, headers }),
      ];
      for (const answer of tries)
        expect([origin, ...(await codeOf(answer))]).toEqual([origin, 403, "origin_not_allowed"]);
    }
    // A browser that says nothing of its page is none.
    for (const path of ["/api/users", "/api/auth/sign-in", "/api/auth/sign-out"]) {
      const answer = await hub.fetch(path, { json: invite, headers: { cookie: ada.cookie } });
      expect([path, ...(await codeOf(answer))]).toEqual([path, 403, "origin_not_allowed"]);
    }
    expect(await ada.me()).toBe(ADA);
    expect((await hub.cli("user", "list")).json()).toHaveLength(1);
  });

  test("read nothing either: no answer of /api is for another origin", async () => {
    verifies("sign-in.origin");
    const answer = await ada.send("/api/me", { headers: { origin: "http://evil.test" } });
    expect(answer.headers.get("access-control-allow-origin")).toBeNull();
    expect(answer.headers.get("access-control-allow-credentials")).toBeNull();
  });
});

/** Addresses of ours that are spelled as the library's are: what it would do there, it is asked to from inside. */
const OURS = new Set([
  "/sign-out",
  ...["authorize", "consent", "token", "register", "revoke"].map((name) => `/oauth2/${name}`),
  "/.well-known/oauth-authorization-server",
  "/.well-known/openid-configuration",
]);

describe("the library", () => {
  test("serves none of the library's own addresses", async () => {
    verifies("sign-in.allow-list", "sign-in.closed");
    const endpoints = await betterAuthEndpoints();
    expect(endpoints.length).toBeGreaterThan(50);
    for (const path of endpoints.filter((one) => !OURS.has(one))) {
      const address = `/api/auth${path.replace(/:\w+/g, "x")}`;
      for (const method of ["GET", "POST", "PUT", "DELETE"]) {
        const init = method === "GET" ? { method } : { method, body: "{}" };
        const answer = await ada.send(address, init);
        expect([address, method, answer.status]).toEqual([address, method, 404]);
        await answer.body?.cancel();
      }
    }
  });

  test("takes no host, no callback and no page from a request", async () => {
    verifies("sign-in.no-redirect");
    const browser = new Browser(hub);
    for (const extra of [{ callbackURL: "http://evil.test" }, { rememberMe: false }, { oauth_query: "a=b" }]) {
      const json = { email: ADA, password: PASSWORD, ...extra };
      expect(await codeOf(await browser.send("/api/auth/sign-in", { json }))).toEqual([400, "invalid_value"]);
    }
    const path = "/api/auth/sign-in?callbackURL=http://evil.test&redirectTo=//evil.test";
    const headers = { "x-forwarded-host": "evil.test", "x-forwarded-proto": "https", forwarded: "host=evil.test" };
    const good = await browser.send(path, { json: { email: ADA, password: PASSWORD }, headers });
    expect([good.status, good.headers.get("location"), await good.text()]).toEqual([204, null, ""]);
    expect(good.headers.getSetCookie()[0]).not.toMatch(/Domain|evil|Secure/);
    const invited = await browser.send("/api/users", { json: { email: "h@example.org", role: "member" }, headers });
    expect(((await invited.json()) as { link: string }).link).toStartWith(`${hub.url}/invite#`);
    for (const page of ["/login?next=http://evil.test", "/?next=//evil.test", "/invite?a=<script>"]) {
      const answer = await browser.send(page);
      expect([answer.status, answer.headers.get("location")]).toEqual([200, null]);
      expect(await answer.text()).not.toContain("evil");
    }
    const used = await browser.send("/setup?x=evil", { headers });
    expect([used.status, used.headers.get("location")]).toEqual([302, `${hub.url}/login#`]);
  });
});

test("pages run only their own script and cannot be framed", async () => {
  verifies("sign-in.pages");
  const nonces = new Set<string>();
  for (const path of ["/login", "/setup", "/invite", "/login", "/setup"]) {
    const answer = await hub.fetch(path);
    const policy = answer.headers.get("content-security-policy") ?? "";
    const [, nonce = ""] = /script-src 'nonce-([^']+)'/.exec(policy) ?? [];
    nonces.add(nonce);
    expect(policy.split("; ").toSorted()).toEqual([
      "base-uri 'none'",
      "connect-src 'self'",
      "default-src 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      `script-src 'nonce-${nonce}'`,
      `style-src 'nonce-${nonce}'`,
    ]);
    const headers = ["cache-control", "x-frame-options", "referrer-policy", "x-content-type-options"];
    expect(headers.map((name) => answer.headers.get(name))).toEqual(["no-store", "DENY", "no-referrer", "nosniff"]);
    const html = await answer.text();
    // Every script and style is ours, none is inline in an attribute, and nothing is fetched from elsewhere.
    expect(html.match(/<(?:script|style)[^>]*>/g)?.every((tag) => tag.includes(`nonce="${nonce}"`))).toBe(true);
    // The one address in it is the hub's own, which the page compares with where it was opened.
    expect(html.replaceAll(`"${hub.url}"`, "")).not.toMatch(
      /\son\w+=|\sstyle=|https?:\/\/|src=|<form(?![^>]*method="post")/,
    );
  }
  expect(nonces.size).toBe(5);
});

test("database content cannot be used as a session cookie", async () => {
  verifies("sign-in.database-leak");
  const db = new Database(join(hub.dataDir, "guardhouse.db"), { readonly: true });
  const row = db.query<{ token: string }, []>("SELECT token FROM auth_session").get();
  const stored = JSON.stringify(db.query("SELECT * FROM auth_session, auth_user, user").all());
  db.close();
  const token = row?.token ?? "";
  expect(ada.cookie).not.toBe(`hub.session_token=${token}`);
  expect(stored).not.toContain(decodeURIComponent(ada.cookie).split(".").at(-1) ?? "none");
  const guesses = ["", "better-auth-secret-12345678901234567890", "secret", token];
  for (const secret of guesses) {
    const forger = new Browser(hub);
    const signature = createHmac("sha256", secret || "x")
      .update(token)
      .digest("base64");
    forger.cookie = `hub.session_token=${secret === "" ? token : `${token}.${encodeURIComponent(signature)}`}`;
    expect(await forger.me()).toBeNull();
  }
});

/** How much longer a wrong password takes at a name somebody has than at one nobody has. */
const timeOfKnownToUnknown = async (): Promise<number> => {
  await using other = await Hub.started({ env: { ...ENV, GUARDHOUSE_TRUSTED_PROXIES: "127.0.0.0/8,::1/128" } });
  const [known, unknown]: [number[], number[]] = [[], []];
  // After five the account would have to wait.
  for (let at = 0; at < 4; at++) {
    for (const [email, times] of [
      [ADA, known],
      [`nobody${at}@example.org`, unknown],
    ] as const) {
      const begin = performance.now();
      const address = `203.0.113.${at}`;
      await (await new Browser(other).signIn(email, "wrong horse battery", { "x-forwarded-for": address })).text();
      times.push(performance.now() - begin);
    }
  }
  // The least of each: noise only adds.
  return Math.min(...known) / Math.min(...unknown);
};

describe("guessing", () => {
  test(
    "is slowed for an account from everywhere, and no header makes a stranger somebody else",
    async () => {
      verifies("sign-in.backoff");
      await using other = await Hub.started({ env: ENV });
      const statuses: number[] = [];
      for (let at = 0; at < 12; at++) {
        const forged = {
          "x-forwarded-for": `203.0.113.${at}`,
          "x-real-ip": `203.0.113.${at}`,
          forwarded: `for=1.2.3.${at}`,
        };
        const answer = await new Browser(other).signIn(ADA, `wrong horse battery ${at}`, forged);
        statuses.push(answer.status);
        if (answer.status === 429) expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
      }
      expect(statuses.slice(0, 5)).toEqual([401, 401, 401, 401, 401]);
      expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(3);
      // The right password has to wait too: otherwise the wait would tell which one it is. A wait that is just ending
      // proves nothing: the next wrong one begins another.
      const wait = async () => {
        const { headers } = await new Browser(other).signIn(ADA, "wrong horse battery");
        return Number(headers.get("retry-after") ?? Number.POSITIVE_INFINITY);
      };
      while ((await wait()) < 2) await Bun.sleep(50);
      expect((await new Browser(other).signIn(ADA, PASSWORD)).status).toBe(429);
      // Over many accounts it is the address that waits, whatever it says of itself.
      const spread = await Promise.all(
        Array.from({ length: 40 }, (_, at) =>
          new Browser(other).signIn(`user${at}@example.org`, PASSWORD, { "x-forwarded-for": `198.51.100.${at}` }),
        ),
      );
      expect(spread.filter(({ status }) => status === 429).length).toBeGreaterThan(15);
    },
    LONG_MS,
  );

  test(
    "takes the word of a configured proxy for where somebody is, and of nobody else",
    async () => {
      verifies("sign-in.backoff");
      await using other = await Hub.started({ env: { ...ENV, GUARDHOUSE_TRUSTED_PROXIES: "127.0.0.0/8,::1/128" } });
      const tries = async (headers: (at: number) => string) => {
        const all = Array.from({ length: 30 }, (_, at) =>
          new Browser(other).signIn(`u${headers(at)}${at}@example.org`, PASSWORD, { "x-forwarded-for": headers(at) }),
        );
        return (await Promise.all(all)).filter(({ status }) => status === 429).length;
      };
      // Each client has a count of its own; what a client itself puts in front changes nothing.
      expect(await tries((at) => `203.0.113.${at}`)).toBe(0);
      expect(await tries((at) => `192.0.2.${at}, 198.51.100.7`)).toBeGreaterThan(5);
    },
    LONG_MS,
  );

  test(
    "at a name nobody has takes as long as at one somebody has",
    async () => {
      verifies("sign-in.timing");
      // Without the equal work the ratio would be ten and more, each time. Noise makes it larger or smaller some time.
      const isEven = (ratio: number): boolean => ratio > 0.4 && ratio < 2.5;
      const ratios: number[] = [];
      while (!ratios.some(isEven) && ratios.length < 4) ratios.push(await timeOfKnownToUnknown());
      expect(ratios.some(isEven), ratios.join(", ")).toBe(true);
    },
    LONG_MS,
  );
});
