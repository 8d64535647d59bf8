import { comparableForm } from "#core/kept-content";
import type { CompiledPolicy } from "#core/scan/policy";
import type { Judged } from "#core/scan/scan";
import { Exceptions, type Place } from "#core/tuning/exceptions";
import type { TuningRule } from "#core/tuning/rule";
import type { Pause } from "#platform/slices";

type Deps = {
  readonly hashOf: (text: string) => string;
  readonly fits: (pattern: string, text: string) => boolean;
};

/** What tuning makes of the findings of one subject's calls. */
export class Tuner {
  private readonly exceptions: Exceptions;

  constructor(
    /** Those in force, the oldest first. */
    readonly rules: readonly TuningRule[],
    /** The policy revision at which the subject's tuning last changed; null for none ever. */
    readonly revision: number | null,
    deps: Deps,
  ) {
    this.exceptions = new Exceptions(rules, deps);
  }

  get isIdle(): boolean {
    return this.exceptions.isEmpty;
  }

  /** Of a whole text. */
  amend(policy: CompiledPolicy, findings: readonly Judged[], place: Place, text: string): readonly Judged[] {
    if (this.isIdle || findings.length === 0) return findings;
    return findings.map(this.amending(policy, place, text));
  }

  /** The same for many findings, in slices. */
  async amendInSlices(
    policy: CompiledPolicy,
    findings: readonly Judged[],
    { place, text, pause }: { readonly place: Place; readonly text: string; readonly pause: Pause },
  ): Promise<readonly Judged[]> {
    if (this.isIdle || findings.length === 0) return findings;
    const amended: Judged[] = [];
    const amend = this.amending(policy, place, text);
    for (const finding of findings) {
      amended.push(amend(finding));
      const wait = pause();
      if (wait) await wait;
    }
    return amended;
  }

  private amending(policy: CompiledPolicy, place: Place, text: string): (finding: Judged) => Judged {
    const whole = once(() => comparableForm(text));
    return (finding) =>
      this.exceptions.amended(policy, finding, {
        ...place,
        match: once(() => comparableForm(text.slice(finding.start, finding.end))),
        text: whole,
      });
  }

  /** Of a stream, which knows no whole text: `value` is what was found, null while its end is not known. */
  amendOne(policy: CompiledPolicy, finding: Judged, place: Place, value: string | null): Judged {
    if (this.isIdle) return finding;
    const match = value === null ? null : once(() => comparableForm(value));
    return this.exceptions.amended(policy, finding, { ...place, match, text: null });
  }
}

const once = (work: () => string): (() => string) => {
  let known: string | null = null;
  return () => {
    known ??= work();
    return known;
  };
};
