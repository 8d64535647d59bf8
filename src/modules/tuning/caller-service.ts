import type { Agent } from "#core/agent";
import type { Caller } from "#core/caller";
import type { Actor } from "#core/change";
import { GuardError } from "#core/errors";
import { mustNotBeRetired } from "#core/ownership";
import { ShapeCheck } from "#core/shape-check";
import type { TuningRule } from "#core/tuning/rule";
import type { Suggestion } from "#core/tuning/suggestion";
import { auditedReply } from "#engine/audited-reply";
import type { Directory } from "#engine/directory";
import type { GuardDeps } from "#engine/guarded-call";
import { type Idempotency, jsonReply, type Reply } from "#engine/idempotency";
import { ownAgent } from "#engine/own-agent";
import type { Acting } from "#engine/tuning/approval-desk";
import { readPage } from "#http/page";
import { isUuid } from "#platform/ids";
import type { Desks } from "./desks";
import { wantedOf } from "./given";
import { BY_ID, shownApplied, shownOutcome, shownRule, shownStatus, shownSuggestion } from "./presenter";
import {
  Application,
  ApprovalRequest,
  NewTuningRule,
  type Query,
  Rejection,
  statesIn,
  TuningRulePatch,
} from "./schema";

type Deps = Desks & {
  readonly guard: GuardDeps;
  readonly directory: Directory;
  readonly idempotency: Idempotency;
};

/** A change as it is sent: `read` parses the body, or throws what is wrong with it. */
export type Sent = { readonly key: string | null; readonly read: () => unknown };

const KIND = "guard.tuning";

/**
 * Tuning by gateway token: of a user's agents and their own calls. An agent's token reads what is its agent's and changes
 * nothing: no agent loosens what governs it. Every method is audited as a call and throws only `GuardError`s.
 */
export class CallerTuningService {
  private readonly checks = {
    request: new ShapeCheck(ApprovalRequest),
    apply: new ShapeCheck(Application),
    reject: new ShapeCheck(Rejection),
    rule: new ShapeCheck(NewTuningRule),
    patch: new ShapeCheck(TuningRulePatch),
  };

  constructor(private readonly deps: Deps) {}

  list(caller: Caller, id: string, query: Query): Promise<Reply> {
    return this.reading(caller, id, async () => {
      const states = statesIn(query["status"]) ?? undefined;
      const { user, agent } = caller;
      const [wanted, own] = [query["agent_id"], agent?.id];
      // An agent's own are its subject's; a person sees their own and those of their agents.
      const isOthers = own !== undefined && wanted !== undefined && wanted !== own;
      const filter = { agent_id: own ?? wanted, states, now: this.now(), ...(agent === null && { seen_by: user.id }) };
      const page = await readPage(query, async (window) => {
        const found = isOthers ? [] : await this.deps.suggestions.page(filter, window);
        return found.map((one) => this.shown(one));
      });
      return jsonReply(200, page);
    });
  }

  read(caller: Caller, id: string, suggestionId: string): Promise<Reply> {
    return this.reading(caller, id, async () => jsonReply(200, this.shown(await this.own(caller, suggestionId))));
  }

  status(caller: Caller, id: string, suggestionId: string): Promise<Reply> {
    return this.reading(caller, id, async () => {
      const suggestion = await this.own(caller, suggestionId);
      return jsonReply(200, shownStatus(suggestion, await this.deps.approvals.statusOf(suggestion), BY_ID));
    });
  }

  /** 202: the decision is somebody else's. */
  request(caller: Caller, id: string, suggestionId: string, sent: Sent): Promise<Reply> {
    return this.changing(caller, id, { sent, what: `request ${suggestionId}` }, async (acting, body) => {
      const suggestion = await this.ownActive(caller, suggestionId);
      const { note = null } = this.checks.request.check(body);
      return jsonReply(202, this.shown(await this.deps.approvals.request(acting, suggestion, note)));
    });
  }

  apply(caller: Caller, id: string, suggestionId: string, sent: Sent): Promise<Reply> {
    return this.changing(caller, id, { sent, what: `apply ${suggestionId}` }, async ({ by }, body) => {
      const suggestion = await this.ownActive(caller, suggestionId);
      const applying = this.checks.apply.check(body);
      const applied = await this.deps.desk.apply(by, suggestion, applying);
      return jsonReply(200, shownApplied(applied, this.now(), BY_ID));
    });
  }

  reject(caller: Caller, id: string, suggestionId: string, sent: Sent): Promise<Reply> {
    return this.changing(caller, id, { sent, what: `reject ${suggestionId}` }, async (acting, body) => {
      const suggestion = await this.own(caller, suggestionId);
      const { reason, comment = null } = this.checks.reject.check(body);
      return jsonReply(200, this.shown(await this.deps.approvals.reject(acting, suggestion, reason, comment)));
    });
  }

  rules(caller: Caller, id: string, agentId: string, query: Query): Promise<Reply> {
    return this.reading(caller, id, async () => {
      const agent = ownAgent(this.deps.directory, caller, agentId);
      const page = await readPage(query, async (window) => {
        const rules = await this.deps.tuning.page({ agent_id: agent.id }, window);
        return rules.map((rule) => shownRule(rule, this.now(), BY_ID));
      });
      return jsonReply(200, page);
    });
  }

  rule(caller: Caller, id: string, agentId: string, ruleId: string): Promise<Reply> {
    return this.reading(caller, id, async () => {
      const agent = ownAgent(this.deps.directory, caller, agentId);
      return jsonReply(200, shownRule(await this.ruleOf(agent, ruleId), this.now(), BY_ID));
    });
  }

