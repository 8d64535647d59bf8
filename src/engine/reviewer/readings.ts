import { canaryFor, isWrong } from "#core/reviewer/canary";
import type { Mask } from "#core/reviewer/mask";
import { type Evidence, maskedEvidence, PASSES, promptFor } from "#core/reviewer/prompt";
import type { Reading } from "#core/reviewer/reply";
import { verdictOf } from "#core/reviewer/verdict";
import type { ReadingOf, ReportReader } from "./reading";
import type { TrackRecord } from "./track-record";

/** Why a report is not read by the model. */
export type NotRead = "reviewer_paused" | "budget_spent" | "too_long" | "unmaskable";

type Deps = {
  readonly reader: Pick<ReportReader, "read">;
  readonly track: TrackRecord;
  /** Takes secrets out of what leaves the hub. */
  readonly mask: Mask;
  /** 128 bits, in hexadecimal. */
  readonly nonce: () => string;
  /** The reviewer got a known case wrong. */
  readonly onUntrusted: (canary: string) => Promise<void>;
};

/** Two readings of one report, if the reviewer is to be trusted and there is budget left. */
export class Readings {
  constructor(private readonly deps: Deps) {}

  /** Throws what a reading throws. */
  async of(reportId: string, evidence: Evidence, signal: AbortSignal): Promise<Reading | NotRead> {
    const { track } = this.deps;
    if (await track.isPaused()) return "reviewer_paused";
    const due = await track.begin();
    if (due !== null) {
      const outcome = await this.trial(due, signal);
      if (outcome !== "passed") return outcome;
    }
    return this.twice("report", reportId, evidence, signal);
  }

  /** Asks what is known. */
  private async trial(taken: number, signal: AbortSignal): Promise<"passed" | NotRead> {
    const canary = canaryFor(taken);
    if (!canary) return "passed";
    const given = await this.twice("canary", canary.name, canary.evidence, signal);
    if (typeof given === "string") return given;
    const wrong = isWrong(canary, given.verdict);
    await this.deps.track.canary(wrong);
    if (!wrong) return "passed";
    await this.deps.onUntrusted(canary.name);
    return "reviewer_paused";
  }

  private async twice(
    subject: ReadingOf["subject"],
    id: string,
    evidence: Evidence,
    signal: AbortSignal,
  ): Promise<Reading | NotRead> {
    const { mask, nonce, reader, track } = this.deps;
    const masked = maskedEvidence(evidence, mask);
    if (!masked) return "unmaskable";
    const prompts = PASSES.map((pass) => ({ pass, messages: promptFor(masked, pass, nonce()) }));
    if (prompts.some(({ messages }) => messages === null)) return "too_long";
    if (!(await track.spend(prompts.length))) return "budget_spent";
    const readings = await allEnded(
      prompts.map(({ pass, messages }) => reader.read({ subject, id, pass }, messages ?? [], signal)),
    );
    return readings.reduce(verdictOf);
  }
}

/** As `Promise.all`, but none is left under way when it rejects. */
const allEnded = async <T>(works: readonly Promise<T>[]): Promise<T[]> => {
  await Promise.allSettled(works);
  return Promise.all(works);
};
