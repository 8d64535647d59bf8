import { GuardError } from "#core/errors";
import type { PageWindow } from "#core/page";
import type { Static } from "#core/schema";
import type { Agent } from "#model/agent";
import type { Actor } from "#model/change";
import { mayChange, maySee, mustNotBeRetired, noAgent, READING_ROLES } from "#model/ownership";
import type { User } from "#model/person";
import { isUuid } from "#platform/ids";
import type { Ruling } from "#policy/approval/ruling";
import type { TuningRule, TuningSubject } from "#policy/tuning/rule";
import type { Suggestion, SuggestionState, TuningImpact } from "#policy/tuning/suggestion";
import type { JudgedTuning, WantedTuning } from "#policy/tuning/validity";
import type { SuggestionStore, TuningStore } from "#store/loop-port";
import type { AgentStore } from "#store/port";
import type { ApplicationService, Applied, Applying } from "./application-service";
import type { ApprovalDecision, ApprovalService, ApprovalStatus } from "./approval-service";
import { wantedOf } from "./given";
import type { RuleOutcome, TuningRuleService } from "./rule-service";
import type { NewTuningRule, SuggestionEdit, SuggestionTrial, TuningRulePatch } from "./schema";
import type { SuggestionStateMachine } from "./suggestion-state-machine";

/** Somebody at the machine itself. They see and do everything, but decide nothing: that takes a name. */
type Operator = { readonly kind: "operator"; readonly by: Actor };
/** Signed in, or named on the command line. */
type SignedIn = { readonly kind: "person"; readonly user: User; readonly by: Actor };
/** A gateway token reaches what is its user's own, whatever the role; an agent's what is that agent's. */
type TokenHolder = { readonly kind: "token"; readonly user: User; readonly agent: Agent | null; readonly by: Actor };

/** Who asks: the endpoint's `auth` says which kind. */
export type TuningRequester = Operator | SignedIn | TokenHolder;

export type SuggestionsWanted = {
  readonly agent_id?: string | undefined;
  readonly states?: readonly SuggestionState[] | undefined;
  readonly effect?: Suggestion["effect"] | undefined;
};

/** A suggestion with what stands in the way of applying it, and what the reader may do. */
export type SuggestionDetails = {
  readonly suggestion: Suggestion;
  readonly status: ApprovalStatus;
  readonly handling: boolean;
  /** Null for whom nobody asks to decide. */
  readonly ruling: Ruling | null;
};

export type TuningServiceNeeds = {
  readonly suggestions: Pick<SuggestionStore, "byId" | "page">;
  readonly tuning: Pick<TuningStore, "byId" | "page">;
  readonly agents: Pick<AgentStore, "byId">;
  readonly suggestionStates: SuggestionStateMachine;
  readonly suggestionApprovals: ApprovalService;
  readonly suggestionApplications: ApplicationService;
  readonly ruleChanges: TuningRuleService;
  readonly retentionOptions: { readonly hash: { readonly of: (text: string) => string } };
  readonly now: () => number;
};

/**
 * Tuning for everybody who asks: people who are signed in or named on the command line, and gateway tokens. What somebody
 * may not see is not found. Only people approve anything.
 */
export class TuningService {
  constructor(private readonly needs: TuningServiceNeeds) {}

  /** Newest first. */
  async list(who: TuningRequester, wanted: SuggestionsWanted, window: PageWindow): Promise<Suggestion[]> {
    const scope = scopeOf(who, wanted.agent_id);
    return scope === null ? [] : this.needs.suggestions.page({ ...wanted, ...scope, now: this.needs.now() }, window);
  }

  /** Throws `not_found`. */
  async read(who: TuningRequester, id: string): Promise<Suggestion> {
    const suggestion = isUuid(id) ? await this.needs.suggestions.byId(id.toLowerCase()) : null;
    if (suggestion && (await this.isSeen(who, suggestion))) return suggestion;
    throw new GuardError("not_found", "There is no such suggestion.", { param: "id" });
  }

  /** Throws `not_found`. */
  async details(who: TuningRequester, id: string): Promise<SuggestionDetails> {
    const { suggestionApprovals: approvals } = this.needs;
    const suggestion = await this.read(who, id);
    return {
      suggestion,
      status: await approvals.statusOf(suggestion),
      handling: await this.mayHandle(who, suggestion),
      ruling: who.kind === "person" ? await approvals.ruling(who.user, suggestion) : null,
    };
  }

