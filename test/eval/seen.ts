import { DEFAULT_POLICY } from "#scan/defaults";
import type { Finding, Origin } from "#scan/detector";
import { DETECTORS } from "#scan/detectors/index";
import { type CompiledPolicy, compilePolicy, isEnforced } from "#scan/policy";
import { type Judged, scanText } from "#scan/scan";
import { answers, isRegisterNumber } from "./label-types";
import type { Label, Sample } from "./record";

export type Seen = {
  readonly sample: Sample;
  readonly origin: Origin;
  /** Everything any detector claimed about it, whatever the score. */
  readonly findings: readonly Finding[];
  /** What the built-in policy makes of it. */
  readonly judged: readonly Judged[];
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

/** `onScanned` is told after each how many there are. */
export function scanSamples(samples: readonly Sample[], onScanned: (count: number) => void = () => {}): Seen[] {
  const policy = builtIn();
  const everything = compilePolicy(
    { ...DEFAULT_POLICY, rules: CATEGORIES.map((type) => ({ type, thresholds: { flag: 0 } })) },
    0,
    DETECTORS,
  );
  return samples.map((sample, at) => {
    const { text } = sample;
    const origin = originOf(sample);
    const { findings } = scanText(everything, text, origin);
    const { findings: judged } = scanText(policy, text, origin);
    onScanned(at + 1);
    return { sample, origin, findings, judged };
  });
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
