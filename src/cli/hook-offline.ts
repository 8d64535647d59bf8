import { isRecord, type JsonRecord } from "#core/json/json";
import { readJson } from "#core/json/json-reader";
import { actsOf, type Harness } from "#features/verdicts/harnesses/harness";
import type { HookRules } from "#features/verdicts/hook-rules";
import type { OfflineDecision } from "#features/verdicts/offline-report";
import { runSteps } from "#platform/slices";
import { actWords, type LocalDenial, localDenials, strictestDenial } from "#policy/profile/local-acts";
import { holdingOf, humansNeeded, isWatched, toolDenials } from "#policy/profile/permits";

/** What a hook decides without the hub, and how it is answered. */
export type Decided = { readonly decision: OfflineDecision; readonly answer: JsonRecord };

/**
 * Decides a call of a tool that runs commands or touches files by the rules that were fetched last, as the hub would, but
 * for scanning. Null for all that rules alone cannot decide.
 */
export const decidedOffline = (harness: Harness, given: string, rules: HookRules, now: number): Decided | null => {
  const body = plainBody(given);
  if (body === null) return null;
  const event = harness.eventOf(body);
  const acts = actsOf(harness, event, body);
  if (acts === null || event.moment !== "before_tool") return null;
  const isRuled =
    (acts.commands.length === 0 || rules.commands.length > 0) && (acts.files.length === 0 || rules.files.length > 0);
  if (!isRuled) return null;
  const kind = acts.commands.length > 0 ? "command" : "file";
  const tool = holdingOf(rules, [...toolDenials(rules, event.tool), ...humansNeeded(rules, event.tool)]);
  const local = runSteps(localDenials(rules, acts)).filter((denial) => !isWatched(rules, denial));
  const denial = tool === null ? strictestDenial(local) : ({ ...tool, kind, permission: "deny" } as const);
  const isAsked = denial?.permission === "ask" && harness.canAsk(body);
  const permission = denial === null ? "allow" : isAsked ? "ask" : "deny";
  return {
    decision: {
      ...{ at: new Date(now).toISOString(), harness: harness.system, permission },
      conversation: harness.sessionOf(body).slice(0, 200) || null,
      ...{ kind: denial?.kind ?? kind, layer: denial?.layer ?? "", rule: denial?.rule ?? "" },
    },
    answer: harness.answerOf(
      { decision: permission, reason: denial === null ? "" : reasonOf(denial, permission), ...NOWHERE },
      event,
    ),
  };
};

const NOWHERE = { url: "", eventId: null, isHeld: false } as const;

const reasonOf = (denial: LocalDenial, permission: "ask" | "deny" | "allow"): string => {
  const words = actWords({ ...denial, permission: permission === "ask" ? "ask" : "deny" });
  return `${words} Decided without the hub, which cannot be reached.`;
};

/** JSON in which every name stands once, in texts that are JSON too: readers differ in what they take of two. */
const plainBody = (given: string): JsonRecord | null => {
  const body = plain(given);
  if (!isRecord(body)) return null;
  const isPlain = Object.values(body).every(
    (value) => typeof value !== "string" || !value.trimStart().startsWith("{") || plain(value) !== null,
  );
  return isPlain ? body : null;
};

const plain = (text: string): unknown => {
  try {
    const { value, repeated } = readJson(text);
    return repeated === null ? value : null;
  } catch (cause) {
    if (cause instanceof SyntaxError) return null;
    throw cause;
  }
};