  /** 201 for a rule in force, 202 for a suggestion. */
  setRule(caller: Caller, id: string, agentId: string, sent: Sent): Promise<Reply> {
    return this.changing(caller, id, { sent, what: `set ${agentId}` }, async ({ by }, body) => {
      const subject = this.subject(caller, agentId);
      const { match, change, ...rest } = this.checks.rule.check(body);
      const wanted = wantedOf({ match, change }, null, await this.means(subject));
      return this.replyOf(await this.deps.rules.set(by, subject, { ...wanted, ...rest }), 201);
    });
  }

  patchRule(caller: Caller, id: string, agentId: string, ruleId: string, sent: Sent): Promise<Reply> {
    return this.changing(caller, id, { sent, what: `patch ${agentId} ${ruleId}` }, async ({ by }, body) => {
      const rule = await this.ownRule(caller, agentId, ruleId);
      const { match, change, mode, expires_in_days } = this.checks.patch.check(body);
      const wanted = match || change ? wantedOf({ match, change }, rule, await this.means(rule)) : undefined;
      return this.replyOf(await this.deps.rules.amend(by, rule, { mode, expires_in_days, wanted }));
    });
  }

  /** 200 with the rule that is over; 202 with a suggestion where that would loosen something. */
  deleteRule(caller: Caller, id: string, agentId: string, ruleId: string): Promise<Reply> {
    const sent = { key: null, read: () => ({}) };
    return this.changing(caller, id, { sent, what: `delete ${agentId} ${ruleId}` }, async ({ by }) => {
      const rule = await this.ownRule(caller, agentId, ruleId);
      if (!(await this.deps.rules.isFreeToEnd(rule))) return this.replyOf(await this.deps.rules.end(by, rule));
      return this.replyOf({ kind: "in_force", rule: await this.deps.desk.revert(by, rule) });
    });
  }

  private reading(caller: Caller, id: string, work: () => Promise<Reply>): Promise<Reply> {
    return auditedReply(this.deps.guard, { caller, kind: KIND, id }, work);
  }

  private changing(
    caller: Caller,
    id: string,
    { sent, what }: { sent: Sent; what: string },
    work: (acting: Acting, body: unknown) => Promise<Reply>,
  ): Promise<Reply> {
    return auditedReply(this.deps.guard, { caller, kind: KIND, id }, async (call) => {
      call.mustRun();
      if (caller.agent) {
        throw new GuardError(
          "insufficient_scope",
          "An agent's token never changes what governs it. Use a user's token.",
        );
      }
      const body = sent.read();
      const scope = `${caller.user.id} - ${KIND} ${what}`;
      return this.deps.idempotency.once({ scope, key: sent.key, body }, () => work(actingAs(caller), body));
    });
  }

  private replyOf(outcome: Parameters<typeof shownOutcome>[0], status = 200): Reply {
    const shown = shownOutcome(outcome, this.now(), BY_ID, status);
    return jsonReply(shown.status, shown.body);
  }

  private shown(suggestion: Suggestion) {
    return shownSuggestion(suggestion, this.now(), BY_ID);
  }

  private isOf({ user, agent }: Caller, { agent_id, user_id }: Suggestion): boolean {
    if (agent_id === null) return agent === null && user_id === user.id;
    return agent ? agent.id === agent_id : this.deps.directory.agent(agent_id)?.owner_id === user.id;
  }

  /** Throws `not_found`, for another's too. */
  private async own(caller: Caller, id: string): Promise<Suggestion> {
    const suggestion = isUuid(id) ? await this.deps.suggestions.byId(id.toLowerCase()) : null;
    if (suggestion && this.isOf(caller, suggestion)) return suggestion;
    throw new GuardError("not_found", "There is no such suggestion.", { param: "id" });
  }

  private async ownActive(caller: Caller, id: string): Promise<Suggestion> {
    const suggestion = await this.own(caller, id);
    const agent = suggestion.agent_id === null ? null : this.deps.directory.agent(suggestion.agent_id);
    if (agent) mustNotBeRetired(agent);
    return suggestion;
  }

  private subject(caller: Caller, agentId: string) {
    const agent = ownAgent(this.deps.directory, caller, agentId);
    mustNotBeRetired(agent);
    return { agent_id: agent.id, user_id: agent.owner_id };
  }

  private ownRule(caller: Caller, agentId: string, ruleId: string): Promise<TuningRule> {
    return this.ruleOf(ownAgent(this.deps.directory, caller, agentId), ruleId);
  }

  private async ruleOf({ id: agentId }: Agent, ruleId: string): Promise<TuningRule> {
    const rule = isUuid(ruleId) ? await this.deps.tuning.byId(ruleId.toLowerCase()) : null;
    if (rule?.agent_id === agentId) return rule;
    throw new GuardError("not_found", "There is no such rule of this agent.", { param: "rule_id" });
  }

  private async means(subject: Parameters<Desks["ledger"]["policyOf"]>[0]) {
    return { hashOf: this.deps.hashOf, source: await this.deps.ledger.policyOf(subject) };
  }

  private now(): number {
    return this.deps.guard.clock();
  }
}

const actingAs = ({ user, token }: Caller): Acting => {
  const by: Actor = { via: "token", user_id: user.id, agent_id: null, token_id: token.id };
  return { user, by };
};
