import type { Actor } from "#core/change";
import { GuardError } from "#core/errors";
import { mayChange, maySee, READING_ROLES } from "#core/ownership";
import type { Window } from "#core/page";
import type { User } from "#core/person";
import { REFUSALS, type Ruling } from "#core/review/decide";
import type { TuningRule, TuningSubject } from "#core/tuning/rule";
import type { Suggestion } from "#core/tuning/suggestion";
import type { Wanted } from "#core/tuning/validity";
import { namesFor, type Names as People } from "#engine/names";
import type { Acting, Decision } from "#engine/tuning/approval-desk";
import type { Outcome } from "#engine/tuning/rule-desk";
import type { Applying } from "#engine/tuning/tuning-desk";
import { isUuid } from "#platform/ids";
import type { AgentStore, UserStore } from "#store/port";
import type { Desks } from "./desks";
import { wantedOf } from "./given";
import {
  peopleOfRule,
  peopleOfSuggestion,
  shownApplied,
  shownMatch,
  shownOutcome,
  shownRule,
  shownStatus,
  shownSuggestion,
} from "./presenter";
import { type Query, type SuggestionEdit, type SuggestionTrial, statesIn } from "./schema";
import type { Deciding, ReadSuggestion, TuningTrial } from "./shown";

type Deps = Desks & {
  readonly agents: Pick<AgentStore, "byIds" | "byId">;
  readonly users: Pick<UserStore, "byIds">;
  readonly now: () => number;
};

/** Null for somebody at the machine itself, who sees everything. */
type Viewer = User | null;
type Handling = { readonly user: Viewer; readonly by: Actor };

/** Tuning by people: signed in under `/api`, or named on the command line. Only here anything is approved. */
export class PersonTuningService {
  constructor(private readonly deps: Deps) {}

  /** Newest first. Throws `invalid_value`. */
  async list(user: Viewer, query: Query, window: Window) {
    const states = statesIn(query["status"]) ?? undefined;
    const effect = effectIn(query["effect"]) ?? undefined;
    const now = this.deps.now();
    const filter = { agent_id: query["agent_id"], states, effect, seen_by: scopeOf(user), now };
    const found = await this.deps.suggestions.page(filter, window);
    const people = await this.peopleIn(found, peopleOfSuggestion);
    return found.map((one) => named(shownSuggestion(one, now, people.user), people));
  }

  /** With what stands in the way of applying it, and whether the reader may decide. Throws `not_found`. */
  async read(user: Viewer, id: string): Promise<ReadSuggestion> {
    const suggestion = await this.seen(user, id);
    const { approvals } = this.deps;
    const people = await this.peopleIn([suggestion], peopleOfSuggestion);
    const ruling = user && (await approvals.ruling(user, suggestion));
    const status = await approvals.statusOf(suggestion);
    return {
      ...named(shownSuggestion(suggestion, this.deps.now(), people.user), people),
      approval_status: {
        ...shownStatus(suggestion, status, people.user),
        eligible_people: status.eligible.map(people.user),
      },
      /** Whether the reader may ask for it, apply, edit and reject it. */
      handling: await this.mayHandle(user, suggestion),
      ...(ruling && { deciding: decidingOf(ruling) }),
    };
  }

  async request(acting: Acting, id: string, note: string | null) {
    const suggestion = await this.handled(acting.user, id);
    return this.shown(await this.deps.approvals.request(acting, suggestion, note));
  }

  async approve(acting: Acting, id: string, decision: Decision) {
    return this.shown(await this.deps.approvals.approve(acting, await this.seen(acting.user, id), decision));
  }

  async deny(acting: Acting, id: string, decision: Decision) {
    return this.shown(await this.deps.approvals.deny(acting, await this.seen(acting.user, id), decision));
  }

  async reject(acting: Acting, id: string, reason: string, comment: string | null) {
    const suggestion = await this.handled(acting.user, id);
    return this.shown(await this.deps.approvals.reject(acting, suggestion, reason, comment));
  }

  async edit(acting: Acting, id: string, { note, ...given }: SuggestionEdit) {
    const suggestion = await this.handled(acting.user, id);
    const wanted = await this.wanted(suggestion, given);
    return this.shown(await this.deps.approvals.edit(acting, suggestion, wanted, note?.trim() || null));
  }

  /** What an edit would make of it. */
  async tried({ user }: Acting, id: string, given: SuggestionTrial): Promise<TuningTrial> {
    const suggestion = await this.handled(user, id);
    const { match, ...judged } = await this.deps.approvals.tried(suggestion, await this.wanted(suggestion, given));
    return { object: "tuning_trial", ...judged, match: shownMatch(match) };
  }

  private async wanted(suggestion: Suggestion, given: SuggestionTrial): Promise<Wanted> {
    const { match, change } = suggestion;
    if (change.op === "amend") {
      throw new GuardError("state_conflict", "What it would do to the rule cannot be edited. Reject it instead.");
    }
    const means = { hashOf: this.deps.hashOf, source: await this.deps.ledger.policyOf(suggestion) };
    return wantedOf(given, { match, change }, means);
  }

