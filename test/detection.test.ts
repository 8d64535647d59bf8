import { describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DETECTORS } from "#scan/detectors/index";
import { HIDDEN_TEXT } from "#scan/fold/hidden-text";
import { typeAt } from "#scan/policy";
import { judge } from "#test/bench/bar";
import { madeSamples } from "#test/eval/made";
import { measure } from "#test/eval/measure";
import { groupBy, recall } from "#test/eval/rates";
import { readSamples, type Sample } from "#test/eval/record";
import { alarms, enforced, recorded, type Seen, scanSamples } from "#test/eval/seen";
import { BARS } from "#test/eval/targets";
import { verifies } from "#test/support/verifies";

const ROOT = join(import.meta.dir, "..");
const COUNTERS = { recorded, enforced };

const labelOf = ({ sample }: Seen): string => sample.labels[0]?.type ?? sample.kind;
const textsOf = (seen: readonly Seen[]): string[] => seen.map(({ sample }) => sample.text);

describe("samples made by rule", () => {
  const seen = scanSamples(madeSamples(20_261_121, 30));
  const positives = groupBy(
    seen.filter(({ sample }) => sample.positive),
    labelOf,
  );

  test.each([...positives])("%s is found", (type, group) => {
    verifies("scan.detection");
    const { labels, found, strict } = recall(group, COUNTERS, () => true);
    expect(labels).toBe(group.length);
    // What only its surroundings make a secret may sometimes look too plain to be one.
    expect(found / labels).toBeGreaterThanOrEqual(type === "secret.generic" ? 0.9 : 0.98);
    if (type !== "injection") expect(strict / labels).toBeGreaterThanOrEqual(0.9);
  });

  test("of every kind of secret and personal data made here the catalogue has a detector", () => {
    const known = new Set([...DETECTORS.map((detector) => typeAt(detector, "user")), HIDDEN_TEXT.type]);
    const unknown = [...positives.keys()].filter((type) => type !== "injection" && !known.has(type));
    expect(unknown).toEqual([]);
  });

  test.each([
    ...groupBy(
      seen.filter(({ sample }) => !sample.positive),
      labelOf,
    ),
  ])("what looks like %s and is none is not flagged", (_, group) => {
    verifies("scan.detection");
    expect(group.length).toBeGreaterThan(200);
    const flagged = group.filter((one) => alarms(one, recorded(one)).length > 0);
    expect(textsOf(flagged).slice(0, 5 * Number(flagged.length / group.length > 0.01))).toEqual([]);
  });

  test("are the same for the same seed, and others for another", () => {
    expect(madeSamples(7, 2)).toEqual(madeSamples(7, 2));
    expect(madeSamples(8, 2)).not.toEqual(madeSamples(7, 2));
  });
});

/** A little below what was measured; `docs/detection.md` has the figures. Recalls must not fall below, alarms not rise above. */
const FLOORS: Readonly<Record<string, number>> = {
  "recall of EMAIL": 0.97,
  "recall of CREDIT_CARD": 0.97,
  "recall of IBAN": 0.97,
  "recall of US_SSN": 0.97,
  "recall of IP_ADDRESS": 0.97,
  "recall of PHONE": 0.9,
  "recall of government ids": 0.92,
  "recall of vendors' secrets": 0.97,
  "recall of generic credentials": 0.65,
  "recall of attacks by their wording": 0.9,
  "kept of what is found undisguised, normalising": 0.96,
  "kept of what is found undisguised, decoding": 0.93,
};

const CEILINGS: Readonly<Record<string, number>> = {
  "hard negatives flagged as personal data": 0.02,
  "look-alikes, lock files, code, prompts flagged as secrets": 0.005,
  "prompts, code, mail, documents flagged as injection": 0.01,
  "harmless text full of trigger words flagged": 0.02,
  "code and its documents flagged as injection": 0.003,
  "controls flagged": 0,
};

