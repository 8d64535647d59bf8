import { changeRecord, HUB_ACTOR } from "#core/change";
import type { Report } from "#core/report";
import { isEnforced, thresholdsIn } from "#core/scan/policy";
import { scanText } from "#core/scan/scan";
import { type Draft, type Evidence, looseningDrafts, type Means, tighteningDrafts } from "#core/tuning/draft";
import type { TuningRule, TuningSubject } from "#core/tuning/rule";
import type { Impact, Suggestion } from "#core/tuning/suggestion";
import type { Governor } from "#engine/governance/governor";
import type { TextScan } from "#engine/text-scan";
import { proposalOf } from "#engine/tuning/proposal";
import { actionOn, beginTrial, brokenBy } from "#engine/tuning/rehearsal";
import type { Replay } from "#engine/tuning/replay";
import type { Clock } from "#platform/clock";
import type { Ids } from "#platform/ids";
import type { SuggestionStore } from "#store/loop-port";

type Deps = {
  readonly governor: Governor;
  readonly suggestions: SuggestionStore;
  /** What is known of a report's event, and whose calls it is about; null when nothing is. */
  readonly evidenceOf: (report: Report) => Promise<Evidence | null>;
  readonly replay: Replay;
  readonly scan: TextScan;
  /** Keyed, of a text's comparable form. */
  readonly hashOf: (text: string) => string;
  readonly now: Clock;
  readonly ids: Ids;
};

export type Rehearsal = {
  /** Golden samples the change would break. */
  readonly broken: readonly string[];
  /** Whether the reported text would be judged as it should; null when it is gone. */
  readonly passes: boolean | null;
};

/** Makes of a confirmed report the narrowest change that would have avoided the mistake. It changes nothing by itself. */
export class SuggestionMaker {
  constructor(private readonly deps: Deps) {}

  /** Null when no change would do, or each would release what was confirmed to be caught rightly. */
  async suggest(report: Report): Promise<Suggestion | null> {
    const evidence = await this.deps.evidenceOf(report);
    if (!evidence) return null;
    const subject = { agent_id: report.agent_id, user_id: report.user_id };
    const means = this.meansFor(subject);
    const drafts =
      report.direction === "false_positive" ? looseningDrafts(evidence, means) : tighteningDrafts(evidence, means);
    for (const draft of drafts) {
      const { broken, passes } = await this.rehearse(subject, draft, evidence);
      if (broken.length > 0 || passes === false) continue;
      const impact = await this.impactOf(subject, draft);
      if (impact.would_release_confirmed === 0) return this.store(report, subject, draft, impact);
    }
    return null;
  }

  /** The change tried on golden samples, and on what was reported. */
  async rehearse(subject: TuningSubject, draft: Change, evidence: Evidence | null): Promise<Rehearsal> {
    const before = this.rulesOf(subject);
    const after = this.deps.governor.rulesWith(subject, triedRule(subject, draft));
    const trial = beginTrial(this.deps.scan);
    const broken = await brokenBy(trial, before, after);
    if (!evidence || evidence.texts.length === 0) return { broken, passes: null };
    // What other rules say of the same texts is not this change's concern: one that was acted on has to be acted on less.
    for (const text of evidence.texts) {
      const was = isEnforced(await actionOn(trial, before, text.text, text));
      const is = isEnforced(await actionOn(trial, after, text.text, text));
      const isRight = draft.effect === "loosen" ? !is || !was : is;
      if (!isRight) return { broken, passes: false };
    }
    return { broken, passes: true };
  }

  impactOf(subject: TuningSubject, draft: Change): Promise<Impact> {
    const before = this.rulesOf(subject);
    const after = this.deps.governor.rulesWith(subject, triedRule(subject, draft));
    const subjectId = subject.agent_id ?? subject.user_id;
    return this.deps.replay.impactOf(draft, { subjectId, before, after, now: this.deps.now() });
  }

  private rulesOf({ agent_id, user_id }: TuningSubject) {
    const { governor } = this.deps;
    return agent_id === null ? governor.rulesOfUser(user_id) : governor.rulesOfAgent(agent_id);
  }

  private meansFor(subject: TuningSubject): Means {
    const { policy, tuner } = this.rulesOf(subject);
    return {
      findingsOf: ({ text, param, origin }) =>
        tuner.amend(policy, scanText(policy, text, origin).findings, { param, origin }, text),
      thresholdsOf: (type, origin) => thresholdsIn(policy.source, type, origin),
      hashOf: this.deps.hashOf,
    };
  }

  private async store(report: Report, subject: TuningSubject, draft: Draft, impact: Impact): Promise<Suggestion> {
    const { ids, now, governor, suggestions } = this.deps;
    const at = now();
    const { kind, effect, change, match, rationale } = draft;
    const { agent_id, user_id } = subject;
    const suggestion = proposalOf({
      ...{ agent_id, user_id, kind, effect, change, match, rationale, impact },
      id: ids(),
      report_ids: [report.id],
      base_revision: governor.rulesOfAgent(null).policy.revision,
      created_by: null,
      created_at: at,
      rule_id: null,
    });
    const detail = { kind, effect, agent_id, user_id, report_ids: suggestion.report_ids, impact };
    const made = { kind: "tuning.suggest", by: HUB_ACTOR, subject: "suggestion", subject_id: suggestion.id, detail };
    await suggestions.create(suggestion, changeRecord(made, { id: ids(), at }));
    return suggestion;
  }
}

/** What a rehearsal needs of a change. */
export type Change = Pick<Draft, "kind" | "effect" | "match" | "change">;

/** A rule as it would be if the change were applied now. */
const triedRule = (subject: TuningSubject, { kind, effect, match, change }: Change): TuningRule => ({
  ...subject,
  id: "tried",
  kind,
  effect,
  match,
  change,
  mode: "enforce",
  status: "active",
  expires_at: null,
  hits: 0,
  last_hit_at: null,
  suggestion_id: null,
  requested_by: null,
  approved_by: [],
  self_approved: false,
  revision: 0,
  created_at: 0,
  ended_at: null,
});
