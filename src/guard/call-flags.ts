import type { AuditFlag, Stage } from "#model/audit";
import type { Denial } from "#policy/profile/permits";
import type { Tainted } from "#policy/provenance/provenance";
import { ACTIONS } from "#scan/detector";
import type { Judged } from "#scan/scan";
import type { Slot } from "#scan/texts/text-walk";

/** Flags kept in one record; the rest only count. Keeps a hostile text from growing the log without end. */
const MAX_FLAGS = 100;
/** Of these, what neither side can take from the other: many findings in a question hide none in its answer. */
const MAX_FLAGS_PER_SIDE = MAX_FLAGS / 2;

export type FlaggedFinding = Judged | Tainted;
/** Where it was found. */
export type FlagPlace = Pick<Slot, "param" | "origin">;

/** What a call's record says was found: of too much what was done most about, in the order it was found. */
export class CallFlags {
  private readonly found: Readonly<Record<Stage, AuditFlag[]>> = { input: [], output: [] };
  /** The least strength among those kept, once the list is full. */
  private readonly weakest: Record<Stage, number> = { input: 0, output: 0 };

  /** Input first. What one side does not need of its half the other may use. */
  get list(): AuditFlag[] {
    const { input, output } = this.found;
    const answered = strongest(output, MAX_FLAGS - Math.min(input.length, MAX_FLAGS_PER_SIDE));
    return [...strongest(input, MAX_FLAGS - answered.length), ...answered];
  }

  add(findings: readonly FlaggedFinding[], { origin, param }: FlagPlace, stage: Stage): void {
    for (const finding of findings) {
      // A text of megabytes can have hundreds of thousands: most of them are settled here.
      if (!this.hasRoom(stage, finding)) continue;
      const { type, score, start, end, detector, action, would, layer, rule, tuned } = finding;
      const source = "source" in finding ? { source: finding.source } : undefined;
      const by = layer === undefined ? undefined : { layer, rule };
      const meant = { ...(would && { would }), ...(tuned && { tuned }) };
      this.put({ type, score, start, end, detector, action, ...meant, origin, param, ...source, ...by }, stage);
    }
  }

  /** A refusal that a profile in monitor mode only watches. */
  watched({ layer, rule }: Denial, type: string, param: string, stage: Stage): void {
    const place = { score: 1, start: 0, end: 0, origin: "user", param } as const;
    const flag: AuditFlag = { type, ...place, detector: "profile", action: "flag", would: "block", layer, rule };
    this.put(flag, stage);
  }

  private hasRoom(stage: Stage, flag: Pick<AuditFlag, "action">): boolean {
    return this.found[stage].length < MAX_FLAGS || strengthOf(flag) > this.weakest[stage];
  }

  /** When there are too many, the last of the weakest goes. */
  private put(flag: AuditFlag, stage: Stage): void {
    if (!this.hasRoom(stage, flag)) return;
    const found = this.found[stage];
    if (found.length >= MAX_FLAGS) {
      found.splice(
        found.findLastIndex((one) => strengthOf(one) === this.weakest[stage]),
        1,
      );
    }
    found.push(flag);
    if (found.length >= MAX_FLAGS) this.weakest[stage] = Math.min(...found.map(strengthOf));
  }
}

const strengthOf = ({ action }: Pick<AuditFlag, "action">): number => ACTIONS.indexOf(action);

/** So many of them, in their order. */
const strongest = (flags: readonly AuditFlag[], most: number): readonly AuditFlag[] => {
  if (flags.length <= most) return flags;
  const kept = new Set(flags.toSorted((one, other) => strengthOf(other) - strengthOf(one)).slice(0, most));
  return flags.filter((flag) => kept.has(flag));
};