  async apply({ user, by }: Handling, id: string, applying: Applying) {
    const applied = await this.deps.desk.apply(by, await this.handled(user, id), applying);
    const { user: names } = await this.peopleIn([applied.rule], peopleOfRule);
    return shownApplied(applied, this.deps.now(), names);
  }

  /** Those in force; of one agent also those that are over. Newest first. */
  async rules(user: Viewer, query: Query, window: Window) {
    const filter = { agent_id: query["agent_id"], seen_by: scopeOf(user) };
    const rules = await this.deps.tuning.page(filter, window);
    const people = await this.peopleIn(rules, peopleOfRule);
    return Promise.all(
      rules.map(async (rule) => ({
        ...named(shownRule(rule, this.deps.now(), people.user), people),
        /** Whether the reader may take it back. */
        handling: await this.mayHandle(user, rule),
      })),
    );
  }

  /** 200 with the rule that is over; 202 with a suggestion where that would loosen something. */
  async revert({ user, by }: Handling, ruleId: string) {
    const rule = isUuid(ruleId) ? await this.deps.tuning.byId(ruleId.toLowerCase()) : null;
    if (!rule || !(await this.isSeen(user, rule))) {
      throw new GuardError("not_found", "There is no such rule.", { param: "id" });
    }
    await this.mustHandle(user, rule);
    const outcome = await this.end(by, rule);
    const { user: names } = await (outcome.kind === "in_force"
      ? this.peopleIn([outcome.rule], peopleOfRule)
      : this.peopleIn([outcome.suggestion], peopleOfSuggestion));
    return shownOutcome(outcome, this.deps.now(), names);
  }

  private async end(by: Actor, rule: TuningRule): Promise<Outcome> {
    if (!(await this.deps.rules.isFreeToEnd(rule))) return this.deps.rules.end(by, rule);
    return { kind: "in_force", rule: await this.deps.desk.revert(by, rule) };
  }

  private async shown(suggestion: Suggestion) {
    const { user } = await this.peopleIn([suggestion], peopleOfSuggestion);
    return shownSuggestion(suggestion, this.deps.now(), user);
  }

  /** Throws `not_found`, for what one may not see too. */
  private async seen(user: Viewer, id: string): Promise<Suggestion> {
    const suggestion = isUuid(id) ? await this.deps.suggestions.byId(id.toLowerCase()) : null;
    if (suggestion && (await this.isSeen(user, suggestion))) return suggestion;
    throw new GuardError("not_found", "There is no such suggestion.", { param: "id" });
  }

  private async handled(user: Viewer, id: string): Promise<Suggestion> {
    const suggestion = await this.seen(user, id);
    await this.mustHandle(user, suggestion);
    return suggestion;
  }

  /** Owners, administrators and reviewers do something with it; others read. Throws `insufficient_scope`. */
  private async mustHandle(user: Viewer, subject: TuningSubject): Promise<void> {
    if (await this.mayHandle(user, subject)) return;
    throw new GuardError("insufficient_scope", "This takes the agent's owner, a reviewer or an administrator.");
  }

  private async mayHandle(user: Viewer, subject: TuningSubject): Promise<boolean> {
    return !user || user.role === "reviewer" || mayChange(user, await this.owned(subject));
  }

  private async owned({ agent_id, user_id }: TuningSubject): Promise<{ readonly owner_id: string }> {
    const agent = agent_id === null ? null : await this.deps.agents.byId(agent_id);
    return { owner_id: agent?.owner_id ?? user_id };
  }

  private async isSeen(user: Viewer, subject: TuningSubject): Promise<boolean> {
    return !user || maySee(user, await this.owned(subject));
  }

  private peopleIn<T extends TuningSubject>(items: readonly T[], of: (item: T) => (string | null)[]): Promise<People> {
    return namesFor(this.deps, { users: items.flatMap(of), agents: items.map(({ agent_id }) => agent_id) });
  }
}

/** Whose suggestions and rules somebody is shown; undefined for everybody's. */
const scopeOf = (user: Viewer): string | undefined =>
  !user || READING_ROLES.includes(user.role) ? undefined : user.id;

const named = <Shown extends TuningSubject>(shown: Shown, { user, agent }: People) => ({
  ...shown,
  agent: shown.agent_id === null ? null : agent(shown.agent_id),
  user: user(shown.user_id),
});

/** `?effect=loosen`; null for both. Throws `invalid_value`. */
const effectIn = (given: string | undefined): "loosen" | "tighten" | null => {
  if (given === undefined || given === "loosen" || given === "tighten") return given ?? null;
  throw new GuardError("invalid_value", "effect is loosen or tighten.", { param: "effect" });
};

const decidingOf = (ruling: Ruling): Deciding =>
  ruling.ok
    ? { allowed: true, alone: ruling.alone, why: null }
    : { allowed: false, alone: false, why: REFUSALS[ruling.why] };
