import { describe, expect, test } from "bun:test";
import { Browser } from "#test/flow/browser";
import { Hub } from "#test/support/hub";
import { verifies } from "#test/support/verifies";

const ADA = "ada@example.org";
const EVE = "eve@example.org";
const PASSWORD = "correct horse battery";
const LONG_MS = 120_000;
const LINK = /http\S+\/setup#([\w-]{43})/;

const codeOf = async (answer: Response): Promise<[number, string]> => {
  const { error } = (await answer.json()) as { error: { code: string } };
  return [answer.status, error.code];
};

const tokenIn = (link: string): string => link.split("#")[1] ?? "";

describe("the first administrator", () => {
  test(
    "comes by the link serve shows: one of many at once, never twice, signed in straight away",
    async () => {
      verifies("sign-in.first-run", "sign-in.first-run-race");
      await using hub = await Hub.started();
      const [, token = ""] = await hub.said(LINK);
      const setUp = (email: string, password = PASSWORD, secret = token) => {
        const browser = new Browser(hub);
        const sent = browser.send("/api/auth/setup", { json: { token: secret, email, password } });
        return sent.then((answer) => ({ answer, browser, email }));
      };
      expect(await codeOf((await setUp(ADA, PASSWORD, "x".repeat(43))).answer)).toEqual([410, "link_invalid"]);
      expect(await codeOf((await setUp(ADA, "short")).answer)).toEqual([400, "invalid_value"]);
      expect(await codeOf((await setUp("nobody", PASSWORD)).answer)).toEqual([400, "invalid_value"]);
      const tries = await Promise.all([0, 1, 2, 3].map((at) => setUp(`a${at}@example.org`)));
      const [first, ...others] = tries.toSorted((a, b) => a.answer.status - b.answer.status);
      expect(first?.answer.status).toBe(204);
      expect(await first?.browser.me()).toBe(first?.email ?? "");
      for (const { answer } of others) expect(await codeOf(answer)).toEqual([410, "link_invalid"]);
      expect(await codeOf((await setUp(EVE)).answer)).toEqual([410, "link_invalid"]);
      expect((await hub.cli("user", "list")).json()).toHaveLength(1);
      // The link is shown to who started the hub, and kept nowhere.
      expect(JSON.stringify(hub.logs)).not.toContain(token);
      await hub.restart();
      await Bun.sleep(300);
      expect(await hub.said(LINK, 10).catch(() => null)).toBeNull();
    },
    LONG_MS,
  );

  test(
    "is pointed to the link where nobody can sign in yet, and to the sign-in where the link is used up",
    async () => {
      verifies("sign-in.first-run");
      await using hub = await Hub.started();
      const [, token = ""] = await hub.said(LINK);
      const login = async () => (await hub.fetch("/login")).text();
      expect(await login()).toContain("This hub has no administrator yet");
      expect((await hub.fetch("/setup")).status).toBe(200);
      const setUp = (secret: string) =>
        new Browser(hub).send("/api/auth/setup", { json: { token: secret, email: ADA, password: PASSWORD } });
      const { error } = Object(await (await setUp("x".repeat(43))).json());
      expect(error).toMatchObject({
        code: "link_invalid",
        message: expect.stringContaining("guardhouse admin create"),
      });
      expect((await setUp(token)).status).toBe(204);
      expect(await login()).not.toContain("administrator");
      const again = await hub.fetch("/setup", { redirect: "manual" });
      // The fragment is the hub's own, or browsers would carry the secret along.
      expect([again.status, again.headers.get("location")]).toEqual([302, `${hub.url}/login#`]);
    },
    LONG_MS,
  );

  test(
    "on a public address nothing else is served before, whatever a path looks like",
    async () => {
      verifies("sign-in.unclaimed");
      const serve = ["--listen", "0.0.0.0:0"];
      await using hub = await Hub.create({ serve, env: { GUARDHOUSE_ALLOWED_HOSTS: "0.0.0.0" } });
      await hub.createUser(EVE);
      const { token: gateway } = await hub.createToken(EVE);
      const key = ((await hub.cli("session", "create", EVE)).json() as { key: string }).key;
      await hub.start();
      const get = (path: string, token?: string) =>
        hub.fetch(path, { redirect: "manual", ...(token !== undefined && { token }) });
      const served = ["/setup", "/healthz", "/readyz"];
      for (const path of served) expect([path, (await get(path)).status]).toEqual([path, 200]);
      const paths = [
        ...["/", "/login", "/invite", "/v1/models", "/api/me", "/api/users", "/mcp/gateway", "/openapi.json"],
        ...["/setup/", "/setup/x", "/SETUP", "//setup", "/v1/models/../../setup", "/v1/models/%2e%2e/%2e%2e/setup"],
        ...["/.well-known/oauth-protected-resource", "/api/auth/sign-in", "/api/auth/get-session"],
      ];
      for (const path of paths) {
        for (const token of [gateway, key]) {
          const answer = await get(path, token);
          const text = await answer.text();
          // What normalises to the page may be the page; nothing is ever anything else.
          const isPage = answer.status === 200 && text.includes("Set up the first administrator");
          expect([path, isPage || answer.status === 503]).toEqual([path, true]);
        }
      }
      const person = await hub.fetch("/", { headers: { accept: "text/html,*/*" } });
      expect([person.status, (await person.text()).includes("Not set up yet")]).toEqual([503, true]);
      const [, secret = ""] = await hub.said(LINK);
      // The link names a loopback address, because no public URL is configured.
      const local = hub.url.replace("0.0.0.0", "127.0.0.1");
      const done = await fetch(`${local}/api/auth/setup`, {
        method: "POST",
        headers: { origin: local, "content-type": "application/json" },
        body: JSON.stringify({ token: secret, email: ADA, password: PASSWORD }),
      });
      expect(done.status).toBe(204);
      expect((await get("/v1/models", gateway)).status).toBe(200);
      expect((await get("/login")).status).toBe(200);
    },
    LONG_MS,
  );

  test(
    "is made as configured when there is no such user, and never changed afterwards",
    async () => {
      verifies("sign-in.bootstrap");
      const env = { GUARDHOUSE_ADMIN_EMAIL: ADA, GUARDHOUSE_ADMIN_PASSWORD: PASSWORD };
      await using hub = await Hub.started({ env });
      const ada = new Browser(hub);
      expect((await ada.signIn(ADA, PASSWORD)).status).toBe(204);
      const change = { current_password: PASSWORD, new_password: "another horse battery" };
      expect((await ada.send("/api/me/password", { json: change })).status).toBe(204);
      await hub.restart();
      expect((await ada.signIn(ADA, PASSWORD)).status).toBe(401);
      expect((await ada.signIn(ADA, "another horse battery")).status).toBe(204);
      await using half = await Hub.create({ env: { GUARDHOUSE_ADMIN_EMAIL: ADA } });
      expect((await half.cli("config", "check")).code).toBe(3);
    },
    LONG_MS,
  );

  test(
    "may be in the configuration file, with the password in a file of its own",
    async () => {
      verifies("sign-in.bootstrap");
      await using hub = await Hub.create();
      const secret = await hub.writeFile(`${PASSWORD}\n`);
      const file = await hub.writeFile(`[bootstrap]\nadmin_email = "${ADA}"\nadmin_password_file = "${secret}"\n`);
      await using configured = await Hub.started({ serve: ["--config", file] });
      expect((await new Browser(configured).signIn(ADA, PASSWORD)).status).toBe(204);
      const shown = await configured.cli("config", "show", "--config", file);
      expect(shown.stdout).not.toContain(PASSWORD);
    },
    LONG_MS,
  );
});