  async request(who: SignedIn | TokenHolder, id: string, note: string | null): Promise<Suggestion> {
    return this.needs.suggestionApprovals.request(who, await this.handledActive(who, id), note);
  }

  async approve(who: SignedIn, id: string, decision: ApprovalDecision): Promise<Suggestion> {
    return this.needs.suggestionApprovals.approve(who, await this.read(who, id), decision);
  }

  async deny(who: SignedIn, id: string, decision: ApprovalDecision): Promise<Suggestion> {
    return this.needs.suggestionApprovals.deny(who, await this.read(who, id), decision);
  }

  async reject(
    who: SignedIn | TokenHolder,
    id: string,
    { reason, comment = null }: { readonly reason: string; readonly comment?: string | null | undefined },
  ): Promise<Suggestion> {
    return this.needs.suggestionApprovals.reject(who, await this.handled(who, id), reason, comment);
  }

  async edit(who: SignedIn, id: string, { note, ...given }: SuggestionEdit): Promise<Suggestion> {
    const suggestion = await this.handled(who, id);
    const wanted = await this.wanted(suggestion, given);
    return this.needs.suggestionApprovals.edit(who, suggestion, wanted, note?.trim() || null);
  }

  /** What an edit would make of it. */
  async tried(
    who: SignedIn,
    id: string,
    given: SuggestionTrial,
  ): Promise<JudgedTuning & { readonly impact: TuningImpact }> {
    const suggestion = await this.handled(who, id);
    return this.needs.suggestionApprovals.tried(suggestion, await this.wanted(suggestion, given));
  }

  async apply(who: TuningRequester, id: string, applying: Applying): Promise<Applied> {
    return this.needs.suggestionApplications.apply(who.by, await this.handledActive(who, id), applying);
  }

  /** Those in force; of one agent also those that are over. Newest first. */
  async rules(who: TuningRequester, agentId: string | undefined, window: PageWindow): Promise<TuningRule[]> {
    const scope = scopeOf(who, agentId);
    return scope === null ? [] : this.needs.tuning.page(scope, window);
  }

  /** The same, of an agent that there is. Throws `not_found`. */
  async rulesOf(who: TuningRequester, agentId: string, window: PageWindow): Promise<TuningRule[]> {
    return this.rules(who, (await this.agentOf(who, agentId)).id, window);
  }

  /** Throws `not_found`. */
  async rule(who: TuningRequester, agentId: string, ruleId: string): Promise<TuningRule> {
    const agent = await this.agentOf(who, agentId);
    const rule = isUuid(ruleId) ? await this.needs.tuning.byId(ruleId.toLowerCase()) : null;
    if (rule?.agent_id === agent.id) return rule;
    throw new GuardError("not_found", "There is no such rule of this agent.", { param: "rule_id" });
  }

  async setRule(
    who: TokenHolder,
    agentId: string,
    { match, change, ...rest }: Static<typeof NewTuningRule>,
  ): Promise<RuleOutcome> {
    const agent = await this.agentOf(who, agentId);
    mustNotBeRetired(agent);
    const subject = { agent_id: agent.id, user_id: agent.owner_id };
    await this.mustHandle(who, subject);
    const wanted = wantedOf({ match, change }, null, await this.means(subject));
    return this.needs.ruleChanges.set(who.by, subject, { ...wanted, ...rest });
  }

  async changeRule(
    who: TokenHolder,
    agentId: string,
    ruleId: string,
    { match, change, mode, expires_in_days }: Static<typeof TuningRulePatch>,
  ): Promise<RuleOutcome> {
    const rule = await this.rule(who, agentId, ruleId);
    await this.mustHandle(who, rule);
    const wanted = match || change ? wantedOf({ match, change }, rule, await this.means(rule)) : undefined;
    return this.needs.ruleChanges.amend(who.by, rule, { mode, expires_in_days, wanted });
  }

  /** Ends it at once, or suggests to where that would loosen something. */
  async endRule(who: TokenHolder, agentId: string, ruleId: string): Promise<RuleOutcome> {
    return this.end(who, await this.rule(who, agentId, ruleId));
  }

