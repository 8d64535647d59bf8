import { describe, expect, test } from "bun:test";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { verifies } from "#test/support/verifies";
import { text, Workbench } from "./workbench";

const PEOPLE = ["eve@example.com", "sam@example.com", "kim@example.com"];

/** A log of three records, the newest of which is proved. */
const proved = async () => {
  const bench = await Workbench.create();
  for (const email of PEOPLE) await bench.json("user", "create", email);
  const [newest] = await bench.list("audit", "tail", "-n", "1");
  const { stdout: proof } = await bench.run(["audit", "prove", text(newest ?? {}, "id")]);
  const { stdout: key } = await bench.run(["audit", "key"]);
  return { bench, newest: newest ?? {}, proof, key };
};

describe("audit prove and check", () => {
  test("a record is proved to somebody who has the public key alone", async () => {
    verifies("proofs.check");
    const { bench, newest, proof, key } = await proved();
    await using _ = bench;
    expect(proof).toStartWith("c2sp.org/tlog-proof@v1\nextra ");
    const files = [await bench.file(proof), "--key", await bench.file(key)];
    const { code, stdout } = await bench.run(["audit", "check", ...files, "--json"], { data: false });
    expect(code).toBe(0);
    const shown = JSON.parse(stdout);
    expect(shown).toMatchObject({ ok: true, index: 2, size: 3, witnesses: [], record: { id: newest["id"] } });
    const human = await bench.run(["audit", "check", ...files], { data: false });
    expect(human.stdout).toStartWith("ok: this record is in the log guardhouse/");
    // Beside the proof, nothing of the log is needed, and nothing of other records is in it.
    expect(atob(proof.split("\n")[1]?.slice(6) ?? "")).not.toContain(PEOPLE[0] ?? "");
  });

  test("what was changed does not hold: 8", async () => {
    verifies("proofs.check");
    const { bench, proof, key } = await proved();
    await using _ = bench;
    const lines = proof.split("\n");
    const record = atob(lines[1]?.slice(6) ?? "").replace("kim@", "eve@");
    const changed: readonly (readonly [what: string, proof: string])[] = [
      ["another record", proof.replace(lines[1] ?? "", `extra ${btoa(record)}`)],
      ["another place", proof.replace("index 2", "index 1")],
      ["a place behind the end", proof.replace("index 2", "index 3")],
      ["a hash", proof.replace(/\n([A-Za-z0-9+/]{43}=)\n\n/, `\n${btoa("x".repeat(32))}\n\n`)],
      ["the size", proof.replace("\n3\n", "\n4\n")],
      ["the signature", proof.replace(/(— \S+ .{20})./, "$1A").replace(/(— \S+ .{20})A/, "$1B")],
      ["no record", lines.filter((line) => !line.startsWith("extra ")).join("\n")],
      ["no proof", "nothing of that kind\n"],
    ];
    for (const [what, forged] of changed) {
      const files = [await bench.file(forged), "--key", await bench.file(key)];
      const { code, stdout } = await bench.run(["audit", "check", ...files, "--json"], { data: false });
      expect([what, code]).toEqual([what, 8]);
      expect(JSON.parse(stdout)).toMatchObject({ ok: false, problem: expect.any(String) });
    }
  });

  test("another log's key does not do: 8; none, or no key: 2; an unknown call: 9", async () => {
    const [{ bench, proof, key }, other] = [await proved(), await proved()];
    await using _ = bench;
    await using __ = other.bench;
    const file = await bench.file(proof);
    const check = async (trust: string) =>
      (await bench.run(["audit", "check", file, "--key", await bench.file(trust)], { data: false })).code;
    expect(await check(other.key)).toBe(8);
    expect(await check(key.replace(/.\n$/, "\n"))).toBe(2);
    expect(await check("")).toBe(2);
    expect((await bench.run(["audit", "check", file], { data: false })).code).toBe(2);
    expect((await bench.run(["audit", "prove", "01a1fc14-7f90-77f8-ab73-75e2351609c6"])).code).toBe(9);
  });

  test("a policy that asks for a witness is not met by a proof without one: 8", async () => {
    const { bench, proof, key } = await proved();
    await using _ = bench;
    const witness = "witness.example.com+5fe5a1ff+BPmVUQB5gtAMdVxKZFc0cGZXZZpJOz4kYUQYaXJvYjAR";
    const { stderr } = await bench.run(
      [
        "audit",
        "check",
        await bench.file(proof),
        "--key",
        await bench.file(`log ${key}witness w ${witness}\nquorum w\n`),
      ],
      { data: false },
    );
    // The key's id is not that of its name and bytes.
    expect(stderr).toContain("Line 2");
  });
});

describe("audit consistency", () => {
  test("a log that goes on is told from one that was set back", async () => {
    verifies("proofs.consistency");
    const { bench, proof } = await proved();
    await using _ = bench;
    const kept = await bench.file(proof);
    expect(await bench.json("audit", "consistency", "--from", kept)).toMatchObject({ ok: true, from: 3, to: 3 });
    const copy = join(bench.home, "copy");
    await cp(bench.dataDir, copy, { recursive: true });
    await bench.json("user", "create", "liz@example.com");
    expect(await bench.json("audit", "consistency", "--from", kept)).toMatchObject({ ok: true, from: 3, to: 4 });
    const [newest] = await bench.list("audit", "tail", "-n", "1");
    const later = await bench.file((await bench.run(["audit", "prove", text(newest ?? {}, "id")])).stdout);
    expect(await bench.json("audit", "consistency", "--from", kept, "--to", later)).toMatchObject({ ok: true, to: 4 });
    const back = await bench.run(["audit", "consistency", "--from", later, "--data-dir", copy, "--json"], {
      data: false,
    });
    expect(back.code).toBe(8);
    expect(JSON.parse(back.stdout)).toMatchObject({ ok: false, problem: "the log has 3 records, and had 4" });
    // It goes on in another way than it went on before.
    await bench.run(["user", "create", "joe@example.com", "--data-dir", copy], { data: false });
    const split = await bench.run(["audit", "consistency", "--from", later, "--data-dir", copy, "--json"], {
      data: false,
    });
    expect(split.code).toBe(8);
    expect(JSON.parse(split.stdout)).toMatchObject({ problem: "two trees of one size were signed" });
  });
});
