import type { PolicyResolver } from "#guard/enforcement/policy-resolver";
import type { Scanner } from "#guard/scanner";
import { type TextScan, textScanOf } from "#guard/text-scan";
import { type CallerRouteParts, callerRoutes, type PersonRouteParts, personRoutes } from "#http/authentication";
import { feature } from "#hub/feature";
import { type NeedsOf, single } from "#hub/graph";
import { USAGE_MS } from "#hub/running";
import type { User } from "#model/person";
import type { Clock } from "#platform/clock";
import type { KeyedHash } from "#platform/hash";
import type { Suggestion } from "#policy/tuning/suggestion";
import { ApplicationService } from "./application-service";
import { ApprovalService } from "./approval-service";
import { personTuningRoutes, tokenTuningRoutes } from "./endpoints";
import { EvidenceLoader } from "./evidence-loader";
import { TuningHits } from "./hits";
import { NamedTuning } from "./named";
import { Rehearsals } from "./rehearsals";
import { ImpactReplay } from "./replay";
import { TuningRuleService } from "./rule-service";
import { TuningService } from "./service";
import { SuggestionMaker } from "./suggestion-maker";
import { SuggestionStateMachine, type TuningNeeds } from "./suggestion-state-machine";
import { TokenCalls } from "./token-calls";

/** How often tuning rules and approvals that have run out are ended on record; nothing holds longer than it should. Milliseconds. */
const TUNING_MS = 60_000;

type Hashing = { readonly retentionOptions: { readonly hash: Pick<KeyedHash, "of"> } };
type Evident = { readonly evidence: EvidenceLoader };
type Scanning = { readonly textScan: TextScan };
type MakerParts = Pick<NeedsOf<typeof SuggestionMaker>, "policyResolver" | "suggestions" | "now" | "ids"> &
  Hashing &
  Evident &
  Scanning;
type TryingParts = {
  readonly policyResolver: PolicyResolver;
  readonly suggestionMaker: SuggestionMaker;
  readonly evidence: EvidenceLoader;
  readonly reports: TuningNeeds["reports"];
};
type NeedsParts = Omit<TuningNeeds, "sync" | "tuningBaseOf" | "impactOf" | "rehearse"> & {
  readonly onChanged: () => Promise<void>;
  readonly rehearsals: Rehearsals;
};
type Deciding = {
  readonly tuningNeeds: TuningNeeds;
  readonly suggestionStates: SuggestionStateMachine;
};
type Approving = { readonly suggestionApprovals: ApprovalService };
type Applying = { readonly suggestionApplications: ApplicationService };
type Hitting = { readonly tuningHits: TuningHits };
type RouteParts = CallerRouteParts &
  PersonRouteParts & {
    readonly tuningService: TuningService;
    readonly tuningCalls: TokenCalls;
    readonly namedTuning: NamedTuning;
    readonly now: Clock;
  };

/** From a suggestion to a rule in force and back. */
export const tuning = feature({
  provides: {
    textScan: (c: { readonly scanner: Scanner }) => textScanOf(c.scanner.pool, "tuning"),
    evidence: single(EvidenceLoader),
    /** Makes suggestions of reports, and knows what a change would do. */
    suggestionMaker: ({
      policyResolver,
      suggestions,
      evidence,
      textScan: scan,
      retentionOptions,
      now,
      ids,
    }: MakerParts) =>
      new SuggestionMaker({
        policyResolver,
        suggestions,
        scan,
        now,
        ids,
        evidenceOf: (report) => evidence.of(report),
        replay: new ImpactReplay(evidence, scan),
        hash: retentionOptions.hash.of,
      }),
    rehearsals: ({ policyResolver, suggestionMaker, evidence, reports }: TryingParts) =>
      new Rehearsals({ policyResolver, maker: suggestionMaker, evidence, reports }),
    tuningNeeds: (c: NeedsParts): TuningNeeds => ({
      suggestions: c.suggestions,
      tuning: c.tuning,
      policies: c.policies,
      profiles: c.profiles,
      reports: c.reports,
      agents: c.agents,
      users: c.users,
      sync: c.onChanged,
      now: c.now,
      ids: c.ids,
      tuningBaseOf: (subject) => c.rehearsals.tuningBaseOf(subject),
      impactOf: (subject, change) => c.rehearsals.impactOf(subject, change),
      rehearse: (subject, change, reportIds) => c.rehearsals.rehearse(subject, change, reportIds),
    }),
    suggestionStates: (c: { readonly tuningNeeds: TuningNeeds }) => new SuggestionStateMachine(c.tuningNeeds),
    suggestionApprovals: (c: Deciding) => new ApprovalService(c.tuningNeeds, c.suggestionStates),
    suggestionApplications: (c: Deciding) => new ApplicationService(c.tuningNeeds, c.suggestionStates),
    ruleChanges: (c: Deciding) => new TuningRuleService(c.tuningNeeds, c.suggestionStates),
    tuningService: single(TuningService),
    tuningCalls: single(TokenCalls),
    namedTuning: single(NamedTuning),
    /** Whether somebody may decide on a suggestion. */
    rulingOnSuggestion: (c: Approving) => (user: User, suggestion: Suggestion) =>
      c.suggestionApprovals.ruling(user, suggestion),
    tuningHits: single(TuningHits),
  },
  routes: (c: RouteParts) => [
    tokenTuningRoutes({ ...callerRoutes(c), tuning: c.tuningService, tuningCalls: c.tuningCalls, now: c.now }),
    personTuningRoutes({ ...personRoutes(c), tuning: c.tuningService, named: c.namedTuning }),
  ],
  onCallEnded: (c: Hitting) => (record) => c.tuningHits.note(record),
  jobs: (c: Hitting & Applying & { readonly now: Clock }) => [
    { name: "hits", everyMs: USAGE_MS, run: () => c.tuningHits.flush() },
    { name: "tuning", everyMs: TUNING_MS, singleton: true, run: () => c.suggestionApplications.runOnce(c.now()) },
  ],
  stop: (c: Hitting) => () => c.tuningHits.flush(),
});
