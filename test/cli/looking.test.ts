import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { command } from "#test/support/program";
import { text, Workbench } from "./workbench";

const SECRET = `AKIA${["Q7DK3NFJ", "2LSPW5XT"].join("")}`;
const EVE = "eve@example.com";

let bench: Workbench;
beforeAll(async () => {
  bench = await Workbench.create();
  await bench.json("user", "create", EVE);
  await bench.json("agent", "create", "=helper", "--owner", EVE);
  await bench.json("token", "create", "--user", EVE, "--agent", "=helper");
});
afterAll(() => bench[Symbol.asyncDispose]());

describe("scan", () => {
  test("answers as the probe does, previews masked, and ends with 10 for a block", async () => {
    const { code, stdout } = await bench.run(["scan", "--json"], { stdin: `The key is ${SECRET}, keep it.` });
    expect(code).toBe(10);
    expect(JSON.parse(stdout)).toEqual({
      safe: false,
      scan_ms: expect.any(Number),
      flags: [
        {
          type: "secret.aws_access_key",
          category: "secret",
          score: expect.any(Number),
          action: "block",
          start: 11,
          end: 31,
          preview: "AKIA****",
          detector: "secret.aws_access_key",
        },
      ],
      mode: "enforce",
      policy_revision: 1,
    });
    expect(stdout).not.toContain(SECRET);
  });

  test("reads a file, stdin or -, and is safe with 0", async () => {
    const harmless = await bench.file("Good morning.");
    expect(await bench.json("scan", harmless)).toMatchObject({ safe: true, flags: [] });
    expect(await bench.jsonWith({ stdin: "Good morning." }, "scan", "-")).toMatchObject({ safe: true });
    expect((await bench.run(["scan", join(bench.home, "none")])).code).toBe(9);
    const card = await bench.file("Refund 4539 1488 0343 6467, and write to eve@example.org.");
    const { code, stdout } = await bench.run(["scan", card]);
    expect(code).toBe(0);
    expect(stdout).toStartWith("would be redacted: 2 findings");
    expect(stdout).toMatch(/^redact +pii\.credit_card/m);
    expect(stdout).toMatch(/^flag +pii\.email/m);
    const noted = await bench.run(["scan", await bench.file("Write to eve@example.org.")]);
    expect(noted.code).toBe(0);
    expect(noted.stdout).toMatch(/^flag +pii\.email/m);
  });

  test("works without a data directory and makes none", async () => {
    await using empty = await Workbench.create();
    expect((await empty.run(["scan"], { stdin: SECRET })).code).toBe(10);
    expect(await Bun.file(join(empty.dataDir, "guardhouse.db")).exists()).toBe(false);
    expect((await empty.run(["scan", "--agent", crypto.randomUUID()], { stdin: "x" })).code).toBe(9);
  });

  test("looks differently at different origins, and under the configured policy", async () => {
    const stdin = `Use ${SECRET} now.`;
    const flagsAt = async (env: Record<string, string>, ...flags: string[]) => {
      const { stdout } = await bench.run(["scan", "--json", ...flags], { stdin, env });
      return JSON.parse(stdout);
    };
    expect((await flagsAt({}, "--origin", "output")).flags).toMatchObject([{ action: "redact" }]);
    expect((await flagsAt({ GUARDHOUSE_GUARD__ACTIONS: "secret=flag" })).safe).toBe(true);
    expect(await flagsAt({ GUARDHOUSE_GUARD__MODE: "off" })).toMatchObject({ flags: [], mode: "off", safe: true });
  });

  test("takes an agent by name and owner", async () => {
    expect(await bench.jsonWith({ stdin: "x" }, "scan", "--agent", "=helper", "--owner", EVE)).toMatchObject({
      safe: true,
    });
    expect((await bench.run(["scan", "--agent", "=helper"], { stdin: "x" })).code).toBe(2);
  });
});

