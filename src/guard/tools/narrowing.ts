import type { PolicyResolver } from "#guard/enforcement/policy-resolver";
import { holdingOf, toolDenials } from "#policy/profile/permits";
import type { Narrowing } from "./view";

const NOT_NARROWED = { governed: null, client: null, by: null };

/** What profiles and restrictions leave of a caller's tools. A profile that only watches hides nothing. */
export const narrowedBy =
  (policyResolver: PolicyResolver): Narrowing =>
  ({ agent, client }) => {
    if (!agent) return client ? { governed: null, client: client.tools, by: null } : NOT_NARROWED;
    const { effective } = policyResolver.rulesOfAgent(agent.id);
    if (effective.tools.length === 0) return NOT_NARROWED;
    const own = `profile v${effective.profile_version}`;
    const governed = (name: string) => {
      const denial = holdingOf(effective, toolDenials(effective, name));
      if (!denial) return null;
      return denial.layer === own ? "profile" : "restriction";
    };
    return { governed, client: null, by: effective };
  };
