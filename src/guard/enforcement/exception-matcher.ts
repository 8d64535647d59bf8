import { comparableForm, comparableFormInSlices, FORM_BLOCK } from "#model/kept-content";
import type { Pause } from "#platform/slices";
import { type ExceptionPlace, Exceptions } from "#policy/tuning/exceptions";
import type { TuningRule } from "#policy/tuning/rule";
import type { CompiledPolicy } from "#scan/policy";
import type { Judged } from "#scan/scan";

type ExceptionMatcherNeeds = {
  readonly hashOf: (text: string) => string;
  readonly fits: (pattern: string, text: string) => boolean;
};

/** What tuning makes of the findings of one subject's calls. */
export class ExceptionMatcher {
  private readonly exceptions: Exceptions;

  constructor(
    /** Those in force, the oldest first. */
    readonly rules: readonly TuningRule[],
    /** The policy revision at which the subject's tuning last changed; null for none ever. */
    readonly revision: number | null,
    deps: ExceptionMatcherNeeds,
  ) {
    this.exceptions = new Exceptions(rules, deps);
  }

  get isIdle(): boolean {
    return this.exceptions.isEmpty;
  }

  /** Of a whole text. */
  amend(policy: CompiledPolicy, findings: readonly Judged[], place: ExceptionPlace, text: string): readonly Judged[] {
    if (this.isIdle || findings.length === 0) return findings;
    return findings.map(this.amending(policy, place, text));
  }

  /** The same for many findings, in slices. */
  async amendInSlices(
    policy: CompiledPolicy,
    findings: readonly Judged[],
    { place, text, pause }: { readonly place: ExceptionPlace; readonly text: string; readonly pause: Pause },
  ): Promise<readonly Judged[]> {
    if (this.isIdle || findings.length === 0) return findings;
    const amended: Judged[] = [];
    const form =
      text.length > FORM_BLOCK && this.exceptions.readsTexts ? await comparableFormInSlices(text, pause) : null;
    const amend = this.amending(policy, place, text, form);
    for (const finding of findings) {
      amended.push(amend(finding));
      const wait = pause();
      if (wait) await wait;
    }
    return amended;
  }

  /** `form`: the text's comparable form where it is known. */
  private amending(policy: CompiledPolicy, place: ExceptionPlace, text: string, form: string | null = null): Amending {
    const whole = once(() => form ?? comparableForm(text));
    return (finding) =>
      this.exceptions.amended(policy, finding, {
        ...place,
        match: once(() => comparableForm(text.slice(finding.start, finding.end))),
        text: whole,
      });
  }

  /** Of a stream, which knows no whole text: `value` is what was found, null while its end is not known. */
  amendOne(policy: CompiledPolicy, finding: Judged, place: ExceptionPlace, value: string | null): Judged {
    if (this.isIdle) return finding;
    const match = value === null ? null : once(() => comparableForm(value));
    return this.exceptions.amended(policy, finding, { ...place, match, text: null });
  }
}

type Amending = (finding: Judged) => Judged;

const once = (work: () => string): (() => string) => {
  let known: string | null = null;
  return () => {
    known ??= work();
    return known;
  };
};
