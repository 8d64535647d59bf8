import type { Effective } from "#policy/profile/effective";
import { explain } from "#policy/profile/explain";
import type { GuardrailProfile } from "#policy/profile/profile";
import type { Restriction } from "#policy/restrictions/restriction";
import type { EffectiveView } from "./schema";

const time = (at: number): string => new Date(at).toISOString();

/** What an agent is held to, as it is shown to people. */
export const effectiveView = (
  profile: GuardrailProfile | null,
  effective: Effective | null,
  restrictions: readonly Restriction[],
): EffectiveView => ({
  governed: profile !== null,
  profile,
  effective: effective && shown(effective),
  explain: effective === null ? [] : explain(effective),
  restrictions: restrictions.map(({ id, kind, params, source, reason, starts_at, expires_at }) => ({
    id,
    kind,
    params,
    source,
    reason,
    starts_at: time(starts_at),
    expires_at: expires_at === null ? null : time(expires_at),
  })),
});

/** Without the operator's own words and patterns: those are nobody's but the operator's. */
const shown = ({ policy, ...rest }: Effective) => {
  const { custom: _custom, ...open } = policy;
  return { ...rest, policy: open };
};
