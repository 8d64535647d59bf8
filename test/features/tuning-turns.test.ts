import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { BaselineReplay } from "#features/policy/baseline/replay";
import { longMaskOf, maskOf } from "#features/report-review/reviewer/mask";
import { maskedEvidence, maskedLongEvidence } from "#features/report-review/reviewer/prompt";
import { EvidenceLoader } from "#features/tuning/evidence-loader";
import { beginTrial, brokenBy } from "#features/tuning/rehearsal";
import { ExceptionMatcher } from "#guard/enforcement/exception-matcher";
import { ScanPool } from "#guard/scan-pool/pool";
import { textScanOf } from "#guard/text-scan";
import { comparableForm } from "#model/kept-content";
import { Slices } from "#platform/slices";
import { DEFAULT_POLICY } from "#scan/defaults";
import { DETECTORS } from "#scan/detectors/index";
import { goldenSamples } from "#scan/golden";
import { compilePolicy } from "#scan/policy";
import { scanText } from "#scan/scan";
import type { AuditRow } from "#store/record";
import { ruleOf } from "#test/policy/tuning/rules";
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
  const evidence = new EvidenceLoader({
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
  const none = new ExceptionMatcher([], null, { hashOf: () => "", fits: () => false });
  const judging = { policy: POLICY, exceptionMatcher: none };
  const samples = Array.from({ length: 100 }, () => goldenSamples()).flat();
  const scan = textScanOf(pool, "test");
  expect(await turnsDuring(() => brokenBy(beginTrial(scan), judging, judging, samples))).toBeGreaterThan(3);
  const long = "Write to ann.smith@example.com or +1 415 555 2671. ".repeat(2_000);
  expect(await scan(POLICY, long, "user")).toEqual(scanText(POLICY, long, "user"));
});

/** Of the dearest kinds: a second of CPU time for each megabyte. */
const LONG = "Call +1 415 555 2671, key AKIAQ3EGRZL7W5VNX2PT, mail ann.smith@acme-corp.com. ".repeat(3_000);

test("long reports are masked in the scan pool with the same result", async () => {
  verifies("fairness.reports");
  const types = ["secret", "pii"];
  const scans: number[] = [];
  const scan = textScanOf(pool, "test");
  const mask = longMaskOf(DETECTORS, types, (policy, text, origin) => {
    const found = scan(policy, text, origin);
    if (!(found instanceof Promise)) scans.push(text.length);
    return found;
  });
  expect(await mask(LONG)).toBe(maskOf(DETECTORS, types)(LONG));
  // Nothing of it was scanned on this thread.
  expect(scans).toEqual([]);
  const short = LONG.slice(0, 1_000);
  expect(await mask(short)).toBe(maskOf(DETECTORS, types)(short));
  const evidence = { direction: "false_positive", detected: [], claimed: ["pii.email", LONG], reason: short } as const;
  const texts = [{ origin: "user", text: LONG } as const];
  expect(await maskedLongEvidence({ ...evidence, texts }, mask)).toEqual(
    maskedEvidence({ ...evidence, texts }, maskOf(DETECTORS, types)),
  );
});

test("exceptions for a whole text ask for a long one's form in slices, to the same outcome", async () => {
  verifies("fairness.reports");
  const text = "Ｗrite key AKIAQ3EGRZL7W5VNX2PT, Привет. ".repeat(5_000);
  const hashOf = (form: string): string => Bun.SHA256.hash(form, "hex");
  const match = { types: ["secret"], value: { hash: hashOf(comparableForm(text)), of: "text" } } as const;
  const matcher = new ExceptionMatcher([ruleOf({ match })], 1, { hashOf, fits: () => false });
  const place = { param: "messages[0].content", origin: "user" } as const;
  const { findings } = scanText(POLICY, text.slice(0, 400), "user");
  expect(findings.length).toBeGreaterThan(3);
  let amended: unknown;
  const turns = await turnsDuring(async () => {
    amended = await matcher.amendInSlices(POLICY, findings, { place, text, pause: new Slices(0).begin() });
  });
  expect(turns).toBeGreaterThan(findings.length + 2);
  expect(amended).toEqual(matcher.amend(POLICY, findings, place, text));
  expect(amended).not.toEqual(findings);
});