describe("audit", () => {
  test("tail shows the newest first, a line each, with its place in the chain", async () => {
    const records = await bench.list("audit", "tail");
    expect(records.map(({ kind }) => kind)).toEqual(["token.create", "agent.create", "user.create"]);
    const [newest, before] = records;
    expect(newest).toMatchObject({
      v: 1,
      seq: 3,
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      actor: { via: "cli" },
    });
    expect(newest?.["prev_hash"]).toBe(before?.["hash"]);
    expect(await bench.list("audit", "tail", "-n", "1")).toHaveLength(1);
    const { stdout } = await bench.run(["audit", "tail"]);
    expect(stdout).toMatch(/^SEQ +TIME \(UTC\) +KIND +ACTOR +OUTCOME/m);
    expect(stdout).toMatch(/^1 .*user\.create +cli +done +user eve@example\.com/m);
  });

  test("export as NDJSON: oldest first, every record with its hash", async () => {
    const { code, stdout } = await bench.run(["audit", "export", "--format", "ndjson"]);
    expect(code).toBe(0);
    const rows = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(rows.map(({ seq }) => seq)).toEqual([1, 2, 3]);
    expect(rows).toEqual((await bench.list("audit", "tail")).toReversed());
  });

  test("export as CSV: quoted, and nothing a spreadsheet would run", async () => {
    const { stdout } = await bench.run(["audit", "export", "--format", "csv"]);
    const [head, ...rows] = stdout.trim().split("\r\n");
    expect(head).toStartWith("seq,at,id,call_id,phase,kind,via,");
    expect(rows).toHaveLength(3);
    expect(rows[1]).toContain('"{""name"":""=helper""');
  });

  test("export as OCSF: one event a record with what its class requires", async () => {
    const { stdout } = await bench.run(["audit", "export", "--format", "ocsf"]);
    const events = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(events).toHaveLength(3);
    for (const event of events) {
      expect(event).toMatchObject({
        class_uid: 3004,
        category_uid: 3,
        activity_id: 1,
        type_uid: 300401,
        severity_id: 1,
        status_id: 1,
        time: expect.any(Number),
        metadata: { version: "1.9.0", product: { name: "Guardhouse" } },
        entity: { uid: expect.any(String), type: expect.any(String) },
      });
    }
  });

  test("export takes a stretch of time", async () => {
    const count = async (...flags: string[]) => {
      const { stdout } = await bench.run(["audit", "export", "--format", "ndjson", ...flags]);
      return stdout.split("\n").length - 1;
    };
    expect(await count("--since", "1h")).toBe(3);
    expect(await count("--until", "2020-01-01")).toBe(0);
    expect(await count("--since", "2020-01-01T00:00:00Z", "--until", new Date(Date.now() + 60_000).toISOString())).toBe(
      3,
    );
    expect((await bench.run(["audit", "export", "--format", "csv", "--since", "yesterday"])).code).toBe(2);
  });

  test("a reader that stops early is no failure", async () => {
    await using child = Bun.spawn(
      ["sh", "-c", '"$@" | head -n 1', "sh", ...command(), "audit", "export", "--format", "ndjson"],
      {
        env: { PATH: process.env["PATH"] ?? "", GUARDHOUSE_DATA_DIR: bench.dataDir },
        stdout: "pipe",
        stderr: "pipe",
      },
    );
    expect(await new Response(child.stdout).text()).toContain('"seq":1');
    expect(await new Response(child.stderr).text()).not.toContain("Error");
  });

  test("verify finds the chain whole; a changed record ends with 8 and is named", async () => {
    expect(await bench.json("audit", "verify")).toMatchObject({ ok: true, records: 3, last_seq: 3, faults: [] });
    const db = new Database(join(bench.dataDir, "guardhouse.db"));
    const tables = db.query<{ name: string }, []>("SELECT name FROM sqlite_master WHERE type = 'table'").all();
    const table = tables.map(({ name }) => name).find((name) => /^audit_\d{4}_?\d{2}$/.test(name));
    for (const { name } of db
      .query<{ name: string }, []>("SELECT name FROM sqlite_master WHERE type = 'trigger'")
      .all()) {
      db.run(`DROP TRIGGER ${name}`);
    }
    db.run(`UPDATE ${table} SET body = replace(body, 'eve@', 'eva@') WHERE seq = 1`);
    db.close();
    const { code, stdout } = await bench.run(["audit", "verify", "--json"]);
    expect(code).toBe(8);
    expect(JSON.parse(stdout)).toMatchObject({ ok: false, faults: [{ seq: 1 }] });
    expect((await bench.run(["audit", "verify"])).stdout).toStartWith("BROKEN");
    expect((await bench.run(["doctor"])).stdout).toMatch(/^FAIL {2}audit chain/m);
  });
});

describe("data that cannot be used", () => {
  test("newer than the program ends with 4", async () => {
    await using other = await Workbench.create();
    text(await other.json("user", "create", EVE), "id");
    const db = new Database(join(other.dataDir, "guardhouse.db"));
    db.run("PRAGMA user_version = 9999");
    db.close();
    const { code, stderr } = await other.run(["user", "list"]);
    expect(code).toBe(4);
    expect(stderr).toContain("9999");
    expect((await other.run(["doctor"])).code).toBe(1);
  });

  test("a file that is no database ends with 8", async () => {
    await using other = await Workbench.create();
    await Bun.write(join(other.dataDir, "guardhouse.db"), "x".repeat(8192));
    expect((await other.run(["user", "list"])).code).toBe(8);
  });
});