describe("an invitation", () => {
  test(
    "lets somebody set a password, once, by its newest link only",
    async () => {
      verifies("sign-in.invitation");
      await using hub = await Hub.started({
        env: { GUARDHOUSE_ADMIN_EMAIL: ADA, GUARDHOUSE_ADMIN_PASSWORD: PASSWORD },
      });
      const ada = new Browser(hub);
      await ada.signIn(ADA, PASSWORD);
      const invited = await ada.send("/api/users", { json: { email: EVE, role: "analyst" } });
      expect(invited.status).toBe(201);
      const first = (await invited.json()) as { link: string; user: { id: string }; expires_at: string };
      expect(first.link).toStartWith(`${hub.url}/invite#`);
      expect(Date.parse(first.expires_at) - Date.now()).toBeGreaterThan(6.9 * 86_400_000);
      expect(await codeOf(await ada.send("/api/users", { json: { email: EVE, role: "admin" } }))).toEqual([
        ...[409, "already_exists"],
      ] as [number, string]);
      const again = await ada.send(`/api/users/${first.user.id}/invitation`, { method: "POST" });
      const second = (await again.json()) as { link: string };
      const eve = new Browser(hub);
      const look = (token: string) => eve.send("/api/auth/invitation", { json: { token } });
      const accept = (token: string, password = PASSWORD) =>
        eve.send("/api/auth/invitation/accept", { json: { token, password } });
      expect(await codeOf(await look(tokenIn(first.link)))).toEqual([410, "link_invalid"]);
      expect(await (await look(tokenIn(second.link))).json()).toEqual({ email: EVE, name: null });
      expect(await codeOf(await accept(tokenIn(second.link), "short"))).toEqual([400, "invalid_value"]);
      const tries = await Promise.all([0, 1, 2].map(() => accept(tokenIn(second.link))));
      expect(tries.map(({ status }) => status).toSorted()).toEqual([204, 410, 410]);
      expect(await eve.me()).toBe(EVE);
      expect(await codeOf(await eve.send("/api/users"))).toEqual([403, "insufficient_scope"]);
      const eveRow = await ada.send("/api/users");
      expect(JSON.stringify(await eveRow.json())).not.toMatch(/password|hash/);
      // Nothing of the links is in the records.
      const records = (await hub.cli("audit", "tail", "-n", "100")).stdout;
      for (const { link } of [first, second]) expect(records).not.toContain(tokenIn(link));
    },
    LONG_MS,
  );
});
