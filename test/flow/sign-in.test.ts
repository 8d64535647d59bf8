import { describe, expect, test } from "bun:test";
import { Browser } from "#test/flow/browser";
import { Hub } from "#test/support/hub";
import { verifies } from "#test/support/verifies";

const ADA = "ada@example.org";
const EVE = "eve@example.org";
const PASSWORD = "correct horse battery";
const LONG_MS = 120_000;

const withAdmin = async (hub: Hub): Promise<void> => {
  const file = await hub.writeFile(`${PASSWORD}\n`);
  const made = await hub.cli("admin", "create", ADA, "--password-file", file);
  if (made.code !== 0) throw new Error(made.stderr);
};

const tokenIn = (link: string): string => link.split("#")[1] ?? "";

const codeOf = async (answer: Response): Promise<[number, string]> => {
  const { error } = (await answer.json()) as { error: { code: string } };
  return [answer.status, error.code];
};

const recordsOf = async (hub: Hub, ...kinds: readonly string[]): Promise<{ kind: string; text: string }[]> => {
  const rows = (await hub.cli("audit", "tail", "-n", "200")).json();
  const list: unknown[] = Array.isArray(rows) ? rows : [];
  return list
    .map((row) => ({ kind: String(Reflect.get(Object(row), "kind")), text: JSON.stringify(row) }))
    .filter(({ kind }) => kinds.includes(kind));
};

