import { expect, test } from "bun:test";
import { Browser } from "#test/flow/browser";
import { Hub } from "#test/support/hub";
import { verifies } from "#test/support/verifies";

const ADA = "ada@example.org";
const PASSWORD = "correct horse battery";
const ENV = { GUARDHOUSE_ADMIN_EMAIL: ADA, GUARDHOUSE_ADMIN_PASSWORD: PASSWORD };
const LONG_MS = 120_000;

test(
  "below a base path everything is below it, and nothing above",
  async () => {
    verifies("sign-in.password", "host.base-path");
    const at = { basePath: "/hub", serve: ["--public-url", "http://localhost:8787/hub"] };
    await using hub = await Hub.started({ ...at, env: ENV });
    // By the loopback address that is called, and by the public URL.
    for (const origin of [hub.url, "http://localhost:8787"]) {
      const json = { email: ADA, password: PASSWORD };
      const browser = new Browser(hub, origin);
      expect((await browser.send("/api/auth/sign-in", { json })).status).toBe(404);
      const entered = await browser.send("/hub/api/auth/sign-in", { json });
      // On a host that others share its cookie is sent to nobody above.
      expect([entered.status, entered.headers.getSetCookie()[0]?.includes("; Path=/hub;")]).toEqual([204, true]);
      expect((await browser.send("/hub/api/me")).status).toBe(200);
      expect((await browser.send("/hub/login")).status).toBe(200);
      for (const path of ["/hub", "/hub/"]) expect((await browser.send(path)).status).toBe(200);
      expect((await browser.send("/login")).status).toBe(404);
      expect((await browser.send("/hub/api/auth/sign-out", { method: "POST" })).status).toBe(204);
      expect((await browser.send("/hub/api/me")).status).toBe(401);
    }
  },
  LONG_MS,
);

test(
  "sessions outlive a restart, and nothing of the environment but the hub's own is heeded",
  async () => {
    verifies("sign-in.cookie", "sign-in.database-leak");
    const strange = {
      NODE_ENV: "test",
      BETTER_AUTH_SECRET: "a secret that everybody knows, 32 characters",
      BETTER_AUTH_SECRETS: "1:a secret that everybody knows, 32 characters",
      BETTER_AUTH_URL: "https://evil.test",
      BETTER_AUTH_TRUSTED_ORIGINS: "http://evil.test",
      AUTH_SECRET: "a secret that everybody knows, 32 characters",
    };
    await using hub = await Hub.started({ env: { ...ENV, ...strange } });
    const ada = new Browser(hub);
    const answer = await ada.signIn(ADA, PASSWORD);
    expect(answer.headers.getSetCookie()[0]).toMatch(/^hub\.session_token=/);
    await hub.restart();
    expect(await ada.me()).toBe(ADA);
    const [token = "", signature = ""] = decodeURIComponent(ada.cookie.split("=").slice(1).join("=")).split(".");
    const known = new Bun.CryptoHasher("sha256", strange.BETTER_AUTH_SECRET).update(token).digest("base64");
    expect(signature).not.toBe(known);
    const evil = await new Browser(hub, "http://evil.test").signIn(ADA, PASSWORD);
    expect(evil.status).toBe(403);
  },
  LONG_MS,
);
