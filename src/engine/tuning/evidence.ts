import type { AuditFlag, AuditRecord } from "#core/audit";
import { isRecord, parseJson } from "#core/json";
import { contentPurpose, type KeptTexts } from "#core/kept-content";
import type { Report } from "#core/report";
import { reportPurpose } from "#core/report-content";
import type { Evidence, EvidenceText } from "#core/tuning/draft";
import type { ReplayDeps } from "#engine/tuning/replay";
import type { Sealing } from "#platform/sealing";
import type { ContentStore } from "#store/governance-port";
import type { ReportStore } from "#store/loop-port";
import type { AuditLog } from "#store/port";

type Deps = {
  readonly content: ContentStore;
  readonly reports: ReportStore;
  readonly audit: AuditLog;
  readonly unseal: Sealing["unseal"];
};

/** An event is looked for around the time of its report; reports come at most this long after it. */
const LATEST_REPORT_MS = 14 * 86_400_000;

/** What suggestions are made of: what a report shared, what of the blocked text is still kept, and what is on record. */
export class EvidenceRoom implements ReplayDeps {
  constructor(private readonly deps: Deps) {}

  /** Null when nothing is known that a change could be made of. */
  async of(report: Report): Promise<Evidence | null> {
    const { unseal } = this.deps;
    const { id, event_id, sealed_content, flag_types: types } = report;
    const shared = sealed_content === null ? [] : textsIn(unseal(reportPurpose(id), sealed_content));
    const texts = shared.length > 0 || event_id === null ? shared : await this.textsOf(event_id);
    const flags = texts.length > 0 || event_id === null ? [] : await this.flagsOf(event_id, report.created_at);
    if (texts.length === 0 && flags.length === 0) return null;
    return { types, texts, flags };
  }

  async textsOf(eventId: string): Promise<readonly EvidenceText[]> {
    const kept = await this.deps.content.ofEvent(eventId);
    const blocked = kept.filter(({ purpose }) => purpose === "blocked");
    return blocked.flatMap(({ id, sealed }) => textsIn(this.deps.unseal(contentPurpose(id), sealed)));
  }

  async *records(subjectId: string, since: number): AsyncGenerator<AuditRecord> {
    for await (const { body } of this.deps.audit.read({ since })) {
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
    const window = { since: reportedAt - LATEST_REPORT_MS, until: reportedAt + 1 };
    for await (const { body } of this.deps.audit.read(window)) {
      if (!body.includes(eventId)) continue;
      const record = finalCall(body);
      if (record?.call?.event_id === eventId) return record.call.flags;
    }
    return [];
  }
}

const finalCall = (line: string): AuditRecord | null => {
  const record: AuditRecord = JSON.parse(line);
  return record.phase === "final" && record.call ? record : null;
};

const textsIn = (json: string): EvidenceText[] => {
  const kept: unknown = parseJson(json);
  return isRecord(kept) && isTexts(kept) ? kept.texts.map(({ param, origin, text }) => ({ param, origin, text })) : [];
};

/** What was sealed here is whole: only its kind has to be told. */
const isTexts = (value: Partial<KeptTexts>): value is KeptTexts => Array.isArray(value.texts);
