import type { Coverage, Stage } from "#model/audit";
import type { Usage } from "#model/model-api";

const MAX_GAPS = 50;

type Tally = { texts: number; chars: number; cached: number; unscanned: { param: string; reason: string }[] };

/** What was looked at of a call, and what was not. */
export class ScanCoverage {
  readonly input: Tally = { texts: 0, chars: 0, cached: 0, unscanned: [] };
  readonly output: Tally = { texts: 0, chars: 0, cached: 0, unscanned: [] };

  count(stage: Stage, chars: number, cached = false): void {
    const looked = this[stage];
    looked.texts += 1;
    looked.chars += chars;
    if (cached) looked.cached += 1;
  }

  /** Each once: a stream has the same one in many chunks. */
  gap(stage: Stage, param: string, reason: string): void {
    const { unscanned } = this[stage];
    if (unscanned.length >= MAX_GAPS || unscanned.some((one) => one.param === param && one.reason === reason)) return;
    unscanned.push({ param, reason });
  }

  get facts(): Readonly<Record<Stage, Coverage>> {
    return { input: this.input, output: this.output };
  }
}

/** About as many characters make a token of English; other languages make more tokens of fewer. */
const CHARS_A_TOKEN = 4;

/** Where a provider reports no usage, nearly what it was: an answer is not free because nobody counted it. */
export const tokensUsed = (usage: Usage | null, { input, output }: Pick<ScanCoverage, Stage>): number =>
  usage?.total_tokens ?? Math.ceil((input.chars + output.chars) / CHARS_A_TOKEN);
