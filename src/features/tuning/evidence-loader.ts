import { recordIn } from "#audit/audit-rows";
import { REPORTABLE_MS } from "#audit/past-events";
import type { ReplayNeeds } from "#features/tuning/replay";
import { EncryptedContent } from "#guard/content/encrypted-content";
import type { AuditFlag, AuditRecord } from "#model/audit";
import type { KeptTexts } from "#model/kept-content";
import type { Report } from "#model/report";
import type { Clock } from "#platform/clock";
import type { Sealing } from "#platform/sealing";
import { slices } from "#platform/slices";
import type { Evidence, EvidenceText } from "#policy/tuning/draft";
import type { ContentStore } from "#store/governance-port";
import type { ReportStore } from "#store/loop-port";
import type { AuditLog } from "#store/port";

type EvidenceLoaderNeeds = {
  readonly content: Pick<ContentStore, "ofEvent">;
  readonly reports: Pick<ReportStore, "list">;
  readonly audit: Pick<AuditLog, "read">;
  readonly unseal: Sealing["unseal"];
  readonly now: Clock;
};

/** What suggestions are made of: what a report shared, what of the blocked text is still kept, and what is on record. */
export class EvidenceLoader implements ReplayNeeds {
  private readonly sealed: EncryptedContent;

  constructor(private readonly deps: EvidenceLoaderNeeds) {
    this.sealed = new EncryptedContent(deps.unseal);
  }

  /** Null when nothing is known that a change could be made of. */
  async of(report: Report): Promise<Evidence | null> {
    const { event_id, flag_types: types } = report;
    const shared = textsIn(this.sealed.ofReport(report));
    const texts = shared.length > 0 || event_id === null ? shared : await this.textsOf(event_id);
    const flags = texts.length > 0 || event_id === null ? [] : await this.flagsOf(event_id, report.created_at);
    if (texts.length === 0 && flags.length === 0) return null;
    return { types, texts, flags };
  }

  async textsOf(eventId: string): Promise<readonly EvidenceText[]> {
    const kept = await this.deps.content.ofEvent(eventId);
    const now = this.deps.now();
    // What has expired is gone, even before it is deleted.
    const blocked = kept.filter(({ purpose, expires_at }) => purpose === "blocked" && expires_at > now);
    return blocked.flatMap((content) => textsIn(this.sealed.ofContent(content)));
  }

  async *records(subjectId: string, since: number): AsyncGenerator<AuditRecord> {
    const pause = slices.begin();
    for await (const { body } of this.deps.audit.read({ since })) {
      const wait = pause();
      if (wait) await wait;
      // Most lines are others': they are left unparsed.
      if (!body.includes(subjectId)) continue;
      const record = finalCall(body);
      if (record && (record.actor.agent_id ?? record.actor.user_id) === subjectId) yield record;
    }
  }

  async confirmed(subjectId: string): Promise<ReadonlySet<string>> {
    const own = [
      ...(await this.deps.reports.list({ agent_id: subjectId })),
      ...(await this.deps.reports.list({ user_id: subjectId })),
    ];
    const right = own.filter(({ decision, llm_verdict }) => (decision ?? llm_verdict) === "true_positive");
    return new Set(right.flatMap(({ event_id }) => event_id ?? []));
  }

  private async flagsOf(eventId: string, reportedAt: number): Promise<readonly AuditFlag[]> {
    const window = { since: reportedAt - REPORTABLE_MS, until: reportedAt + 1 };
    const pause = slices.begin();
    for await (const { body } of this.deps.audit.read(window)) {
      const wait = pause();
      if (wait) await wait;
      if (!body.includes(eventId)) continue;
      const record = finalCall(body);
      if (record?.call?.event_id === eventId) return record.call.flags;
    }
    return [];
  }
}

const finalCall = (line: string): AuditRecord | null => {
  const record = recordIn(line);
  return record?.phase === "final" && record.call ? record : null;
};

const textsIn = (kept: KeptTexts | null): EvidenceText[] =>
  (kept?.texts ?? []).map(({ param, origin, text }) => ({ param, origin, text }));
