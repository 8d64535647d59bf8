import { isRecord, type JsonRecord } from "#core/json/json";
import { type JsonDocument, readJson } from "#core/json/json-reader";
import { actsOf, type Harness } from "#features/verdicts/harnesses/harness";
import type { HookRules } from "#features/verdicts/hook-rules";
import type { OfflineDecision } from "#features/verdicts/offline-report";
import { runSteps } from "#platform/slices";
import type { Permission } from "#policy/commands/permission";
import {
  type ActKind,
  actWords,
  type LocalActs,
  type LocalDenial,
  localDenials,
  strictestDenial,
} from "#policy/profile/local-acts";
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
  if (acts === null || event.moment !== "before_tool" || !isRuled(rules, acts)) return null;
  const denial = denialOf(rules, event.tool, acts);
  const permission = permissionOf(denial, harness.canAsk(body));
  const { kind, layer, rule } = denial ?? { kind: kindOf(acts), layer: "", rule: "" };
  const conversation = harness.sessionOf(body).slice(0, MAX_CONVERSATION) || null;
  const reason = denial && permission !== "allow" ? reasonOf({ ...denial, permission }) : "";
  return {
    decision: { at: new Date(now).toISOString(), harness: harness.system, conversation, permission, kind, layer, rule },
    answer: harness.answerOf({ decision: permission, reason, ...NOWHERE }, event),
  };
};

const MAX_CONVERSATION = 200;

/** Where no layer says anything of commands, or of files, nobody has decided about them. */
const isRuled = (rules: HookRules, { commands, files }: LocalActs): boolean =>
  (commands.length === 0 || rules.commands.length > 0) && (files.length === 0 || rules.files.length > 0);

const kindOf = ({ commands }: LocalActs): ActKind => (commands.length > 0 ? "command" : "file");

/** What forbids it, or asks about it: first of all what the layers say of the tool. */
const denialOf = (rules: HookRules, tool: string, acts: LocalActs): LocalDenial | null => {
  const ofTool = holdingOf(rules, [...toolDenials(rules, tool), ...humansNeeded(rules, tool)]);
  if (ofTool !== null) return { ...ofTool, kind: kindOf(acts), permission: "deny" };
  return strictestDenial(runSteps(localDenials(rules, acts)).filter((denial) => !isWatched(rules, denial)));
};

const permissionOf = (denial: LocalDenial | null, canAsk: boolean): Permission => {
  if (denial === null) return "allow";
  return denial.permission === "ask" && canAsk ? "ask" : "deny";
};

const NOWHERE = { url: "", eventId: null, isHeld: false } as const;

const reasonOf = (denial: LocalDenial): string =>
  `${actWords(denial)} Decided without the hub, which cannot be reached.`;

/** JSON in which every name stands once, in texts that are JSON too: readers differ in what they take of two. */
const plainBody = (given: string): JsonRecord | null => {
  const body = documentIn(given);
  if (body === null || body.repeated !== null || !isRecord(body.value)) return null;
  const texts = Object.values(body.value).filter((value) => typeof value === "string" && /^\s*\{/.test(value));
  return texts.some((text) => (documentIn(`${text}`)?.repeated ?? null) !== null) ? null : body.value;
};

const documentIn = (text: string): JsonDocument | null => {
  try {
    return readJson(text);
  } catch (cause) {
    if (cause instanceof SyntaxError) return null;
    throw cause;
  }
};
