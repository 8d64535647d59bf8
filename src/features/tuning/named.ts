import { namesFor, type Names as People } from "#identity/names";
import { decidingOf } from "#policy/approval/ruling";
import type { TuningRule, TuningSubject } from "#policy/tuning/rule";
import type { Suggestion } from "#policy/tuning/suggestion";
import type { AgentStore, UserStore } from "#store/port";
import type { Applied } from "./application-service";
import type { RuleOutcome } from "./rule-service";
import {
  type AppliedResponse,
  appliedResponse,
  type NamedRule,
  type NamedSuggestion,
  outcomeResponse,
  peopleOfRule,
  peopleOfSuggestion,
  type ReadSuggestion,
  ruleResponse,
  type SuggestionResponse,
  statusResponse,
  suggestionResponse,
} from "./schema";
import type { SuggestionDetails, TuningRequester, TuningService } from "./service";

type NamedTuningNeeds = {
  readonly tuningService: Pick<TuningService, "mayHandle">;
  readonly agents: Pick<AgentStore, "byIds">;
  readonly users: Pick<UserStore, "byIds">;
  readonly now: () => number;
};

/** Tuning as people are shown it: users by e-mail address, agents by name. */
export class NamedTuning {
  constructor(private readonly needs: NamedTuningNeeds) {}

  async suggestions(found: readonly Suggestion[]): Promise<NamedSuggestion[]> {
    const people = await this.peopleIn(found, peopleOfSuggestion);
    return found.map((one) => named(suggestionResponse(one, this.needs.now(), people.user), people));
  }

  async suggestion(one: Suggestion): Promise<SuggestionResponse> {
    const { user } = await this.peopleIn([one], peopleOfSuggestion);
    return suggestionResponse(one, this.needs.now(), user);
  }

  async details({ suggestion, status, handling, ruling }: SuggestionDetails): Promise<ReadSuggestion> {
    const people = await this.peopleIn([suggestion], peopleOfSuggestion);
    return {
      ...named(suggestionResponse(suggestion, this.needs.now(), people.user), people),
      approval_status: {
        ...statusResponse(suggestion, status, people.user),
        eligible_people: status.eligible.map(people.user),
      },
      handling,
      ...(ruling && { deciding: decidingOf(ruling) }),
    };
  }

  /** With whether the reader may take each back. */
  async rules(who: TuningRequester, found: readonly TuningRule[]): Promise<NamedRule[]> {
    const people = await this.peopleIn(found, peopleOfRule);
    return Promise.all(
      found.map(async (rule) => ({
        ...named(ruleResponse(rule, this.needs.now(), people.user), people),
        handling: await this.needs.tuningService.mayHandle(who, rule),
      })),
    );
  }

  async applied(applied: Applied): Promise<AppliedResponse> {
    const { user } = await this.peopleIn([applied.rule], peopleOfRule);
    return appliedResponse(applied, this.needs.now(), user);
  }

  async outcome(outcome: RuleOutcome) {
    const { user } = await (outcome.kind === "in_force"
      ? this.peopleIn([outcome.rule], peopleOfRule)
      : this.peopleIn([outcome.suggestion], peopleOfSuggestion));
    return outcomeResponse(outcome, this.needs.now(), user);
  }

  private peopleIn<T extends TuningSubject>(items: readonly T[], of: (item: T) => (string | null)[]): Promise<People> {
    return namesFor(this.needs, { users: items.flatMap(of), agents: items.map(({ agent_id }) => agent_id) });
  }
}

const named = <Response extends TuningSubject>(response: Response, { user, agent }: People) => ({
  ...response,
  agent: response.agent_id === null ? null : agent(response.agent_id),
  user: user(response.user_id),
});
