import { expect, setDefaultTimeout, test } from "bun:test";
import { openSqliteStore } from "#store/sqlite/index";
import { Workbench } from "#test/cli/workbench";
import { KEY, ReviewerWorld } from "#test/features/report-review/reviewer-world";
import { verifies } from "#test/support/verifies";

setDefaultTimeout(120_000);

const TEXT = "Write to jane.roe@acme-corp.com.\n\x1b[2J";
const env = { GUARDHOUSE_MASTER_KEY: Buffer.from(KEY).toString("base64") };

test("reports are listed, shown and decided on at the terminal, under the same rules", async () => {
  verifies("reviewer.people", "reviewer.reading", "reviewer.no-change");
  await using bench = await Workbench.create();
  const run = (...args: string[]) => bench.run([...args, "--json"], { env });
  await run("admin", "create", "ada@example.com", "--random-password");
  const eve = JSON.parse((await run("user", "create", "eve@example.com")).stdout);
  await run("user", "create", "rob@example.com", "--role", "reviewer");
  const store = await openSqliteStore({ dataDir: bench.dataDir, writer: "inline" });
  try {
    await using world = new ReviewerWorld(store, { url: null });
    const { id } = await world.reviewed(TEXT, { user_id: eve.id });

    const rows = JSON.parse((await run("report", "list", "--status", "needs_human")).stdout);
    expect(rows.map((row: { id: string }) => row.id)).toEqual([id]);
    expect(JSON.parse((await run("report", "list", "--direction", "false_negative")).stdout)).toEqual([]);
    expect((await run("report", "list", "--status", "odd")).code).toBe(2);

    const shown = await bench.run(["report", "show", id, "--as", "rob@example.com"], { env });
    expect(shown.stdout).toContain("jane.roe@acme-corp.com");
    expect(shown.stdout).not.toContain("\x1b");
    expect((await run("report", "show", id, "--as", "eve@example.com")).stdout).not.toContain("jane.roe");
    expect((await world.records("report.read")).map(({ actor }) => actor.via)).toEqual(["cli"]);

    const decide = (who: string) =>
      run("report", "decide", id, "--verdict", "false_positive", "--as", `${who}@example.com`, "--reason", "Fine.");
    expect((await decide("eve")).code).not.toBe(0);
    expect(JSON.parse((await decide("rob")).stdout)).toMatchObject({ status: "closed", decision: "false_positive" });
    expect((await decide("rob")).code).not.toBe(0);

    // What follows from it is made by the service.
    expect(world.suggested).toEqual([]);
    world.now = Date.now() + 1_000;
    await world.jobs.tick();
    expect(world.suggested).toEqual([id]);
  } finally {
    await store.close();
  }
});
