import type { Action, Origin } from "#core/scan/detector";
import { type Golden, goldenSamples } from "#core/scan/golden";
import { type CompiledPolicy, isEnforced } from "#core/scan/policy";
import { strictest } from "#core/scan/scan";
import type { Place } from "#core/tuning/exceptions";
import type { TextScan } from "#engine/text-scan";
import type { Tuner } from "#engine/tuning/tuner";
import { type Pause, slices } from "#platform/slices";

/** A scanner as one subject's calls meet it. */
export type Judging = { readonly policy: CompiledPolicy; readonly tuner: Tuner };

/** How texts are scanned, and how long work gives way to calls. */
export type Trial = { readonly scan: TextScan; readonly pause: Pause };

export const beginTrial = (scan: TextScan): Trial => ({ scan, pause: slices.begin() });

/** What is done about a text. */
export const actionOn = async (
  { scan, pause }: Trial,
  judging: Judging,
  text: string,
  place: Place,
): Promise<Action> => {
  const { policy, tuner } = judging;
  const wait = pause();
  if (wait) await wait;
  const { findings } = await scan(policy, text, place.origin);
  const amended = await tuner.amendInSlices(policy, findings, { place, text, pause });
  return strictest(amended.map(({ action }) => action));
};

/** Where samples stand: in no context an exception could name. */
const paramOf = (origin: Origin): string => `golden.${origin}`;

/** Golden samples a change would break: caught ones that would pass, harmless ones that would be caught. */
export const brokenBy = async (
  trial: Trial,
  before: Judging,
  after: Judging,
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