describe("signing in", () => {
  test(
    "with a password: a cookie for browsers, a record, and nothing of it for strangers",
    async () => {
      verifies("sign-in.password", "sign-in.cookie", "sign-in.recorded");
      await using hub = await Hub.create();
      await withAdmin(hub);
      await hub.start();
      const ada = new Browser(hub);
      const wrong = await ada.signIn(ADA, "wrong horse battery");
      const unknown = await ada.signIn("nobody@example.org", PASSWORD);
      expect(await wrong.clone().text()).toBe(await unknown.clone().text());
      expect([await codeOf(wrong), await codeOf(unknown)]).toEqual([
        [401, "sign_in_failed"],
        [401, "sign_in_failed"],
      ]);
      expect(ada.cookie).toBe("");
      expect(await ada.me()).toBeNull();
      const good = await ada.signIn(ADA.toUpperCase(), PASSWORD);
      expect(good.status).toBe(204);
      const [cookie = "", ...others] = good.headers.getSetCookie();
      expect(others).toEqual([]);
      expect(cookie).toMatch(/^hub\.session_token=[^;]{60,}; Max-Age=604800; Path=\/; HttpOnly; SameSite=Lax$/);
      expect(await ada.me()).toBe(ADA);
      expect((await ada.send("/api/users")).status).toBe(200);
      // What opens /api for people opens nothing of agents'.
      expect((await ada.send("/v1/models")).status).toBe(401);
      const out = await ada.send("/api/auth/sign-out", { method: "POST" });
      expect([out.status, ada.cookie]).toEqual([204, ""]);
      const stale = new Browser(hub);
      stale.cookie = cookie.split(";")[0] ?? "";
      expect(await stale.me()).toBeNull();
      const records = await recordsOf(hub, "auth.sign_in", "auth.sign_in_failed", "auth.sign_out");
      expect(records.map(({ kind }) => kind).toReversed()).toEqual([
        ...["auth.sign_in_failed", "auth.sign_in_failed", "auth.sign_in", "auth.sign_out"],
      ]);
      expect(records.map(({ text }) => text).join()).not.toContain("nobody@");
      expect((await hub.cli("audit", "verify")).code).toBe(0);
    },
    LONG_MS,
  );

  test(
    "behind https the cookie is for https only, and pages insist on it",
    async () => {
      verifies("sign-in.cookie");
      await using hub = await Hub.create({ serve: ["--public-url", "https://hub.example"] });
      await withAdmin(hub);
      await hub.start();
      const ada = new Browser(hub, "https://hub.example");
      const good = await ada.signIn(ADA, PASSWORD);
      expect(good.headers.getSetCookie()[0]).toMatch(
        /^__Secure-hub\.session_token=.*; HttpOnly; Secure; SameSite=Lax$/,
      );
      expect((await ada.send("/login")).headers.get("strict-transport-security")).toContain("max-age=");
    },
    LONG_MS,
  );

  test(
    "a session that was there before is not the one that is signed in",
    async () => {
      verifies("sign-in.fixation");
      await using hub = await Hub.create();
      await withAdmin(hub);
      await hub.createUser(EVE);
      await hub.start();
      const attacker = new Browser(hub);
      await attacker.signIn(ADA, PASSWORD);
      const planted = attacker.cookie;
      await attacker.send("/api/auth/sign-out", { method: "POST" });
      for (const cookie of [planted, "hub.session_token=chosen-by-somebody.else", "hub.session_token="]) {
        const victim = new Browser(hub);
        victim.cookie = cookie;
        await victim.signIn(ADA, PASSWORD);
        expect(victim.cookie).not.toBe(cookie);
        const other = new Browser(hub);
        other.cookie = cookie;
        expect(await other.me()).toBeNull();
      }
    },
    LONG_MS,
  );

  test(
    "whoever is disabled is out with the next request, with all of theirs, and in again when enabled",
    async () => {
      verifies("sign-in.disable");
      await using hub = await Hub.create();
      await withAdmin(hub);
      await hub.createUser(EVE, "--role", "auditor");
      const { token } = await hub.createToken(EVE);
      await hub.start();
      const ada = new Browser(hub);
      await ada.signIn(ADA, PASSWORD);
      const invited = (await hub.cli("user", "invite", EVE)).json() as { link: string; id: string };
      const eve = new Browser(hub);
      const accepted = await eve.send("/api/auth/invitation/accept", {
        json: { token: tokenIn(invited.link), password: PASSWORD },
      });
      expect(accepted.status).toBe(204);
      const key = ((await hub.cli("session", "create", EVE)).json() as { key: string }).key;
      const opens = async () => [
        (await hub.fetch("/v1/models", { token })).status,
        (await hub.fetch("/api/me", { token: key })).status,
        await eve.me(),
      ];
      expect(await opens()).toEqual([200, 200, EVE]);
      const path = `/api/users/${invited.id}`;
      const disabled = await ada.send(path, { method: "PATCH", json: { state: "disabled" } });
      expect(disabled.status).toBe(200);
      expect(await opens()).toEqual([401, 401, null]);
      expect(await codeOf(await eve.signIn(EVE, PASSWORD))).toEqual([401, "sign_in_failed"]);
      await ada.send(path, { method: "PATCH", json: { state: "active" } });
      // The browser has to sign in again; what only rested works on.
      expect(await opens()).toEqual([200, 200, null]);
      expect((await eve.signIn(EVE, PASSWORD)).status).toBe(204);
      expect((await hub.cli("user", "disable", EVE)).code).toBe(0);
      expect(await opens()).toEqual([401, 401, null]);
      expect((await hub.cli("user", "enable", EVE)).json()).toMatchObject({ email: EVE, state: "active" });
      expect((await hub.cli("user", "disable", ADA)).code).not.toBe(0);
    },
    LONG_MS,
  );

  test(
    "a new password ends every other session, and a wrong one changes nothing",
    async () => {
      verifies("sign-in.password-change");
      await using hub = await Hub.create();
      await withAdmin(hub);
      await hub.start();
      const [here, there] = [new Browser(hub), new Browser(hub)];
      await here.signIn(ADA, PASSWORD);
      await there.signIn(ADA, PASSWORD);
      const key = ((await hub.cli("session", "create", ADA)).json() as { key: string }).key;
      const change = (current_password: string, new_password: string) =>
        here.send("/api/me/password", { json: { current_password, new_password } });
      expect(await codeOf(await change("not this one at all", "another horse battery"))).toEqual([
        400,
        "invalid_value",
      ]);
      expect(await codeOf(await change(PASSWORD, "too short"))).toEqual([400, "invalid_value"]);
      expect(await there.me()).toBe(ADA);
      expect((await change(PASSWORD, "another horse battery")).status).toBe(204);
      expect([await here.me(), await there.me()]).toEqual([ADA, null]);
      expect((await hub.fetch("/api/me", { token: key })).status).toBe(401);
      expect((await there.signIn(ADA, PASSWORD)).status).toBe(401);
      expect((await there.signIn(ADA, "another horse battery")).status).toBe(204);
      const { data } = (await (await here.send("/api/me/sessions")).json()) as {
        data: { id: string; kind: string; current: boolean }[];
      };
      expect(data.map(({ kind, current }) => [kind, current])).toEqual([
        ["browser", false],
        ["browser", true],
      ]);
      expect((await here.send(`/api/me/sessions/${data[0]?.id}`, { method: "DELETE" })).status).toBe(204);
      expect([await here.me(), await there.me()]).toEqual([ADA, null]);
    },
    LONG_MS,
  );
});
