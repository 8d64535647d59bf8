import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { ORIGINS } from "#scan/detector";
import { DETECTORS } from "#scan/detectors/index";
import { HIDDEN_TEXT } from "#scan/fold/hidden-text";
import { typeAt } from "#scan/policy";
import { judge } from "#test/bench/bar";
import { rateOf, rateText } from "#test/eval/interval";
import { languageOf } from "#test/eval/language";
import { madeSamples } from "#test/eval/made";
import { measure } from "#test/eval/measure";
import { groupBy, recall } from "#test/eval/rates";
import { readSamples, type Sample } from "#test/eval/record";
import { alarms, enforced, recorded, type Seen, scanSamples } from "#test/eval/seen";
import { compared } from "#test/eval/streamed";
import { BARS } from "#test/eval/targets";
import { verifies } from "#test/support/verifies";
import { PARTS } from "../.ci/reference";

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
  240_000,
);

describe("the command", () => {
  // Each run is a process that compiles the scanner; some tests make several.
  setDefaultTimeout(120_000);

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
    return evaluatedWith({}, lines, ...args);
  }

  /** `programs`: what stands on the PATH, by name; with any given, nothing else does. */
  async function evaluatedWith(
    programs: Readonly<Record<string, string>>,
    lines: readonly object[],
    ...args: readonly string[]
  ) {
    const folder = mkdtempSync(join(tmpdir(), "guardhouse-eval-"));
    try {
      await Bun.write(join(folder, "mails.jsonl"), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
      const json = join(folder, "out.json");
      for (const [name, script] of Object.entries(programs))
        writeFileSync(join(folder, name), `#!${process.execPath}\n${script}`, { mode: 0o755 });
      const command = [process.execPath, "test/eval/main.ts", folder, "--json", json, ...args];
      const { exitCode, stdout, stderr } = Bun.spawnSync(command, { cwd: ROOT, env: { PATH: folder } });
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

  const KEY = `AKIA${"QX7LZN2RVB4KTJ3M"}`;
  const keyed = { kind: "secret", id: "key", text: `use ${KEY} now` };
  const MIXED = [
    ...LINES,
    { ...keyed, labels: [{ type: "SECRET", start: 4, end: 24, value: KEY }], label: "positive", lang: "de" },
    sample("four", "Wie geht es dir? Bitte sag mir, wo der Hund ist und was das hier für ein Haus ist.", null),
  ];

  test("gives rates by origin and language with their intervals, and the cost", async () => {
    verifies("scan.evaluation-rates");
    const { out, written } = await evaluated(MIXED);
    // 2 of 3 labels; Wilson's interval of that is 20.8 to 93.9 %.
    expect(out).toMatch(
      /^user +5 +3 +66\.7 % \(20\.8–93\.9\) +33\.3 % \(6\.1–79\.2\) +2 +0\.0 % \(0\.0–65\.8\).* \d+\.\d$/m,
    );
    expect(out).toMatch(/^de +2 +1 +100\.0 % \(20\.7–100\.0\) +100\.0 %/m);
    expect(out).toMatch(/^en +/m);
    expect(written).toMatchObject({
      origins: [{ group: "user", texts: 5, found: { count: 2, of: 3 }, enforced: { count: 1, of: 3 } }],
    });
  });

  test("scans as one origin, or as each of them", async () => {
    verifies("scan.evaluation-rates");
    const { written } = await evaluated(MIXED, "--origin", "output");
    expect(written).toMatchObject({ origins: [{ group: "output", texts: 5 }] });
    const { out } = await evaluated(MIXED, "--origins");
    for (const origin of ORIGINS) expect(out).toMatch(new RegExp(`^${origin} +5 +3 `, "m"));
    expect(await evaluated(LINES, "--origin", "nowhere")).toMatchObject({ exitCode: 2 });
    expect(await evaluated(LINES, "--origin", "user", "--origins")).toMatchObject({ exitCode: 2 });
  });

  test("streams each text and compares it with the whole one", async () => {
    verifies("scan.evaluation-rates");
    const { out, written } = await evaluated(MIXED, "--streamed");
    expect(out).toMatch(/^streamed, origin +texts/m);
    expect(out).toMatch(/^output +5 +3 +66\.7 %/m);
    expect(written).toMatchObject({
      streams: {
        compared: { findings: { count: 5, of: 5 }, enforced: { count: 5 }, leaves: { count: 5 }, differing: [] },
      },
    });
  });

  test("says what scores mean, for each type", async () => {
    verifies("scan.evaluation-scores");
    const { out, written } = await evaluated(MIXED, "--calibration");
    expect(out).toMatch(/^secret\.aws_access_key +from 0\.9 +\d+ +1\.00 +100\.0 %/m);
    expect(out).toMatch(/^pii\.email +0\.45–0\.95 +\d+ +100\.0 %/m);
    expect(written).toMatchObject({ calibration: { mix: { honest: 20_000 } } });
  });

  test("runs another program on the same samples, and matches alike", async () => {
    verifies("scan.evaluation-peers");
    // Reports the second word of each file of which the first is "use", as gitleaks reports a leak.
    const stand = `
      const { readdirSync, readFileSync, writeFileSync } = require("node:fs");
      const [what, folder] = process.argv.slice(2);
      if (what === "version") { console.log("8.0.0"); process.exit(0); }
      const leaks = readdirSync(folder).flatMap((file) => {
        const [use, Secret] = readFileSync(folder + "/" + file, "utf8").split(" ");
        return use === "use" ? [{ File: folder + "/" + file, StartLine: 1, Secret, RuleID: "word" }] : [];
      });
      writeFileSync(process.argv[process.argv.indexOf("--report-path") + 1], JSON.stringify(leaks));`;
    const look = { kind: "secret", id: "look", text: "use placeholders here", labels: [], label: "negative" };
    const { out, written } = await evaluatedWith({ gitleaks: stand }, [...MIXED, look], "--peers", "gitleaks");
    expect(out).toContain("gitleaks 8.0.0, on 2 samples");
    expect(out).toMatch(/^vendors' secrets found +1 +100\.0 % \(\S+\) +100\.0 %/m);
    expect(out).toMatch(/^look-alikes\D+1 +0\.0 % \(\S+\) +100\.0 %/m);
    expect(written).toMatchObject({ peers: [{ samples: 2, peer: { name: "gitleaks", version: "8.0.0" } }] });
  });

  test("names a program that is not there, and gives its own figures all the same", async () => {
    verifies("scan.evaluation-peers");
    const { exitCode, err, written } = await evaluated(MIXED, "--peers", "gitleaks,presidio");
    expect(err).toContain("gitleaks was not run: gitleaks is not on the PATH");
    expect(err).toContain("presidio was not run: python3 is not on the PATH");
    expect(exitCode).toBe(1);
    expect(written).toMatchObject({ samples: 5, peers: [] });
  });
});

describe("figures of the evaluation", () => {
  const counts = fc
    .integer({ min: 1, max: 5_000 })
    .chain((of) => fc.tuple(fc.integer({ min: 0, max: of }), fc.constant(of)));

  test("the interval holds the share, lies within 0 and 1, and is narrower for more texts", () => {
    verifies("scan.evaluation-rates");
    fc.assert(
      fc.property(counts, ([count, of]) => {
        const { share, low, high } = rateOf(count, of);
        if (share === null || low === null || high === null) throw new Error("no interval of some texts");
        expect(low >= 0 && low <= share && share <= high && high <= 1).toBe(true);
        const more = rateOf(count * 4, of * 4);
        expect((more.high ?? 1) - (more.low ?? 0)).toBeLessThan(high - low);
      }),
    );
    // Published values of Wilson's interval.
    expect(rateText(rateOf(8, 10))).toBe("80.0 % (49.0–94.3)");
    expect(rateText(rateOf(0, 20))).toBe("0.0 % (0.0–16.1)");
    expect(rateText(rateOf(0, 0))).toBe("–");
  });

  test.each([
    ["en", "Please explain what the following function does and rewrite it without the nested loop."],
    ["de", "Bitte behebe den Fehler in der folgenden Klasse und ergänze Tests für die Randfälle."],
    ["fr", "Quelle est la meilleure façon de versionner une interface publique pour les clients ?"],
    ["es", "¿Cómo puedo ver qué proceso usa un puerto en Linux y por qué no se cierra?"],
    ["it", "Qual è il modo più semplice per confrontare due cartelle che sono nella rete?"],
    ["pt", "Você pode explicar o que este comando faz antes de executar, e como ele usa os dados?"],
    ["nl", "Kun je de tabel hieronder omzetten naar een lijst met de namen die er in zijn?"],
    ["pl", "Jak mogę sprawdzić, które pliki się zmieniły, i czy to jest ostatnie wydanie?"],
    ["ru", "Напиши функцию, которая находит самое длинное слово в строке."],
    ["zh", "请写一个函数,读取日志文件并统计每种错误出现的次数。"],
    ["ja", "この関数のバグを直して、なぜ失敗するのか説明してください。"],
    ["ko", "이 함수의 오류를 고치고 이유를 설명해 주세요."],
    ["–", "const x = f(3) + g[17]; // 0x7f"],
    ["–", "AKIAQX7LZN2RVB4KTJ3M"],
  ])("the language of a text is told: %s", (lang, text) => {
    verifies("scan.evaluation-rates");
    expect(languageOf(text)).toBe(lang);
  });

  test("what streams and whole texts say differently is counted by type", () => {
    verifies("scan.evaluation-rates");
    const finding = {
      type: "pii.iban",
      category: "pii",
      detector: "pii.iban",
      start: 4,
      end: 26,
      score: 0.95,
      action: "redact",
    } as const;
    const text = "see DE89370400440532013000.";
    const same = { text: "plain", whole: [], streamed: { findings: [], left: "plain" } };
    const { findings, enforced, leaves, differing } = compared([
      same,
      { text, whole: [finding], streamed: { findings: [], left: text } },
    ]);
    expect([findings.count, enforced.count, leaves.count]).toEqual([1, 1, 1]);
    expect(differing).toEqual([{ type: "pii.iban", whole: 1, streamed: 0 }]);
  });
});

describe("docs/detection.md", () => {
  const page = readFileSync(join(ROOT, "docs/detection.md"), "utf8");
  const tables = page.slice(page.indexOf("## Results")).match(/^(?:\|.*\n)+/gm) ?? [];
  const cellsOf = (line: string): string[] =>
    line
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim());
  const FIGURE = /\d %|\b[01]\.\d/;

  test("each figure in a table says whether it is in-sample", () => {
    verifies("scan.in-sample");
    const withFigures = tables.filter((block) => FIGURE.test(block.split("\n").slice(2).join("\n")));
    expect(withFigures.length).toBeGreaterThan(10);
    for (const block of withFigures) {
      const [head = "", , ...rows] = block.trim().split("\n");
      const column = cellsOf(head).findIndex((name) => name.startsWith("In-sample"));
      const said = rows.map((row) => cellsOf(row)[column] ?? "nothing");
      const unclear = said.filter((cell) => !["yes", "no", "–", "rules yes, model no"].includes(cell));
      expect({ head, unclear }).toEqual({ head, unclear: [] });
    }
  });

  test("every flag type of the catalogue has a row that says what its scores mean", () => {
    verifies("scan.evaluation-scores");
    const typesIn = (name: string, column: number): string[] =>
      (PARTS.get(name) ?? "")
        .split("\n")
        .flatMap((line) => [...(cellsOf(line)[column] ?? "").matchAll(/`([a-z_.]+)`/g)].map(([, type = ""]) => type));
    const rows = typesIn("detection scores", 0);
    const types = typesIn("detectors", 1);
    expect(types.length).toBeGreaterThan(40);
    expect(types.filter((type) => !rows.includes(type))).toEqual([]);
  });
});

test("every target is told as what it is", () => {
  const nothing = measure([], COUNTERS);
  expect(new Set(judge(BARS, nothing).map(({ verdict }) => verdict))).toEqual(new Set(["not measured"]));
});
