import { REPORT_WINDOW_MS, REPORTS_AN_HOUR } from "#model/report";
import type { Clock } from "#platform/clock";
import { causeOf, type Log } from "#platform/log";
import type { ReportStore } from "#store/loop-port";

/** `resetMs`: until one more is allowed again, or the whole window where none was sent. */
export type ReportsLeft = { readonly remaining: number; readonly resetMs: number };

type ReportQuotaNeeds = { readonly reports: Pick<ReportStore, "recentOfAll">; readonly now: Clock; readonly log: Log };

/**
 * How many reports everybody has left this hour, in memory: every answer below `/v1/guard` says it, every block too.
 * The store alone decides whether one more is accepted; here is what it said last.
 */
export class ReportQuota {
  /** When a user's accepted reports came, oldest first; null until the store was asked. */
  private accepted: Map<string, number[]> | null = null;

  constructor(private readonly deps: ReportQuotaNeeds) {}

  /** Null while nobody knows. */
  leftOf(userId: string): ReportsLeft | null {
    if (!this.accepted) return null;
    const now = this.deps.now();
    const recent = (this.accepted.get(userId) ?? []).filter((at) => Math.abs(now - at) < REPORT_WINDOW_MS);
    const [oldest = now] = recent;
    return {
      remaining: Math.max(0, REPORTS_AN_HOUR - recent.length),
      resetMs: oldest + REPORT_WINDOW_MS - now,
    };
  }

  /** One more was accepted. */
  note(userId: string, at: number): void {
    if (!this.accepted) return;
    const before = this.accepted.get(userId) ?? [];
    this.accepted.set(userId, [...before, at]);
  }

  /** Something has changed in the store: perhaps another process has accepted one. */
  apply(): void {
    this.refresh().catch((error) => this.deps.log.error("reports.quota_unknown", causeOf(error)));
  }

  async refresh(): Promise<void> {
    const { reports, now } = this.deps;
    const accepted = new Map<string, number[]>();
    for (const { user_id, at } of await reports.recentOfAll(now() - REPORT_WINDOW_MS)) {
      const times = accepted.get(user_id);
      if (times) times.push(at);
      else accepted.set(user_id, [at]);
    }
    this.accepted = accepted;
  }
}