  /** The same, whatever subject the rule has. */
  async revert(who: TuningRequester, ruleId: string): Promise<RuleOutcome> {
    const rule = isUuid(ruleId) ? await this.needs.tuning.byId(ruleId.toLowerCase()) : null;
    if (!rule || !(await this.isSeen(who, rule))) {
      throw new GuardError("not_found", "There is no such rule.", { param: "id" });
    }
    return this.end(who, rule);
  }

  /** Whether they may ask for it, apply, edit and reject it, or take it back. */
  async mayHandle(who: TuningRequester, subject: TuningSubject): Promise<boolean> {
    if (who.kind === "operator") return true;
    if (who.kind === "token") return who.agent === null && this.isSeen(who, subject);
    return who.user.role === "reviewer" || mayChange(who.user, await this.owned(subject));
  }

  private async end(who: TuningRequester, rule: TuningRule): Promise<RuleOutcome> {
    await this.mustHandle(who, rule);
    if (!(await this.needs.ruleChanges.isFreeToEnd(rule))) return this.needs.ruleChanges.end(who.by, rule);
    return { kind: "in_force", rule: await this.needs.suggestionApplications.revert(who.by, rule) };
  }

  private async wanted(suggestion: Suggestion, given: SuggestionTrial): Promise<WantedTuning> {
    const { match, change } = suggestion;
    if (change.op === "amend") {
      throw new GuardError(
        "state_conflict",
        "This suggestion changes an existing rule and cannot be edited. Reject it instead.",
      );
    }
    return wantedOf(given, { match, change }, await this.means(suggestion));
  }

  private async means(subject: TuningSubject) {
    const { retentionOptions, suggestionStates } = this.needs;
    return { hashOf: retentionOptions.hash.of, source: await suggestionStates.policyOf(subject) };
  }

  private async handled(who: TuningRequester, id: string): Promise<Suggestion> {
    const suggestion = await this.read(who, id);
    await this.mustHandle(who, suggestion);
    return suggestion;
  }

  /** Throws `state_conflict` for a retired agent's. */
  private async handledActive(who: TuningRequester, id: string): Promise<Suggestion> {
    const suggestion = await this.handled(who, id);
    const agent = await this.needs.suggestionStates.agentOf(suggestion);
    if (agent) mustNotBeRetired(agent);
    return suggestion;
  }

  /** Owners, administrators and reviewers do something with it; others read. Throws `insufficient_scope`. */
  private async mustHandle(who: TuningRequester, subject: TuningSubject): Promise<void> {
    if (await this.mayHandle(who, subject)) return;
    throw new GuardError("insufficient_scope", "Only the agent's owner, reviewers and administrators may do this.");
  }

  private async isSeen(who: TuningRequester, subject: TuningSubject): Promise<boolean> {
    if (who.kind === "operator") return true;
    if (who.kind === "person") return maySee(who.user, await this.owned(subject));
    if (who.agent) return who.agent.id === subject.agent_id;
    return (await this.owned(subject)).owner_id === who.user.id;
  }

  private async owned(subject: TuningSubject): Promise<{ readonly owner_id: string }> {
    return (await this.needs.suggestionStates.agentOf(subject)) ?? { owner_id: subject.user_id };
  }

  private async agentOf(who: TuningRequester, id: string): Promise<Agent> {
    const agent = isUuid(id) ? await this.needs.agents.byId(id.toLowerCase()) : null;
    if (agent && (await this.isSeen(who, { agent_id: agent.id, user_id: agent.owner_id }))) return agent;
    throw noAgent("agent_id");
  }
}

/** Whose suggestions and rules they are shown; null for nobody's. */
const scopeOf = (
  who: TuningRequester,
  wanted: string | undefined,
): { readonly agent_id: string | undefined; readonly seen_by?: string } | null => {
  if (who.kind === "operator") return { agent_id: wanted };
  if (who.kind === "token" && who.agent) {
    return wanted === undefined || wanted === who.agent.id ? { agent_id: who.agent.id } : null;
  }
  const readsAll = who.kind === "person" && READING_ROLES.includes(who.user.role);
  return readsAll ? { agent_id: wanted } : { agent_id: wanted, seen_by: who.user.id };
};
