import type { Detector, Origin } from "./detector";
import type { CompiledPolicy } from "./policy";
import type { Judged } from "./scan";

/** The text of a JSON field. Verdicts are remembered by text alone, so that the name is looked at after the scan. */
type FieldText = { readonly field?: string; readonly text: string; readonly origin: Origin };

/** What is found in a text, where the name of the field that it is the value of has a say in it. */
export function inField(policy: CompiledPolicy, findings: readonly Judged[], place: FieldText): readonly Judged[] {
  const { field, text, origin } = place;
  if (field === undefined || findings.length === 0) return findings;
  return findings.flatMap((finding) => {
    if (finding.start !== 0 || finding.end !== text.length) return [finding];
    const score = scoreIn(policy.detectors, finding, field);
    if (score === finding.score) return [finding];
    const { type, category, detector, start, end } = finding;
    const verdict = policy.verdict(origin, type, score);
    return verdict.action === "allow" ? [] : [{ type, category, detector, start, end, score, ...verdict }];
  });
}

function scoreIn(detectors: readonly Detector[], { detector, score }: Judged, field: string): number {
  const found = detectors.find(({ id }) => id === detector);
  return found?.inField?.(score, field) ?? score;
}
