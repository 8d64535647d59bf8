import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isRecord, parseJson } from "#core/json/json";
import { DEFAULT_POLICY } from "#scan/defaults";
import type { Category, Finding } from "#scan/detector";
import { ruleFor } from "#scan/policy";
import type { Sample } from "./record";

/** Programs of others that are run on the same samples where they are installed. */
export const PEERS = ["gitleaks", "presidio"] as const;
export type PeerName = (typeof PEERS)[number];

/** What a program found, by the place of the sample in the list, and what that took. */
export type PeerRun = {
  readonly name: PeerName;
  readonly version: string;
  readonly findings: readonly (readonly Finding[])[];
  /** CPU of all its threads, without its start where it says so. Seconds. */
  readonly seconds: number;
};

/** Throws an Error that says what is missing. */
export async function runPeer(name: PeerName, samples: readonly Sample[]): Promise<PeerRun> {
  const folder = mkdtempSync(join(tmpdir(), "guardhouse-peer-"));
  try {
    return name === "gitleaks" ? await runGitleaks(folder, samples) : await runPresidio(folder, samples);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const MICRO = 1e-6;

function outputOf(command: readonly string[]): { readonly out: string; readonly seconds: number } {
  const { exitCode, stdout, stderr, resourceUsage } = Bun.spawnSync([...command]);
  if (exitCode !== 0) throw new Error(`${command[0]} ended with ${exitCode}: ${stderr.toString().trim().slice(-400)}`);
  return { out: stdout.toString(), seconds: Number(resourceUsage?.cpuTime.total ?? 0) * MICRO };
}

function installed(program: string): string {
  const path = Bun.which(program);
  if (path === null) throw new Error(`${program} is not on the PATH`);
  return path;
}

const findingOf = (type: string, category: Category, start: number, end: number, score: number): Finding => ({
  type,
  category,
  detector: type,
  start,
  end,
  score,
});

/** Each sample is a file, read with its own rules; what it found is looked for from the line it names on. */
async function runGitleaks(folder: string, samples: readonly Sample[]): Promise<PeerRun> {
  const program = installed("gitleaks");
  const texts = join(folder, "texts");
  const report = join(folder, "report.json");
  mkdirSync(texts);
  for (const [at, { text }] of samples.entries()) await Bun.write(join(texts, `${at}.txt`), text);
  const flags = ["--report-format", "json", "--report-path", report, "--exit-code", "0", "--no-banner"];
  const { seconds } = outputOf([program, "dir", texts, ...flags, "--log-level", "error"]);
  const findings: Finding[][] = samples.map(() => []);
  const leaks: unknown = await Bun.file(report).json();
  for (const leak of Array.isArray(leaks) ? leaks : []) {
    const { File: file, StartLine: line, Secret: secret, RuleID: rule } = isRecord(leak) ? leak : {};
    const at = Number(/(\d+)\.txt$/.exec(String(file))?.[1]);
    const text = samples[at]?.text;
    if (text === undefined || typeof secret !== "string") throw new Error("gitleaks reports a file that is not ours");
    const from = lineStart(text, Number(line));
    const place = text.indexOf(secret, from);
    // What it decoded stands nowhere as it is: then its line counts.
    const start = place < 0 ? from : place;
    const end = place < 0 ? lineStart(text, Number(line) + 1) : place + secret.length;
    findings[at]?.push(findingOf(`secret.${String(rule)}`, "secret", start, end, 1));
  }
  return { name: "gitleaks", version: gitleaksVersion(program), findings, seconds };
}

/** One built from its module does not know its version itself. */
function gitleaksVersion(program: string): string {
  const said = outputOf([program, "version"]).out.trim();
  if (/\d/.test(said) || Bun.which("go") === null) return said;
  return /\bmod\s+\S+\s+v(\S+)/.exec(outputOf(["go", "version", "-m", program]).out)?.[1] ?? said;
}

/** Where a line begins, of lines counted from 1; the text's end for those behind the last. */
function lineStart(text: string, line: number): number {
  let at = 0;
  for (let count = 1; count < line; count++) {
    const end = text.indexOf("\n", at);
    if (end < 0) return text.length;
    at = end + 1;
  }
  return at;
}

/** Its entities by our flag types. All others are numbers that a state or a register gave out. */
const ENTITIES: Readonly<Record<string, string>> = {
  PERSON: "pii.name",
  LOCATION: "pii.location",
  DATE_TIME: "pii.date_of_birth",
  EMAIL_ADDRESS: "pii.email",
  PHONE_NUMBER: "pii.phone",
  CREDIT_CARD: "pii.credit_card",
  IBAN_CODE: "pii.iban",
  IP_ADDRESS: "pii.ip",
  MAC_ADDRESS: "pii.mac_address",
  CRYPTO: "pii.crypto_address",
  US_SSN: "pii.us_ssn",
};

/** What no label here is about. */
const NO_GOALS: readonly string[] = ["URL", "US_BANK_NUMBER", "NRP", "ORGANIZATION", "AGE", "TITLE"];

async function runPresidio(folder: string, samples: readonly Sample[]): Promise<PeerRun> {
  const texts = join(folder, "texts.jsonl");
  await Bun.write(texts, samples.map(({ text }, at) => `${JSON.stringify({ id: at, text })}\n`).join(""));
  const { out } = outputOf([installed("python3"), join(import.meta.dir, "presidio.py"), texts]);
  const [first, ...lines] = out.trim().split("\n").map(parseJson);
  if (!isRecord(first)) throw new Error("Presidio said nothing");
  const findings = lines.map((line): Finding[] => {
    const spans = isRecord(line) && Array.isArray(line["spans"]) ? line["spans"] : [];
    return spans.flatMap((span) => (isRecord(span) ? presidioFinding(span) : []));
  });
  return {
    name: "presidio",
    version: `${String(first["version"])}, ${String(first["model"])}`,
    findings,
    seconds: Number(first["seconds"]),
  };
}

/** The built-in policy's own line for personal data: a finding below it is recorded on neither side. */
const MIN_SCORE = ruleFor(DEFAULT_POLICY.rules, "pii", "user")?.thresholds.flag ?? 0;

function presidioFinding({ type, start, end, score }: Readonly<Record<string, unknown>>): Finding[] {
  const entity = String(type);
  if (NO_GOALS.includes(entity) || Number(score) < MIN_SCORE) return [];
  const flag = ENTITIES[entity] ?? `pii.national_id.${entity.toLowerCase()}`;
  return [findingOf(flag, "pii", Number(start), Number(end), Number(score))];
}
