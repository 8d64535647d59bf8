import { actionOn, beginTrial, brokenBy, type RehearsalJudging, type Trial } from "#features/tuning/rehearsal";
import type { TextScan } from "#guard/text-scan";
import type { AuditFlag, AuditRecord, CallFacts } from "#model/audit";
import type { EvidenceText, TuningDraft } from "#policy/tuning/draft";
import { contextOf } from "#policy/tuning/exceptions";
import type { TuningImpact } from "#policy/tuning/suggestion";
import { ACTIONS, type Action } from "#scan/detector";
import { isEnforced } from "#scan/policy";

export const WINDOW_DAYS = 14;
const DAY_MS = 86_400_000;

/** One stored decision that the change could concern. */
type Decision = { readonly event: string | null; readonly facts: CallFacts };

export type ReplayNeeds = {
  /** Final records of a subject's calls since a moment, any order. */
  readonly records: (subjectId: string, since: number) => AsyncIterable<AuditRecord>;
  /** Texts of an event that are still kept. */
  readonly textsOf: (eventId: string) => Promise<readonly EvidenceText[]>;
  /** Events whose block or redaction was confirmed to be right, or whose miss was confirmed. */
  readonly confirmed: (subjectId: string) => Promise<ReadonlySet<string>>;
};

/**
 * What a change would have changed in the last 14 days. Scores and places are on record, so most is judged without any
 * content; what only content tells is judged where it is still kept, and the share of that is told.
 */
export class ImpactReplay {
  constructor(
    private readonly deps: ReplayNeeds,
    private readonly scan: TextScan,
  ) {}

  async impactOf(
    draft: Pick<TuningDraft, "match" | "change" | "effect">,
    {
      subjectId,
      before,
      after,
      now,
    }: { subjectId: string; before: RehearsalJudging; after: RehearsalJudging; now: number },
  ): Promise<TuningImpact> {
    const confirmed = await this.deps.confirmed(subjectId);
    const trial = beginTrial(this.scan);
    const broken = await brokenBy(trial, before, after);
    const tally = { decisions: 0, would_change: 0, released: broken.length, covered: 0 };
    for await (const record of this.deps.records(subjectId, now - WINDOW_DAYS * DAY_MS)) {
      const { call: facts } = record;
      if (!facts || !concerns(draft, facts)) continue;
      tally.decisions += 1;
      const would = await this.wouldChange(draft, { event: facts.event_id, facts }, { before, after, trial });
      if (would === null) continue;
      tally.covered += 1;
      if (!would) continue;
      tally.would_change += 1;
      if (draft.effect === "loosen" && facts.event_id !== null && confirmed.has(facts.event_id)) tally.released += 1;
    }
    const { decisions, would_change, released, covered } = tally;
    return {
      window_days: WINDOW_DAYS,
      decisions,
      would_change,
      would_release_confirmed: released,
      coverage: decisions === 0 ? 1 : Math.round((covered / decisions) * 1000) / 1000,
    };
  }

  /** Null where only content that is gone could tell. */
  private async wouldChange(
    draft: Pick<TuningDraft, "match" | "change">,
    { event, facts }: Decision,
    { before, after, trial }: { before: RehearsalJudging; after: RehearsalJudging; trial: Trial },
  ): Promise<boolean | null> {
    const { match, change } = draft;
    const flags = facts.flags.filter((flag) => isMeant(draft, flag));
    if (change.op === "threshold" || change.op === "action") return flags.some((flag) => isMoved(change, flag));
    const isByPlace = change.op === "allow" && match.value === undefined && match.pattern === undefined;
    if (isByPlace) return flags.some(({ action }) => isEnforced(action));
    const texts = event === null ? [] : await this.deps.textsOf(event);
    if (texts.length > 0) {
      for (const { text, param, origin } of texts) {
        const place = { param, origin };
        if ((await actionOn(trial, before, text, place)) !== (await actionOn(trial, after, text, place))) return true;
      }
      return false;
    }
    const hashes = facts.content_hmac?.texts.map(({ hmac }) => hmac) ?? [];
    return match.value?.of === "text" && hashes.length > 0 ? hashes.includes(match.value.hash) : null;
  }
}

const concerns = (draft: Pick<TuningDraft, "match" | "change">, { flags }: CallFacts): boolean =>
  flags.some((flag) => isMeant(draft, flag));

const isMeant = ({ match }: Pick<TuningDraft, "match">, { type, origin, param }: AuditFlag): boolean =>
  match.types.some((prefix) => type === prefix || type.startsWith(`${prefix}.`)) &&
  (match.origins === undefined || match.origins.includes(origin)) &&
  (match.context === undefined || match.context === contextOf(param));

const isMoved = (change: Extract<TuningDraft["change"], { op: "threshold" | "action" }>, flag: AuditFlag): boolean => {
  if (change.op === "action") return flag.action === change.from;
  const reaches = flag.score >= change.to;
  const isAsStrict = rank(flag.action) >= rank(change.action);
  return reaches ? !isAsStrict : flag.action === change.action;
};

const rank = (action: Action): number => ACTIONS.indexOf(action);
