import type { Slot } from "#core/text-walk";
import { notScanned } from "#engine/call-notes";
import type { Rules } from "#engine/governance/governor";
import type { GuardDeps } from "#engine/guard-deps";
import type { Verdict } from "#engine/long-scan";
import type { CachedScan } from "#engine/scanner";
import { causeOf } from "#platform/log";
import type { Pause } from "#platform/slices";

type Text = Pick<Slot, "text" | "origin" | "param">;

/** What the scanner and the subject's tuning make of single texts of one call. */
export class Judging {
  constructor(
    private readonly deps: Pick<GuardDeps, "scanner" | "log">,
    private readonly rules: Rules,
    private readonly callId: string,
  ) {}

  /** Throws `guard_unavailable` where the scanner fails and failing means closed. */
  judge(slot: Text): CachedScan {
    const { tuner, policy } = this.rules;
    try {
      const judged = this.deps.scanner.scan(policy, slot.text, slot.origin);
      if (tuner.isIdle || judged.scan.findings.length === 0) return judged;
      const findings = tuner.amend(policy, judged.scan.findings, slot, slot.text);
      return { ...judged, scan: { ...judged.scan, findings } };
    } catch (error) {
      return this.failed(error);
    }
  }

  /** The same for a text that was scanned elsewhere. */
  async amend(verdict: Verdict, slot: Text, pause: Pause): Promise<CachedScan> {
    if ("failed" in verdict) return this.failed(verdict.failed);
    const { tuner, policy } = this.rules;
    const { scan } = verdict;
    if (tuner.isIdle || scan.findings.length === 0) return verdict;
    try {
      const findings = await tuner.amendInSlices(policy, scan.findings, { place: slot, text: slot.text, pause });
      return { ...verdict, scan: { ...scan, findings } };
    } catch (error) {
      return this.failed(error);
    }
  }

  private failed(error: unknown): CachedScan {
    if (this.rules.effective.fail_mode.value === "closed") {
      this.deps.log.error("guard.scan_failed", { ...causeOf(error), call_id: this.callId });
      throw notScanned(error);
    }
    this.deps.log.error("guard.scan_failed_open", { ...causeOf(error), call_id: this.callId });
    return { scan: { findings: [], unscanned: { reason: "scan_failed", from: 0 } }, cached: false };
  }
}
