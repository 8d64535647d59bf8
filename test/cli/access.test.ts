import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { stat } from "node:fs/promises";
import { looksLikeToken } from "#model/token";
import { verifies } from "#test/support/verifies";
import { text, Workbench } from "./workbench";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const EVE = "eve@example.com";
const LEGACY = `gwk_${"Ab3_".repeat(8)}`;

let bench: Workbench;
beforeAll(async () => {
  bench = await Workbench.create();
  await bench.json("user", "create", EVE, "--name", "Eve");
  await bench.json("agent", "create", "helper", "--owner", EVE);
});
afterAll(() => bench[Symbol.asyncDispose]());

describe("people", () => {
  test("the first command makes the data directory, for its owner only", async () => {
    expect((await stat(bench.dataDir)).mode & 0o777).toBe(0o700);
  });

  test("user invite for new and existing users; user disable and enable print the state", async () => {
    verifies("sign-in.invitation", "sign-in.disable");
    const invited = await bench.json("user", "invite", "ivy@example.com", "--role", "analyst");
    const link = expect.stringMatching(/^http:\/\/[\w.]+:8787\/invite#[\w-]{43}$/);
    expect(invited).toMatchObject({ id: expect.stringMatching(UUID), role: "analyst", link });
    const again = await bench.json("user", "invite", "IVY@example.com");
    expect(again).toMatchObject({ id: Reflect.get(invited, "id"), role: "analyst", link });
    expect(again).not.toMatchObject({ link: Reflect.get(invited, "link") });
    expect((await bench.run(["user", "invite", "ivy@example.com", "--role", "admin"])).code).toBe(1);
    expect(await bench.json("user", "disable", "ivy@example.com")).toMatchObject({ state: "disabled" });
    expect((await bench.run(["user", "invite", "ivy@example.com"])).code).toBe(1);
    expect(await bench.json("user", "enable", "ivy@example.com")).toMatchObject({ state: "active" });
    expect((await bench.run(["user", "disable", "nobody@example.com"])).code).toBe(9);
  });

  test("user create gives id, email and role; list shows them", async () => {
    const user = await bench.json("user", "create", "sam@example.com", "--role", "auditor");
    expect(user).toMatchObject({ id: expect.stringMatching(UUID), email: "sam@example.com", role: "auditor" });
    const users = await bench.list("user", "list");
    expect(users.map(({ email }) => email)).toContain("sam@example.com");
    const { stdout } = await bench.run(["user", "list"]);
    expect(stdout).toMatch(/^ID +EMAIL +NAME +ROLE +STATE +CREATED \(UTC\)$/m);
    expect(stdout).toContain("eve@example.com");
  });

  test("an address taken, in any case, ends with 1", async () => {
    const { code, stderr } = await bench.run(["user", "create", "EVE@example.com"]);
    expect(code).toBe(1);
    expect(stderr).toContain("User EVE@example.com exists already");
  });

  test("admin create makes up a password and shows it once, or takes one from a file", async () => {
    const made = await bench.json("admin", "create", "root@example.com", "--random-password");
    expect(made).toMatchObject({ role: "admin", email: "root@example.com" });
    expect(bench.timesPrinted(text(made, "password"))).toBe(1);

    const password = "correct horse battery staple";
    await bench.json("admin", "create", "two@example.com", "--password-file", await bench.file(`${password}\n`));
    expect(bench.timesPrinted(password)).toBe(0);
    const short = await bench.run([
      "admin",
      "create",
      "three@example.com",
      "--password-file",
      await bench.file("short"),
    ]);
    expect(short.code).toBe(2);
    expect(short.stderr).toContain("at least 12 characters");
  });
});

describe("agents", () => {
  test("agent create gives what scripts need; names are the owner's own", async () => {
    const agent = await bench.json("agent", "create", "researcher", "--owner", EVE);
    expect(agent).toMatchObject({
      id: expect.stringMatching(UUID),
      name: "researcher",
      owner: EVE,
      review_status: "draft",
      lifecycle: "active",
    });
    expect((await bench.run(["agent", "create", "researcher", "--owner", EVE])).code).toBe(1);
    expect((await bench.run(["agent", "create", "x", "--owner", "nobody@example.com"])).code).toBe(9);
    expect((await bench.list("agent", "list")).map(({ name }) => name)).toContain("researcher");
    expect((await bench.run(["agent", "list"])).stdout).toContain("researcher");
  });
});

describe("tokens", () => {
  test("token create shows the token once; list shows no more than its display", async () => {
    const token = await bench.json(
      "token",
      "create",
      "--user",
      EVE,
      "--agent",
      "helper",
      "--name",
      "ci",
      "--expires-in",
      "90d",
    );
    const secret = text(token, "token");
    expect(looksLikeToken(secret)).toBe(true);
    expect(token).toMatchObject({ display: `gw-live-…${secret.slice(-4)}`, user: EVE, state: "active", name: "ci" });
    const lifetime = Date.parse(text(token, "expires_at")) - Date.parse(text(token, "created_at"));
    expect(lifetime).toBe(90 * 86_400_000);
    const rows = await bench.list("token", "list");
    const row = rows.find(({ id }) => id === token["id"]);
    expect(row).toEqual({ ...token, token: undefined });
    await bench.run(["token", "list"]);
    expect(bench.timesPrinted(secret)).toBe(1);
  });

  test("an agent can be named by id; another's agent does not exist", async () => {
    const [agent] = (await bench.list("agent", "list")).filter(({ name }) => name === "helper");
    const id = text(agent ?? {}, "id");
    expect(await bench.json("token", "create", "--user", EVE, "--agent", id)).toMatchObject({ agent_id: id });
    const named = ["token", "create", "--user", EVE, "--agent", "helper", "--owner", EVE];
    expect(await bench.json(...named)).toMatchObject({ agent_id: id });
    await bench.json("user", "create", "mallory@example.com");
    const args = ["token", "create", "--user", "mallory@example.com", "--agent", id];
    expect((await bench.run(args)).code).toBe(9);
  });

  test("disabled comes back, revoked is final, and doing it twice is no error", async () => {
    const id = text(await bench.json("token", "create", "--user", EVE), "id");
    expect(await bench.json("token", "disable", id)).toMatchObject({ id, state: "disabled" });
    expect(await bench.json("token", "disable", id)).toMatchObject({ state: "disabled" });
    expect(await bench.json("token", "enable", id)).toMatchObject({ state: "active" });
    expect(await bench.json("token", "revoke", id)).toMatchObject({ state: "revoked" });
    expect(await bench.json("token", "revoke", id)).toMatchObject({ state: "revoked" });
    for (const move of ["enable", "disable", "rotate"]) {
      const { code, stderr } = await bench.run(["token", move, id]);
      expect(code).toBe(1);
      expect(stderr).toContain("it is revoked");
    }
    expect((await bench.run(["token", "revoke", crypto.randomUUID()])).code).toBe(9);
    expect((await bench.run(["token", "revoke", "no-id"])).code).toBe(9);
  });

  test("rotate gives a new token of the same kind and ends the old one after the grace", async () => {
    const old = await bench.json(
      "token",
      "create",
      "--user",
      EVE,
      "--agent",
      "helper",
      "--name",
      "old",
      "--expires-in",
      "30d",
    );
    const before = Date.now();
    const next = await bench.json("token", "rotate", text(old, "id"), "--grace", "2h");
    expect(next).toMatchObject({ user: EVE, name: "old", agent_id: old["agent_id"], state: "active" });
    expect(next["id"]).not.toBe(old["id"]);
    expect(bench.timesPrinted(text(next, "token"))).toBe(1);
    const ends = Date.parse(text(Object(next["replaces"]), "ends_at"));
    expect(ends - before).toBeWithin(7_199_000, 7_260_000);
    const rows = await bench.list("token", "list");
    expect(rows.find(({ id }) => id === old["id"])).toMatchObject({
      state: "rotated",
      expires_at: new Date(ends).toISOString(),
    });

    const second = await bench.json("token", "rotate", text(next, "id"), "--grace", "0");
    const again = await bench.list("token", "list");
    expect(again.find(({ id }) => id === next["id"])).toMatchObject({ state: "expired" });
    expect(again.find(({ id }) => id === second["id"])).toMatchObject({ state: "active" });
  });

  test("import takes a legacy token on stdin, once, and never shows it", async () => {
    const options = { stdin: `${LEGACY}\n` };
    const token = await bench.jsonWith(options, "token", "import", "--user", EVE);
    expect(token).toMatchObject({ display: `gwk_…${LEGACY.slice(-4)}`, state: "active", user: EVE });
    expect(token).not.toHaveProperty("token");
    expect((await bench.run(["token", "import", "--user", EVE], options)).code).toBe(1);
    const bad = await bench.run(["token", "import", "--user", EVE], { stdin: `gw-live-${"A".repeat(38)}` });
    expect(bad.code).toBe(2);
    expect(bad.stderr).toContain("has not the form of a gateway token");
    expect(bench.timesPrinted(LEGACY)).toBe(0);
    expect(bench.timesPrinted("A".repeat(38))).toBe(0);
  });

  test("without a data directory nothing is made, and it ends with 9", async () => {
    await using empty = await Workbench.create();
    for (const args of [
      ["token", "list"],
      ["user", "list"],
      ["audit", "tail"],
      ["token", "revoke", crypto.randomUUID()],
    ]) {
      const { code, stderr } = await empty.run(args);
      expect(code).toBe(9);
      expect(stderr).toContain(`No data directory at ${empty.dataDir}`);
    }
    expect(await Bun.file(`${empty.dataDir}/guardhouse.db`).exists()).toBe(false);
  });
});

describe("every change leaves its record", () => {
  test("of its kind, made by the command line, without secrets", async () => {
    const records = await bench.list("audit", "tail", "-n", "1000");
    const kinds = new Set(records.map(({ kind }) => kind));
    for (const kind of ["user.create", "agent.create", "token.create", "token.import", "token.disable"])
      expect(kinds).toContain(kind);
    for (const kind of ["token.enable", "token.revoke", "token.rotate"]) expect(kinds).toContain(kind);
    for (const record of records) {
      expect(record).toMatchObject({ phase: "final", outcome: "done", actor: { via: "cli" } });
      expect(JSON.stringify(record)).not.toMatch(/gw-live-[0-9A-Za-z]{38}|gwk_[0-9A-Za-z_-]{20}|correct horse/);
    }
    // The second `disable` and the second `revoke` changed nothing.
    const revokes = records.filter(({ kind }) => kind === "token.revoke");
    expect(new Set(revokes.map(({ change }) => Object(change).subject_id)).size).toBe(revokes.length);
  });
});
