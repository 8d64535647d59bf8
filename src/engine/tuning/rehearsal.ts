import type { Action, Origin } from "#core/scan/detector";
import { type Golden, goldenSamples } from "#core/scan/golden";
import { type CompiledPolicy, isEnforced } from "#core/scan/policy";
import { scanText, strictest } from "#core/scan/scan";
import type { Place } from "#core/tuning/exceptions";
import type { Tuner } from "#engine/tuning/tuner";

/** A scanner as one subject's calls meet it. */
export type Judging = { readonly policy: CompiledPolicy; readonly tuner: Tuner };

/** What is done about a text. */
export const actionOn = ({ policy, tuner }: Judging, text: string, place: Place): Action => {
  const { findings } = scanText(policy, text, place.origin);
  return strictest(tuner.amend(policy, findings, place, text).map(({ action }) => action));
};

/** Where samples stand: in no context an exception could name. */
const paramOf = (origin: Origin): string => `golden.${origin}`;

/** Golden samples a change would break: caught ones that would pass, harmless ones that would be caught. */
export const brokenBy = (before: Judging, after: Judging, samples: readonly Golden[] = goldenSamples()): string[] =>
  samples.flatMap(({ name, origin, text, is }) => {
    const place = { origin, param: paramOf(origin) };
    const was = isEnforced(actionOn(before, text, place));
    const wouldBe = isEnforced(actionOn(after, text, place));
    return was !== wouldBe && was === (is === "caught") ? [name] : [];
  });
