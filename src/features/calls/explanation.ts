import type { AuditRecord, CallFacts } from "#model/audit";
import type { Effective } from "#policy/profile/effective";
import { explain } from "#policy/profile/explain";
import type { Restriction } from "#policy/restrictions/restriction";
import type { TuningRule } from "#policy/tuning/rule";
import type { ProfileRow } from "#store/governance-port";
import type { CallPolicy, CallRestriction } from "./schema";

const time = (at: number): string => new Date(at).toISOString();

/** What holds for the caller now, and what of then is still known. */
export type ExplanationInputs = {
  readonly effective: Effective;
  readonly policyRevision: number;
  readonly tuningRevision: number | null;
  /** The profile that judged the call, as it is kept. */
  readonly profile: ProfileRow | null;
  /** Tuning rules the record names. */
  readonly rules: readonly TuningRule[];
  readonly then: readonly Restriction[];
  readonly now: readonly Restriction[];
};

/** Each layer as the record names it, and what all of them come to as far as that is known. */
export const policyOf = (call: CallFacts, inputs: ExplanationInputs): CallPolicy => {
  const { effective, profile } = inputs;
  const version = call.profile_version;
  const isSame =
    call.policy_revision === inputs.policyRevision &&
    version === effective.profile_version &&
    call.tuning_revision === inputs.tuningRevision &&
    idsOf(inputs.then) === idsOf(inputs.now);
  return {
    is_that_of_the_call: isSame,
    baseline: { revision: call.policy_revision, current_revision: inputs.policyRevision },
    profile:
      version === null
        ? null
        : {
            version,
            current_version: effective.profile_version,
            content_hash: profile?.content_hash ?? null,
            effective_from: profile ? time(profile.effective_from) : null,
          },
    tuning: { revision: call.tuning_revision, rules: rulesOf(call, inputs.rules) },
    explain: explain(effective),
  };
};

const idsOf = (restrictions: readonly Restriction[]): string =>
  restrictions
    .map(({ id }) => id)
    .sort()
    .join(" ");

/** Ids of tuning rules that had a say. */
export const tunedIn = ({ flags }: CallFacts): string[] => [...new Set(flags.flatMap(({ tuned }) => tuned ?? []))];

const rulesOf = (call: CallFacts, rules: readonly TuningRule[]): CallPolicy["tuning"]["rules"] =>
  tunedIn(call).map((id) => {
    const rule = rules.find((one) => one.id === id);
    return {
      id,
      kind: rule?.kind ?? null,
      effect: rule?.effect ?? null,
      mode: rule?.mode ?? null,
      status: rule?.status ?? null,
    };
  });

/** Those that held when the call ended. */
export const restrictionsAt = (all: readonly Restriction[], { at }: AuditRecord): Restriction[] => {
  const moment = Date.parse(at);
  return all.filter(
    ({ starts_at, expires_at, lifted_at }) =>
      starts_at <= moment && (expires_at === null || moment < expires_at) && (lifted_at === null || moment < lifted_at),
  );
};

export const restrictionResponse = ({ id, kind, source, reason, ...it }: Restriction): CallRestriction => ({
  id,
  kind,
  source,
  reason,
  starts_at: time(it.starts_at),
  expires_at: it.expires_at === null ? null : time(it.expires_at),
});
