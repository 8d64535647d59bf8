import { GuardError } from "#core/errors";
import type { GuardedCall } from "#guard/guarded-call";
import { runStepsSliced, slices } from "#platform/slices";
import {
  actType,
  actWords,
  type LocalActs,
  type LocalDenial,
  localDenials,
  strictestDenial,
} from "#policy/profile/local-acts";
import type { Judged } from "#scan/scan";

/** Acts of an agent on its machine, where its call says of them, and whether its harness can ask its user. */
export type AskedActs = { readonly param: string; readonly acts: LocalActs; readonly canAsk: boolean };

/**
 * What the agent's user is asked about; null for nothing. Throws `content_filter` for what is denied. `text`: the act as
 * the harness tells of it.
 */
export const localGate = async (
  { record, context }: GuardedCall,
  { param, acts, canAsk }: AskedActs,
  text: string,
): Promise<LocalDenial | null> => {
  const denials = await runStepsSliced(localDenials(context.rules.effective, acts), slices.begin());
  const holding = denials.filter((denial) => !record.watches(denial, actType(denial.kind), param, "output"));
  const strictest = strictestDenial(holding);
  if (strictest === null) return null;
  const isAsked = strictest.permission === "ask" && canAsk;
  const place = { start: 0, end: 0, score: 1, category: "tool", detector: "profile" } as const;
  const { layer, rule } = strictest;
  const finding: Judged = { type: actType(strictest.kind), ...place, action: isAsked ? "flag" : "block", layer, rule };
  record.add([finding], { param, origin: "output" });
  if (isAsked) return strictest;
  record.content.withhold("output", { param, origin: "tool_args", text });
  throw new GuardError(
    "content_filter",
    `${actWords({ ...strictest, permission: "deny" })} If that is wrong, dispute it:`,
    {
      param,
      extra: { event_id: record.eventId, guard: { stage: "output", action: "block", layer, rule } },
    },
  );
};
