import { notScanned } from "#guard/call-errors";
import type { Rules } from "#guard/enforcement/policy-resolver";
import type { GuardNeeds } from "#guard/guard-needs";
import type { LongScan, LongScanVerdict } from "#guard/long-scan";
import type { CachedScan } from "#guard/scanner";
import { causeOf } from "#platform/log";
import type { Pause } from "#platform/slices";
import { countOf, coversWhole, findingsOf } from "#scan/packed-scan";
import { inField, type Judged } from "#scan/scan";
import type { Slot } from "#scan/texts/text-walk";

/** Findings between two looks at the time. */
const STRIDE = 256;

/** Places of requests and answers that hold the names of models and versions. */
const NAMES: ReadonlySet<string> = new Set(["model", "system_fingerprint", "service_tier"]);

type Text = Pick<Slot, "text" | "origin" | "param" | "field">;

/** What the scanner and the subject's tuning make of single texts of one call. */
export class Judging {
  constructor(
    private readonly deps: Pick<GuardNeeds, "scanner" | "log">,
    private readonly rules: Rules,
    private readonly callId: string,
  ) {}

  /** Throws `guard_unavailable` where the scanner fails and failing means closed. */
  judge(slot: Text): CachedScan {
    const { exceptionMatcher, policy } = this.rules;
    const { scanner } = this.deps;
    const { text, origin, param } = slot;
    try {
      const judged = NAMES.has(param) ? scanner.scanName(policy, text, origin) : scanner.scan(policy, text, origin);
      if (judged.scan.findings.length === 0) return judged;
      const found = inField(policy, judged.scan.findings, slot);
      const findings = exceptionMatcher.isIdle ? found : exceptionMatcher.amend(policy, found, slot, slot.text);
      return { ...judged, scan: { ...judged.scan, findings } };
    } catch (error) {
      return this.failed(error);
    }
  }

  /** The same for a text that was scanned elsewhere. */
  async amend(verdict: LongScanVerdict, slot: Text, pause: Pause): Promise<LongScan> {
    if ("failed" in verdict) return this.failed(verdict.failed);
    const { exceptionMatcher, policy } = this.rules;
    const { scan, cached } = verdict;
    const isField = slot.field !== undefined && coversWhole(scan, slot.text.length);
    if (countOf(scan) === 0 || (exceptionMatcher.isIdle && !isField)) return verdict;
    try {
      const found: Judged[] = [];
      for (const finding of findingsOf(scan)) {
        found.push(...(isField ? inField(policy, [finding], slot) : [finding]));
        const wait = found.length % STRIDE === 0 ? pause() : null;
        if (wait) await wait;
      }
      const findings = await exceptionMatcher.amendInSlices(policy, found, { place: slot, text: slot.text, pause });
      return { cached, scan: scan.unscanned ? { findings, unscanned: scan.unscanned } : { findings } };
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
