import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { verifies } from "#test/support/verifies";
import { text, Workbench } from "./workbench";

const PEOPLE = ["eve@example.com", "sam@example.com", "kim@example.com"];

/** A log of three records. */
const written = async (): Promise<Workbench> => {
  const bench = await Workbench.create();
  for (const email of PEOPLE) await bench.json("user", "create", email);
  return bench;
};

describe("a head noted elsewhere", () => {
  test("is looked for: 0 when the log contains it, 8 when it holds another or ends before it", async () => {
    verifies("audit.chain");
    await using bench = await written();
    const rows = await bench.list("audit", "tail");
    for (const row of rows) {
      const head = `${row["seq"]}:${text(row, "hash")}`;
      expect(await bench.json("audit", "verify", "--head", head)).toMatchObject({ ok: true, records: 3, faults: [] });
      expect((await bench.run(["audit", "verify", `--head=${head.toUpperCase()}`])).code).toBe(0);
    }
    const hash = text(rows[0] ?? {}, "hash");
    for (const [head, seq, problem] of [
      [`2:${hash}`, 2, "the record differs from the one noted"],
      [`4:${hash}`, 4, "the noted record is missing from the log"],
    ] as const) {
      const { code, stdout } = await bench.run(["audit", "verify", "--json", "--head", head]);
      expect(code).toBe(8);
      expect(JSON.parse(stdout)).toMatchObject({ ok: false, records: 3, faults: [{ seq, problem }] });
      const human = await bench.run(["audit", "verify", "--head", head]);
      expect(human.code).toBe(8);
      expect(human.stdout).toStartWith("BROKEN");
      expect(human.stdout).toContain(`record ${seq}: ${problem}`);
    }
  });

  test("audit verify --head finds a cut end that no checkpoint covers", async () => {
    verifies("audit.chain");
    await using bench = await written();
    const [newest] = await bench.list("audit", "tail", "-n", "1");
    const head = `${newest?.["seq"]}:${newest?.["hash"]}`;
    const db = new Database(join(bench.dataDir, "guardhouse.db"));
    const names = (type: string) =>
      db
        .query<{ name: string }, [string]>("SELECT name FROM sqlite_master WHERE type = ?")
        .all(type)
        .map(({ name }) => name);
    for (const name of names("trigger")) db.run(`DROP TRIGGER ${name}`);
    for (const name of names("table").filter((table) => /^audit_\d{4}_?\d{2}$/.test(table)))
      db.run(`DELETE FROM ${name} WHERE seq = 3`);
    db.close();
    expect(await bench.json("audit", "verify")).toMatchObject({ ok: true, records: 2 });
    expect((await bench.run(["audit", "verify", "--head", head])).code).toBe(8);
  });

  test.each(["", "3", "3:", "3:abc", `0:${"a".repeat(64)}`, `-1:${"a".repeat(64)}`, `3:${"g".repeat(64)}`])(
    "%j is none: 2",
    async (head) => {
      await using bench = await Workbench.create();
      const { code, stderr } = await bench.run(["audit", "verify", `--head=${head}`]);
      expect(code).toBe(2);
      expect(stderr).toContain("SEQ:HASH");
    },
  );

  test("the help tells of it", async () => {
    await using bench = await Workbench.create();
    const { stdout } = await bench.run(["audit", "verify", "--help"]);
    expect(stdout).toContain("guardhouse audit verify [--head SEQ:HASH]");
  });
});

describe("without the key that signs", () => {
  test("verify says so with 8, names it once, and makes none; nor does any command that only looks", async () => {
    verifies("audit.chain");
    await using bench = await written();
    const key = join(bench.dataDir, "audit-key.pem");
    const elsewhere = join(bench.home, "kept.pem");
    expect(existsSync(key)).toBe(true);
    await rename(key, elsewhere);
    for (const look of [["audit", "tail"], ["user", "list"], ["doctor"]]) await bench.run(look);
    const { code, stdout } = await bench.run(["audit", "verify", "--json"]);
    expect(code).toBe(8);
    const report = JSON.parse(stdout);
    expect(report).toMatchObject({ ok: false, records: 3 });
    expect(report.faults).toEqual([{ seq: 3, problem: expect.stringContaining("audit-key.pem") }]);
    expect((await bench.run(["audit", "verify"])).stdout).toContain("audit-key.pem");
    expect(existsSync(key)).toBe(false);
    await rename(elsewhere, key);
    expect(await bench.json("audit", "verify")).toMatchObject({ ok: true, records: 3, faults: [] });
  });

  test("signatures of the lost key are checked by no new one", async () => {
    verifies("audit.chain");
    await using bench = await Workbench.create();
    // The hub signs when it stops.
    expect((await bench.run(["demo", "--once", "--json", "--listen", "127.0.0.1:0"])).code).toBe(0);
    expect(Number((await bench.json("audit", "verify"))["checkpoints"])).toBeGreaterThan(0);
    await rm(join(bench.dataDir, "audit-key.pem"));
    const missing = await bench.run(["audit", "verify", "--json"]);
    expect(missing.code).toBe(8);
    expect(JSON.parse(missing.stdout).faults).toHaveLength(1);
    // Who writes needs a key, and makes one.
    await bench.json("user", "create", "eve@example.com");
    const replaced = await bench.run(["audit", "verify"]);
    expect(replaced.code).toBe(8);
    expect(replaced.stdout).toContain("signed with a key we do not have");
  });
});
