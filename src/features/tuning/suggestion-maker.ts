import { canonicalJson } from "#core/json/json";
import type { PolicyResolver } from "#guard/enforcement/policy-resolver";
import type { TextScan } from "#guard/text-scan";
import { changeRecord, HUB_ACTOR } from "#model/change";
import { comparableForm, comparableFormInSlices, FORM_BLOCK } from "#model/kept-content";
import type { Report } from "#model/report";
import type { Clock } from "#platform/clock";
import { sha256Hex } from "#platform/hash";
import type { Ids } from "#platform/ids";
import { slices } from "#platform/slices";
import {
  type Evidence,
  type EvidenceText,
  looseningDrafts,
  type Means,
  type TuningDraft,
  tighteningDrafts,
} from "#policy/tuning/draft";
import type { TuningRule, TuningSubject } from "#policy/tuning/rule";
import type { Suggestion, TuningImpact } from "#policy/tuning/suggestion";
import { isEnforced, thresholdsIn } from "#scan/policy";
import type { Judged } from "#scan/scan";
import type { SuggestionStore } from "#store/loop-port";
import { actionOn, beginTrial, brokenBy } from "./rehearsal";
import type { ImpactReplay } from "./replay";

/** What approvals are of: any edit gives another. */
export const contentHash = ({ match, change }: Pick<Suggestion, "match" | "change">): string =>
  sha256Hex(canonicalJson({ match, change }));

type Proposed = Pick<
  Suggestion,
  | ("id" | "agent_id" | "user_id" | "report_ids" | "kind" | "effect" | "change" | "match" | "rationale" | "impact")
  | ("base_revision" | "created_by" | "created_at" | "rule_id")
>;

/** A suggestion that nobody has done anything about yet. */
export const proposalOf = (proposed: Proposed): Suggestion => ({
  ...proposed,
  status: "proposed",
  approvals: [],
  required: 1,
  eligible: [],
  requested_by: null,
  request_note: null,
  requested_at: null,
  content_hash: contentHash(proposed),
  rejected: null,
  updated_at: proposed.created_at,
  expires_at: null,
  revision: 1,
});

type SuggestionMakerNeeds = {
  readonly policyResolver: PolicyResolver;
  readonly suggestions: SuggestionStore;
  /** What is known of a report's event, and whose calls it is about; null when nothing is. */
  readonly evidenceOf: (report: Report) => Promise<Evidence | null>;
  readonly replay: ImpactReplay;
  readonly scan: TextScan;
  /** Keyed, of what is in its comparable form. */
  readonly hash: (form: string) => string;
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
  constructor(private readonly deps: SuggestionMakerNeeds) {}

  /** Null when no change would do, or each would release what was confirmed to be caught rightly. */
  async suggest(report: Report): Promise<Suggestion | null> {
    const evidence = await this.deps.evidenceOf(report);
    if (!evidence) return null;
    const subject = { agent_id: report.agent_id, user_id: report.user_id };
    const means = await this.meansFor(subject, evidence);
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
  async rehearse(subject: TuningSubject, draft: SuggestedTuning, evidence: Evidence | null): Promise<Rehearsal> {
    const before = this.rulesOf(subject);
    const after = this.deps.policyResolver.rulesWith(subject, triedRule(subject, draft));
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

  impactOf(subject: TuningSubject, draft: SuggestedTuning): Promise<TuningImpact> {
    const before = this.rulesOf(subject);
    const after = this.deps.policyResolver.rulesWith(subject, triedRule(subject, draft));
    const subjectId = subject.agent_id ?? subject.user_id;
    return this.deps.replay.impactOf(draft, { subjectId, before, after, now: this.deps.now() });
  }

  private rulesOf({ agent_id, user_id }: TuningSubject) {
    const { policyResolver } = this.deps;
    return agent_id === null ? policyResolver.rulesOfUser(user_id) : policyResolver.rulesOfAgent(agent_id);
  }

  /** What drafts ask about the reported texts: looked up beforehand, since a long text takes its time. */
  private async meansFor(subject: TuningSubject, { texts }: Evidence): Promise<Means> {
    const { scan, hash } = this.deps;
    const { policy, exceptionMatcher } = this.rulesOf(subject);
    const pause = slices.begin();
    const findings = new Map<EvidenceText, readonly Judged[]>();
    const forms = new Map<string, string>();
    for (const place of texts) {
      const { text, origin } = place;
      const { findings: found } = await scan(policy, text, origin);
      findings.set(place, await exceptionMatcher.amendInSlices(policy, found, { place, text, pause }));
      if (text.length > FORM_BLOCK) forms.set(text, await comparableFormInSlices(text, pause));
    }
    return {
      findingsOf: (text) => findings.get(text) ?? [],
      thresholdsOf: (type, origin) => thresholdsIn(policy.source, type, origin),
      hashOf: (text) => hash(forms.get(text) ?? comparableForm(text)),
    };
  }

  private async store(
    report: Report,
    subject: TuningSubject,
    draft: TuningDraft,
    impact: TuningImpact,
  ): Promise<Suggestion> {
    const { ids, now, policyResolver, suggestions } = this.deps;
    const at = now();
    const { kind, effect, change, match, rationale } = draft;
    const { agent_id, user_id } = subject;
    const suggestion = proposalOf({
      agent_id,
      user_id,
      kind,
      effect,
      change,
      match,
      rationale,
      impact,
      id: ids(),
      report_ids: [report.id],
      base_revision: policyResolver.rulesOfAgent(null).policy.revision,
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
export type SuggestedTuning = Pick<TuningDraft, "kind" | "effect" | "match" | "change">;

/** A rule as it would be if the change were applied now. */
const triedRule = (subject: TuningSubject, { kind, effect, match, change }: SuggestedTuning): TuningRule => ({
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
