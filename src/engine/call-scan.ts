import type { Provenance, Tainted } from "#core/provenance";
import type { Action } from "#core/scan/detector";
import { type Judged, type Labels, redactInSlices, redactText, type Scan, strictest } from "#core/scan/scan";
import { isEnvelope, type Slot, type Texts } from "#core/text-walk";
import type { CallContent } from "#engine/call-content";
import type { Found, Place } from "#engine/call-flags";
import { type CoverageTally, isToolInput, type Stage } from "#engine/call-notes";
import type { Rules } from "#engine/governance/governor";
import type { GuardDeps } from "#engine/guard-deps";
import { Judging } from "#engine/judging";
import { isLong, scanLong } from "#engine/long-scan";
import { type Pause, slices } from "#platform/slices";

/** What scanning needs of a call. */
export type ScannedCall = {
  readonly id: string;
  readonly rules: Rules;
  readonly labels: Labels;
  readonly content: CallContent;
  readonly coverage: CoverageTally;
  readonly provenance: Provenance | null;
  readonly signal: (() => AbortSignal) | null;
  record(findings: readonly Found[], where: Place, stage?: Stage): Action;
  report(findings: readonly Found[], where: Place, stage: Stage): void;
  noteTaint(param: string): void;
  blocked(stage: Stage, param: string, findings: readonly Judged[]): Error;
  scannerFailed(cause: unknown): Error;
  spend(guardMs: number, stage?: Stage): void;
};

type Probed = Pick<Slot, "text" | "origin" | "param">;

const hasToolInput = (slots: readonly Slot[]): boolean => slots.some(({ param }) => isToolInput(param));

/** Scans a call's texts: short ones where they are and at once, long ones in the scan pool. The outcome is the same. */
export class CallScan {
  constructor(
    private readonly deps: Pick<GuardDeps, "scanner" | "log">,
    private readonly call: ScannedCall,
    /** Whose turn it is among the callers whose texts are long. */
    private readonly caller: string,
  ) {}

  scan(texts: Texts, stage: Stage): boolean | Promise<boolean> {
    const { slots } = texts;
    if (isLong(slots)) return this.scanLong(texts, slots, stage);
    if (!this.isUnprepared || stage !== "output" || !hasToolInput(slots)) return this.scanAtOnce(texts, stage, slots);
    return this.prepare(slices.begin()).then(() => this.scanAtOnce(texts, stage, slots));
  }

  /** Whether the provenance of tool calls' arguments is long work that was not done yet. */
  get isUnprepared(): boolean {
    const { provenance, rules } = this.call;
    return provenance?.isUnprepared(rules.policy) ?? false;
  }

  /** Does that work in slices. Throws `guard_unavailable`. */
  async prepare(pause: Pause): Promise<void> {
    const { call } = this;
    const begin = performance.now();
    try {
      await call.provenance?.prepare(pause);
    } catch (error) {
      throw call.scannerFailed(error);
    } finally {
      call.spend(performance.now() - begin, "output");
    }
  }

  scanAtOnce(texts: Texts, stage: Stage, slots: readonly Slot[] = texts.slots): boolean {
    const { call } = this;
    const begin = performance.now();
    let changed = texts.isRewritten === true;
    try {
      for (const gap of texts.gaps) call.coverage.gap(stage, gap.param, gap.reason);
      const watched = call.content.watch(stage, slots);
      const { judging } = this;
      for (const slot of watched) {
        const { scan, cached } = judging.judge(slot);
        if (!isEnvelope(slot)) call.coverage.look(stage, slot.text.length, cached);
        const spans = this.decide(slot, scan, stage);
        if (spans === null) continue;
        slot.replace(redactText(slot.text, spans, call.labels));
        changed = true;
      }
      texts.settle?.();
      call.content.passed(watched);
    } finally {
      call.spend(performance.now() - begin, stage);
    }
    return changed;
  }

  private async scanLong(texts: Texts, slots: readonly Slot[], stage: Stage): Promise<boolean> {
    const { call, judging } = this;
    if (this.isUnprepared && stage === "output" && hasToolInput(slots)) await this.prepare(slices.begin());
    const begin = performance.now();
    let changed = texts.isRewritten === true;
    try {
      for (const gap of texts.gaps) call.coverage.gap(stage, gap.param, gap.reason);
      const watched = call.content.watch(stage, slots);
      await scanLong(watched, {
        ...this.longScan,
        // An answer was paid for already.
        isRefusable: stage === "input",
        settle: async (slot, verdict, pause) => {
          const { scan, cached } = await judging.amend(verdict, slot, pause);
          if (!isEnvelope(slot)) call.coverage.look(stage, slot.text.length, cached);
          const spans = this.decide(slot, scan, stage);
          if (spans === null) return;
          slot.replace(await redactInSlices(slot.text, spans, call.labels, pause));
          changed = true;
        },
      });
      texts.settle?.();
      call.content.passed(watched);
    } finally {
      call.spend(performance.now() - begin, stage);
    }
    return changed;
  }

  /** What the policy makes of a text that goes nowhere. */
  probe(slot: Probed): readonly Judged[] | Promise<readonly Judged[]> {
    const { call, judging } = this;
    const begin = performance.now();
    const note = ({ scan, cached }: { scan: Scan; cached: boolean }) => {
      call.spend(performance.now() - begin, "input");
      call.coverage.look("input", slot.text.length, cached);
      if (scan.unscanned) call.coverage.gap("input", slot.param, scan.unscanned.reason);
      call.report(scan.findings, slot, "input");
      return scan.findings;
    };
    if (!isLong([slot])) return note(judging.judge(slot));
    let findings: readonly Judged[] = [];
    const scanned = scanLong([slot], {
      ...this.longScan,
      isRefusable: true,
      settle: async (_, verdict, pause) => {
        findings = note(await judging.amend(verdict, slot, pause));
      },
    });
    return scanned.then(() => findings);
  }

  private get judging(): Judging {
    return new Judging(this.deps, this.call.rules, this.call.id);
  }

  private get longScan() {
    const { call, caller, deps } = this;
    return { scanner: deps.scanner, policy: call.rules.policy, caller, signal: call.signal?.() ?? null };
  }

  /** What is to be redacted in a text; null for nothing. Throws `content_filter` for a block. */
  private decide(slot: Slot, scan: Scan, stage: Stage): readonly Judged[] | null {
    const { call } = this;
    const { param } = slot;
    const tainted = this.taint(slot, stage);
    if (scan.unscanned) call.coverage.gap(stage, param, scan.unscanned.reason);
    if (scan.findings.length === 0 && tainted.length === 0) return null;
    const scanned = call.record(scan.findings, slot, stage);
    const action = strictest([scanned, call.record(tainted, { param, origin: "tool_args" }, stage)]);
    if (action !== "redact" && action !== "block") return null;
    const findings = tainted.length === 0 ? scan.findings : [...scan.findings, ...tainted];
    call.content.withhold(stage, slot);
    if (action === "block") throw call.blocked(stage, param, findings);
    return findings;
  }

  /** Values in a tool call's arguments that came from a tool. Throws `guard_unavailable`. */
  private taint(slot: Slot, stage: Stage): readonly Tainted[] {
    const { call } = this;
    const { provenance } = call;
    if (provenance === null || stage !== "output" || !isToolInput(slot.param)) return [];
    try {
      const tainted = provenance.judge(call.rules.policy, slot.text);
      if (tainted.length > 0) call.noteTaint(slot.param);
      if (provenance.isPartial) call.coverage.gap("output", slot.param, "provenance");
      return tainted;
    } catch (error) {
      throw call.scannerFailed(error);
    }
  }
}
