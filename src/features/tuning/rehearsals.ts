import type { PolicyResolver } from "#guard/enforcement/policy-resolver";
import type { TuningSubject } from "#policy/tuning/rule";
import type { TuningBase } from "#policy/tuning/validity";
import type { EvidenceLoader } from "./evidence-loader";
import type { Rehearsal, SuggestionMaker } from "./suggestion-maker";
import type { TuningNeeds } from "./suggestion-state-machine";

type RehearsalsNeeds = {
  readonly policyResolver: PolicyResolver;
  readonly maker: SuggestionMaker;
  readonly evidence: EvidenceLoader;
  readonly reports: TuningNeeds["reports"];
};

/** What a change of tuning is tried against before it is put in force. */
export class Rehearsals implements Pick<TuningNeeds, "tuningBaseOf" | "impactOf" | "rehearse"> {
  constructor(private readonly needs: RehearsalsNeeds) {}

  tuningBaseOf({ agent_id }: TuningSubject): TuningBase {
    const { policyResolver } = this.needs;
    return {
      source: policyResolver.rulesOfAgent(agent_id).effective.policy,
      most_delta:
        (agent_id === null ? null : policyResolver.profileOf(agent_id))?.body.tunable.max_threshold_delta ?? null,
    };
  }

  readonly impactOf: TuningNeeds["impactOf"] = (subject, change) => this.needs.maker.impactOf(subject, change);

  /** On the samples, and on what is kept of each of the reports. */
  readonly rehearse: TuningNeeds["rehearse"] = async (subject, change, reportIds) => {
    const { maker, evidence, reports } = this.needs;
    const tried = [await maker.rehearse(subject, change, null)];
    for (const id of reportIds) {
      const report = await reports.byId(id);
      if (report) tried.push(await maker.rehearse(subject, change, await evidence.of(report)));
    }
    return together(tried);
  };
}

/** It passes where something can be told, and nothing tells otherwise. */
const together = (tried: readonly Rehearsal[]): Rehearsal => {
  const told = tried.flatMap(({ passes }) => passes ?? []);
  return {
    broken: [...new Set(tried.flatMap(({ broken }) => broken))],
    passes: told.length === 0 ? null : told.every(Boolean),
  };
};
