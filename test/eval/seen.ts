import { DEFAULT_POLICY } from "#scan/defaults";
import type { Finding, Origin } from "#scan/detector";
import { DETECTORS } from "#scan/detectors/index";
import { type CompiledPolicy, compilePolicy, isEnforced } from "#scan/policy";
import { type Judged, scanText } from "#scan/scan";
import { answers, isRegisterNumber } from "./label-types";
import { Random } from "./random";
import type { Label, Sample } from "./record";
import { type Compared, compared, streamText } from "./streamed";

export type Seen = {
  readonly sample: Sample;
  readonly origin: Origin;
  /** Everything any detector claimed about it, whatever the score. */
  readonly findings: readonly Finding[];
  /** What the built-in policy makes of it. */
  readonly judged: readonly Judged[];
  /** Of one scan under the built-in policy; undefined where no time was taken. */
  readonly micros: number | undefined;
};

/** Which findings are meant: all the built-in policy records, those it redacts or blocks, or all from a score on. */
export type Counting = (seen: Seen) => readonly Finding[];

export const recorded: Counting = ({ judged }) => judged;

export const enforced: Counting = ({ judged }) => judged.filter(({ action }) => isEnforced(action));

export const scoredFrom =
  (least: number): Counting =>
  ({ findings }) =>
    findings.filter(({ score }) => score >= least);

const CATEGORIES = ["pii", "secret", "injection", "tool", "custom"];

export const builtIn = (): CompiledPolicy => compilePolicy(DEFAULT_POLICY, 1, DETECTORS);

type ScanChoices = {
  /** Instead of the origin that the file's name tells. */
  readonly origin?: Origin | ((sample: Sample, at: number) => Origin) | undefined;
  /** Take the time of each text too. */
  readonly timed?: boolean;
  /** Leave out claims that the built-in policy does not record. */
  readonly recordedOnly?: boolean;
  /** Told after each how many there are. */
  readonly onScanned?: (count: number) => void;
};

/** Scans of a text of which the least counts: what else the machine does only adds. */
const TIMED = 3;

export function scanSamples(samples: readonly Sample[], choices: ScanChoices = {}): Seen[] {
  const policy = builtIn();
  const chosen = choices.origin ?? originOf;
  const everything = compilePolicy(
    { ...DEFAULT_POLICY, rules: CATEGORIES.map((type) => ({ type, thresholds: { flag: 0 } })) },
    0,
    DETECTORS,
  );
  return samples.map((sample, at) => {
    const { text } = sample;
    const origin = typeof chosen === "string" ? chosen : chosen(sample, at);
    const { findings: judged } = scanText(policy, text, origin);
    const findings = choices.recordedOnly ? judged : scanText(everything, text, origin).findings;
    choices.onScanned?.(at + 1);
    const micros = choices.timed ? leastMicros(() => scanText(policy, text, origin)) : undefined;
    return { sample, origin, findings, judged, micros };
  });
}

/** The time of the fastest of some runs. Microseconds. */
function leastMicros(work: () => unknown): number {
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < TIMED; run++) {
    const began = performance.now();
    work();
    least = Math.min(least, performance.now() - began);
  }
  return least * 1000;
}

/** The same samples as answers that come in pieces. */
export function streamSamples(seen: readonly Seen[], origin: Origin): { streamed: Seen[]; compared: Compared } {
  const policy = builtIn();
  const all = seen.map((one) => {
    const { text } = one.sample;
    const stream = () => streamText(policy, text, origin, new Random(text.length));
    const streamed = stream();
    const { findings } = streamed;
    return {
      text,
      whole: scanText(policy, text, origin).findings,
      streamed,
      seen: { sample: one.sample, origin, findings, judged: findings, micros: leastMicros(stream) },
    };
  });
  return { streamed: all.map((one) => one.seen), compared: compared(all) };
}

/** What tries to instruct from within a document came from a tool; all else a person wrote. */
const originOf = ({ file }: Sample): Origin => (file.includes("indirect") ? "tool_result" : "user");

type Span = { readonly start: number; readonly end: number };

const shared = (one: Span, other: Span): number =>
  Math.max(0, Math.min(one.end, other.end) - Math.max(one.start, other.start));

export const overlap = (one: Span, other: Span): boolean => shared(one, other) > 0;

/** Half of what both cover together is covered by both. */
export function match(one: Span, other: Span): boolean {
  const common = shared(one, other);
  return common > 0 && common / (one.end - one.start + other.end - other.start - common) >= 0.5;
}

export const isFound = (label: Label, findings: readonly Finding[], fits = overlap): boolean =>
  findings.some((finding) => answers(finding, label.type) && fits(finding, label));

/** The claims that are wrong in a text which is negative for its kind. */
export function alarms({ sample }: Seen, findings: readonly Finding[]): Finding[] {
  if (sample.kind === "benign") return findings.filter(({ category }) => category !== "pii");
  // An invalid number of one register, in neutral words: it may still look like, say, a telephone number.
  if (sample.kind === "pii" && "negative_for" in sample.meta) return findings.filter(isRegisterNumber);
  return findings.filter(({ category }) => category === sample.kind);
}
