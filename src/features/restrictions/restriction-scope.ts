import { GuardError } from "#core/errors";
import { ShapeCheck } from "#core/shape-check";
import { momentOf } from "#http/openapi/query-check";
import { RESTRICTION_PARAMS, type RestrictionKind, type RestrictionScope } from "#policy/restrictions/restriction";
import type { NewRestriction } from "./schema";

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** What is narrowed and until when, read off a body. Throws `invalid_value`. */
export class RestrictionScopeCheck {
  private readonly checks = {
    suspended: new ShapeCheck(RESTRICTION_PARAMS.suspended, "params"),
    model_restricted: new ShapeCheck(RESTRICTION_PARAMS.model_restricted, "params"),
    tool_restricted: new ShapeCheck(RESTRICTION_PARAMS.tool_restricted, "params"),
    rate_limited: new ShapeCheck(RESTRICTION_PARAMS.rate_limited, "params"),
    output_redaction: new ShapeCheck(RESTRICTION_PARAMS.output_redaction, "params"),
    human_approval: new ShapeCheck(RESTRICTION_PARAMS.human_approval, "params"),
  };

  narrowed({ kind, params = {} }: Pick<NewRestriction, "kind" | "params">): RestrictionScope {
    const narrowed = this.shaped(kind, params);
    if (restrictsNothing(narrowed)) {
      throw new GuardError("invalid_value", `params are missing or invalid for ${kind}.`, { param: "params" });
    }
    return narrowed;
  }

  private shaped(kind: RestrictionKind, params: object): RestrictionScope {
    const { checks } = this;
    switch (kind) {
      case "suspended":
        return { kind, params: checks.suspended.check(params) };
      case "model_restricted":
        return { kind, params: checks.model_restricted.check(params) };
      case "tool_restricted":
        return { kind, params: checks.tool_restricted.check(params) };
      case "rate_limited":
        return { kind, params: checks.rate_limited.check(params) };
      case "output_redaction":
        return { kind, params: checks.output_redaction.check(params) };
      case "human_approval":
        return { kind, params: checks.human_approval.check(params) };
    }
  }
}

/** What looks like a restriction and is none would be trusted in vain. No models at all is one. */
const restrictsNothing = (it: RestrictionScope): boolean => {
  if (it.kind === "tool_restricted") {
    const { tools_deny = [], commands_deny = [], files_deny = [], read_only } = it.params;
    return tools_deny.length + commands_deny.length + files_deny.length === 0 && read_only !== true;
  }
  if (it.kind === "rate_limited") return Object.keys(it.params).length === 0;
  return it.kind === "human_approval" && it.params.tools.length === 0;
};

/** Unix milliseconds; null for no end. Throws `invalid_value`. */
export const endOf = (
  { expires_in, expires_at }: Pick<NewRestriction, "expires_in" | "expires_at">,
  now: number,
): number | null => {
  if (expires_in !== undefined && expires_at !== undefined) {
    throw new GuardError("invalid_value", "Set expires_in or expires_at, not both.", { param: "expires_in" });
  }
  if (expires_at !== undefined) {
    const end = momentOf(expires_at);
    if (Number.isFinite(end)) return end;
    throw new GuardError("invalid_value", "expires_at is not a valid date or time.", { param: "expires_at" });
  }
  if (expires_in === undefined) return null;
  const seconds =
    typeof expires_in === "number"
      ? expires_in
      : Number(expires_in.slice(0, -1)) * (SECONDS[expires_in.slice(-1)] ?? Number.NaN);
  return now + seconds * 1_000;
};
