import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { DEFAULT_POLICY } from "#core/scan/defaults";
import { DETECTORS } from "#core/scan/detectors/index";
import { goldenSamples } from "#core/scan/golden";
import { compilePolicy } from "#core/scan/policy";
import { scanText } from "#core/scan/scan";
import { BaselineReplay } from "#engine/baseline/replay";
import { ScanPool } from "#engine/scan-pool/pool";
import { textScanOf } from "#engine/text-scan";
import { EvidenceRoom } from "#engine/tuning/evidence";
import { beginTrial, brokenBy } from "#engine/tuning/rehearsal";
import { Tuner } from "#engine/tuning/tuner";
import type { AuditRow } from "#store/record";
import { verifies } from "#test/support/verifies";

setDefaultTimeout(120_000);

const LIMITS = { units: 1e9, unitsPerCaller: 1e9, calls: 1_000, callsPerCaller: 1_000 };
const POLICY = compilePolicy(DEFAULT_POLICY, 1, DETECTORS);
const pool = new ScanPool({ threads: 2, limits: LIMITS });
afterAll(() => pool.close());

/** How often the event loop came round meanwhile. */
const turnsDuring = async (work: () => Promise<unknown>): Promise<number> => {
  let turns = 0;
  let next = setImmediate(function turn() {
    turns += 1;
    next = setImmediate(turn);
  });
  await work();
  clearImmediate(next);
  return turns;
};

/** A log that is read without ever waiting. */
const audit = {
  async *read(): AsyncGenerator<AuditRow> {
    const flag = { type: "pii.email", origin: "user", action: "flag", score: 0.9, param: "messages[0].content" };
    const call = { event_id: "e", profile_version: null, flags: Array.from({ length: 20 }, () => flag) };
    const record = { call_id: "c", at: "2026-01-01", phase: "final", actor: { agent_id: "agent" }, call };
    const body = JSON.stringify(record);
    for (let seq = 1; seq <= 10_000; seq += 1) yield { seq, body, prev_hash: "", hash: "" };
  },
};
const reports = { list: async () => [] };

test("a replay of the log lets other work go on", async () => {
  verifies("fairness.replays");
  const replay = new BaselineReplay({ audit, reports });
  const baseline = await turnsDuring(() => replay.of({ before: POLICY, after: POLICY }, 0));
  expect(baseline).toBeGreaterThan(3);
  const evidence = new EvidenceRoom({
    ...{ audit, reports, now: () => 0, unseal: () => "" },
    content: { ofEvent: async () => [] },
  });
  let records = 0;
  const own = await turnsDuring(async () => {
    for await (const _ of evidence.records("agent", 0)) records += 1;
  });
  expect(records).toBe(10_000);
  expect(own).toBeGreaterThan(3);
});

test("changes are tried on samples in turns with other work, and on long texts in the scan pool", async () => {
  verifies("fairness.replays");
  const none = new Tuner([], null, { hashOf: () => "", fits: () => false });
  const judging = { policy: POLICY, tuner: none };
  const samples = Array.from({ length: 100 }, () => goldenSamples()).flat();
  const scan = textScanOf(pool, "test");
  expect(await turnsDuring(() => brokenBy(beginTrial(scan), judging, judging, samples))).toBeGreaterThan(3);
  const long = "Write to ann.smith@example.com or +1 415 555 2671. ".repeat(2_000);
  expect(await scan(POLICY, long, "user")).toEqual(scanText(POLICY, long, "user"));
});