const DATA = join(ROOT, "../shared/eval/dev");

test.skipIf(!existsSync(DATA))(
  "labelled samples beside the repository: no figure falls below its bar",
  () => {
    const measured = measure(scanSamples(readSamples(DATA)), COUNTERS);
    const figures = new Map(BARS.map((bar) => [bar.name, bar.measure(measured) ?? Number.NaN]));
    for (const [name, least] of Object.entries(FLOORS)) {
      expect({ name, holds: (figures.get(name) ?? -1) >= least }).toEqual({ name, holds: true });
    }
    for (const [name, most] of Object.entries(CEILINGS)) {
      expect({ name, holds: (figures.get(name) ?? 1) <= most }).toEqual({ name, holds: true });
    }
  },
  60_000,
);

describe("the command", () => {
  const sample = (id: string, text: string, value: string | null, more: Partial<Sample> = {}): object => {
    const start = value === null ? 0 : text.indexOf(value);
    const labels = value === null ? [] : [{ type: "EMAIL", start, end: start + value.length, value }];
    return { id, text, labels, kind: "pii", label: value === null ? "negative" : "positive", ...more };
  };
  const LINES = [
    sample("one", "write to mia@mail.acme.org", "mia@mail.acme.org"),
    sample("two", "write to the lady at the door", "the lady at the door"),
    sample("three", "no address at all", null),
  ];

  async function evaluated(lines: readonly object[], ...args: readonly string[]) {
    const folder = mkdtempSync(join(tmpdir(), "guardhouse-eval-"));
    try {
      await Bun.write(join(folder, "mails.jsonl"), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
      const json = join(folder, "out.json");
      const command = [process.execPath, "test/eval/main.ts", folder, "--json", json, ...args];
      const { exitCode, stdout, stderr } = Bun.spawnSync(command, { cwd: ROOT });
      const written: unknown = (await Bun.file(json).exists()) ? await Bun.file(json).json() : undefined;
      return { exitCode, out: stdout.toString(), err: stderr.toString(), written };
    } finally {
      rmSync(folder, { recursive: true });
    }
  }

  test("counts what is found, missed and wrongly flagged", async () => {
    verifies("scan.evaluation");
    const { exitCode, out, written } = await evaluated(LINES);
    expect(exitCode).toBe(0);
    expect(out).toMatch(/^EMAIL +2 +50\.0 % +50\.0 % +100\.0 % +66\.7 %/m);
    expect(out).toMatch(/^recall of EMAIL +≥ 0\.97 +0\.50 +missed$/m);
    expect(out).toMatch(/^recall of IBAN +≥ 0\.97 +– +not measured$/m);
    expect(written).toMatchObject({ samples: 3, labels: [{ type: "EMAIL", labels: 2, found: 1, precision: 1 }] });
  });

  test("names what was missed without showing it, unless told to", async () => {
    verifies("scan.evaluation");
    const { out } = await evaluated(LINES, "--misses", "5", "EMAIL");
    expect(out).toContain("missed EMAIL: 1");
    expect(out).toContain("two");
    expect(out).not.toContain("lady");
    expect((await evaluated(LINES, "--misses", "5", "EMAIL", "--show")).out).toContain("lady");
  });

  test("refuses a label that is not where it says, and flags it does not know", async () => {
    const misplaced = { ...sample("one", "x@acme.org", "x@acme.org"), text: "y@acme.org" };
    const refused = await evaluated([misplaced]);
    expect(refused).toMatchObject({ exitCode: 1, written: undefined });
    expect(refused.err).toContain("mails:1: a label is misplaced");
    expect(await evaluated(LINES, "--colour")).toMatchObject({ exitCode: 2 });
  });
});

test("every target is told as what it is", () => {
  const nothing = measure([], COUNTERS);
  expect(new Set(judge(BARS, nothing).map(({ verdict }) => verdict))).toEqual(new Set(["not measured"]));
});
