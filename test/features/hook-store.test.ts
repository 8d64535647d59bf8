import { expect, test } from "bun:test";
import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HookStore } from "#cli/hook-store";
import type { OfflineDecision } from "#features/verdicts/offline-report";
import { verifies } from "#test/support/verifies";

const decision = (rule: string): OfflineDecision => ({
  ...{ at: new Date(0).toISOString(), harness: "claude-code", conversation: null },
  ...{ permission: "deny", kind: "command", layer: "profile v3", rule },
});

test("decisions that wait are sent once, whichever hooks send them, and none is lost", async () => {
  verifies("local.offline");
  const folder = mkdtempSync(join(tmpdir(), "hook-store-"));
  const environment = { XDG_CACHE_HOME: folder };
  const open = () => new HookStore({ url: "http://hub", token: "t", environment });
  const [one, other] = [open(), open()];
  const sent: string[] = [];
  const take = async (decisions: readonly OfflineDecision[]) => {
    sent.push(...decisions.map(({ rule }) => rule));
    return true;
  };
  mkdirSync(join(folder, "guardhouse", "hook"), { recursive: true });
  one.note(decision("first"));
  await one.report(async () => {
    // The same process, while the first is being sent.
    other.note(decision("second"));
    await other.report(async () => false, 10);
    await other.report(take, 10);
    return false;
  }, 10);
  expect(sent).toEqual(["second"]);
  await other.report(take, 10);
  expect(sent).toEqual(["second", "first"]);
  const kept = join(folder, "guardhouse", "hook");
  expect(readdirSync(kept).filter((name) => name.includes("decisions"))).toEqual([]);

  // What was left over counts towards what may wait.
  one.note(decision("third"));
  await one.report(async () => false, 10);
  const [left = ""] = readdirSync(kept).filter((name) => name.includes("decisions"));
  const line = readFileSync(join(kept, left), "utf8");
  appendFileSync(join(kept, left), line.repeat(Math.ceil(262_144 / line.length)));
  expect(other.note(decision("fourth"))).toBe(false);

  // What a hook has taken is another's once that hook must have ended.
  const taken = (since: number) => left.replace(/\.\d+(?=\.[0-9a-f]+$)/, `.${since}`);
  const young = taken(Date.now());
  renameSync(join(kept, left), join(kept, young));
  sent.length = 0;
  await other.report(take, 100_000);
  expect(sent).toEqual([]);
  renameSync(join(kept, young), join(kept, taken(1)));
  await other.report(take, 100_000);
  expect(new Set(sent)).toEqual(new Set(["third"]));
  rmSync(folder, { recursive: true });
});
