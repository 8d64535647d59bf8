import type { ExceptionMatcher } from "#guard/enforcement/exception-matcher";
import type { TextScan } from "#guard/text-scan";
import { type Pause, slices } from "#platform/slices";
import type { ExceptionPlace } from "#policy/tuning/exceptions";
import type { Action, Origin } from "#scan/detector";
import { type Golden, goldenSamples } from "#scan/golden";
import { type CompiledPolicy, isEnforced } from "#scan/policy";
import { strictest } from "#scan/scan";

/** A scanner as one subject's calls meet it. */
export type RehearsalJudging = { readonly policy: CompiledPolicy; readonly exceptionMatcher: ExceptionMatcher };

/** How texts are scanned, and how long work gives way to calls. */
export type Trial = { readonly scan: TextScan; readonly pause: Pause };

export const beginTrial = (scan: TextScan): Trial => ({ scan, pause: slices.begin() });

/** What is done about a text. */
export const actionOn = async (
  { scan, pause }: Trial,
  judging: RehearsalJudging,
  text: string,
  place: ExceptionPlace,
): Promise<Action> => {
  const { policy, exceptionMatcher } = judging;
  const wait = pause();
  if (wait) await wait;
  const { findings } = await scan(policy, text, place.origin);
  const amended = await exceptionMatcher.amendInSlices(policy, findings, { place, text, pause });
  return strictest(amended.map(({ action }) => action));
};

/** Where samples stand: in no context an exception could name. */
const paramOf = (origin: Origin): string => `golden.${origin}`;

/** Golden samples a change would break: caught ones that would pass, harmless ones that would be caught. */
export const brokenBy = async (
  trial: Trial,
  before: RehearsalJudging,
  after: RehearsalJudging,
  samples: readonly Golden[] = goldenSamples(),
): Promise<string[]> => {
  const broken: string[] = [];
  for (const { name, origin, text, is } of samples) {
    const place = { origin, param: paramOf(origin) };
    const was = isEnforced(await actionOn(trial, before, text, place));
    const wouldBe = isEnforced(await actionOn(trial, after, text, place));
    if (was !== wouldBe && was === (is === "caught")) broken.push(name);
  }
  return broken;
};
