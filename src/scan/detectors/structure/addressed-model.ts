import type { Detector, Match } from "#scan/detector";
import { isTold, TOLD_SCORE } from "#scan/detectors/injection/told";
import { once } from "#scan/fold/once";
import type { View } from "#scan/view";
import { isPromptShown } from "./template-marks";

/*
 * What tools return is data; it has nobody to talk to. Text in it that talks to the model shows signs that documents for
 * people do not show together: it ends the result and begins a turn, claims that the task has changed, wants something
 * done before the answer, asks to keep it from the user. One sign is noted, several that order something are enforced.
 */

type Sign = {
  readonly name: "mark" | "turn" | "pretext" | "policy" | "task" | "secrecy" | "discretion" | "step" | "gate";
  readonly keywords: string;
  /** Sticky from the keyword on, or somewhere in the window. All quantifiers bounded. */
  readonly pattern: string;
  readonly weight: number;
};

const REACH = 320;
const BEFORE = 200;
/** Without an order, or in what tells of attacks. */
const MAX_IDLE = 0.55;
const MAX_SCORE = 0.95;
/** A single sign with an order says little: people write so as well. */
const MIN_SCORE = 0.65;

const SIGNS: readonly Sign[] = [
  {
    name: "mark",
    keywords:
      "</tool_response>,</tool_result>,</tool_results>,</tool_output>,</function_results>,</function_result>,</function_response>,</tool_call>,</untrusted>,</observation>,[/inst],[/tool_results],[end of tool,end of tool result,end of tool output,end of tool response,end of function result,--- end of result,<<end>>",
    pattern:
      "(?:</(?:tool_(?:response|results?|output|call)|function_(?:results?|response)|untrusted|observation)>|\\[/(?:inst|tool_results)\\]|\\[?end of (?:the )?(?:tool|function) (?:results?|output|response)\\]?|--- end of results?|<<end>>)",
    weight: 0.5,
  },
  {
    name: "turn",
    keywords: "assistant:,human:,user:,system:,developer:",
    // Turns the text cannot have: those of people, answered by the model that is to read it.
    pattern:
      "(?:human|user|system|developer):\\s{0,3}[^\\n]{4,200}\\n{1,3}\\s{0,3}(?:assistant|ai|agent):\\s{0,3}(?:sure|of course|understood|okay|ok|on it|certainly|yes|i will|i'll|right away|done|will do)\\b",
    weight: 0.5,
  },
  {
    name: "pretext",
    keywords:
      "training exercise,training run,training scenario,self-check,self check,self-test,self test,health check,debug build,debug mode,debugging mode,debugging session,diagnostic mode,maintenance mode,test environment,sandbox environment,simulation mode,dry run,no real data,nothing is real,evaluation run,red-team exercise,safety test",
    pattern:
      "(?:training (?:exercise|run|scenario)|self[- ](?:check|test)|debug(?:ging)? (?:build|mode|session)|(?:diagnostic|maintenance|simulation) mode|(?:test|sandbox) environment|dry run|no real data|nothing is real|evaluation run|red-team exercise|safety test)",
    weight: 0.3,
  },
  {
    name: "policy",
    keywords:
      "policy for automated,policy for ai,policy for assistants,new policy,updated policy,policy update,policy was updated,policy has changed,under the policy,new guidelines for,new rule for,new rules for,security requirement,compliance requirement",
    pattern:
      "(?:(?:new|updated) (?:policy|guidelines for|rules? for)|policy (?:update|(?:was|has been) (?:updated|changed)|has changed|for (?:automated|ai|assistants))|under the policy|(?:security|compliance) requirement)",
    weight: 0.25,
  },
  {
    name: "task",
    keywords:
      "the user has changed,the user has updated,the user changed,the user updated,user now wants,user has decided,the new task is,new task:,task has changed,task has been,task was changed,your new task,your actual task,the actual task,your real task,updated task",
    pattern:
      "(?:the user (?:has )?(?:now )?(?:changed|updated|decided)|user now wants|(?:the|your) (?:new|actual|real|updated) task(?: is)?:?|new task:|updated task|task (?:has (?:been )?|was )(?:changed|updated|replaced))",
    weight: 0.4,
  },
  {
    name: "secrecy",
    keywords:
      "do not tell,don't tell,never tell,without telling,do not mention,don't mention,without mentioning,do not inform,do not notify,without informing,do not bring,do not report,no need to tell,no need to mention,user must not,user should not,user need not,user does not need,do not let the user,leave this out of your",
    pattern:
      "(?:(?:do not|don't|never|without|no need to) (?:ever )?(?:tell|mention|inform|notify|report|bring|let|telling|mentioning|informing)(?: \\w{1,14}){0,7}? (?:user|anyone|anybody|human|operator|owner)\\b|user (?:must|should|need|does)(?: not|n't) (?:need to )?(?:know|be told|notice|see|learn)|leave this out of your (?:answer|reply|summary))",
    weight: 0.35,
  },
  {
    name: "discretion",
    keywords: "keep this between,keep it between,keep this secret,keep it secret,keep this to yourself",
    // People ask for it too.
    pattern: "keep (?:this|it) (?:between us|secret|to yourself)",
    weight: 0.25,
  },
  {
    name: "step",
    keywords:
      "before you answer,before answering,before you reply,before replying,before you respond,before responding,before you can answer,before you can go on,before you go on,before you continue with,before continuing with,before completing the,before you complete the,before you finish the,before giving your,before you give,to complete the user,in order to complete the,do this first,first do this,before you can help,before you can finish",
    pattern:
      "(?:before (?:you (?:can )?)?(?:answer|reply|respond|go on|continu|complet|finish|giv|help)(?:e|ing|s)?(?: \\w{1,12}'?s?){0,6}?|(?:in order )?to complete the (?:user(?:'s)? )?(?:task|request)|do this first|first do this)",
    weight: 0.35,
  },
  {
    name: "gate",
    keywords:
      "required step,mandatory step,only then write,only then answer,only then reply,only then continue,only after that,not answer until,not reply until,without this step",
    pattern:
      "(?:(?:required|mandatory) step(?: before| for|:)|only then (?:write|answer|reply|continue)|only after that (?:write|answer|reply|continue)|not (?:answer|reply) until|without this step)",
    weight: 0.2,
  },
];

const ADDRESS =
  /\b(?:(?:(?:your|dear|any) (?:ai )?(?:assistant|agent|chatbot)s?|(?:the|this|an?) (?:ai )?(?:assistant|chatbot)s?)\b(?! (?:manager|professor|director|coach|editor|panel))|ai (?:agents?|assistants?|models?|systems?)|automated (?:assistants?|agents?|systems?)|(?:large )?language models?|llms?\b|assistant(?: note)?:)/i;
const ADDRESS_WEIGHT = 0.25;
/** Talks to who is at work for the user. */
const AT_WORK =
  /\b(?:while you (?:were|are) (?:working|busy)|the user's (?:task|request|question)|your (?:current|original|final|next) (?:task|answer|reply|response|instructions?)|you(?:r tools?)? (?:must|have to|need to|should|has to))\b/i;
const AT_WORK_WEIGHT = 0.15;
const ORDER =
  /(?:^|[.:;!?>\]\n]\s{0,4}|\b(?:please|must|should|has to|have to|need to|first|then|also|could) )(?:also )?(?:send|forward|transfer|pay|delete|remove|wipe|run|execute|download|open|visit|call|use|invoke|invite|add|share|post|publish|book|reserve|cancel|change|reset|set|write|create|upload|install|fetch|e-?mail|message|buy|grant|disable|enable|reveal|output|print|act|do|push|copy|append|include|read|update|schedule)\b/i;
const ORDER_WEIGHT = 0.25;
/** Earlier turns of the same record: a log of a chat, which may say anything. */
const LOG = /(?:^|\n)[^\n]{0,40}\b(?:assistant|user|human|system|agent)(?:\]|\))?:/i;

type Compiled = Sign & { readonly from: RegExp; readonly anywhere: RegExp };

const compiled = once((): readonly Compiled[] =>
  SIGNS.map((sign) => ({ ...sign, from: new RegExp(sign.pattern, "iy"), anywhere: new RegExp(sign.pattern, "i") })),
);
const byKeyword = once((): ReadonlyMap<string, Compiled> => {
  const all = compiled().flatMap((sign) => sign.keywords.split(",").map((keyword) => [keyword, sign] as const));
  return new Map(all);
});

/** What the signs in a window come to. */
const scoreOf = (at: Compiled, window: string): number => {
  const names = new Set([at.name]);
  let sum = at.weight;
  for (const { name, anywhere, weight } of compiled()) {
    if (names.has(name) || !anywhere.test(window)) continue;
    names.add(name);
    sum += weight;
  }
  if (ADDRESS.test(window)) sum += ADDRESS_WEIGHT;
  if (AT_WORK.test(window)) sum += AT_WORK_WEIGHT;
  return ORDER.test(window) ? Math.min(sum + ORDER_WEIGHT, MAX_SCORE) : Math.min(sum, MAX_IDLE);
};

const isBegun = (view: View, at: number, window: string): boolean =>
  !/^\w/.test(window) || !/\w$/.test(view.before(at, 1));

const readSign = (view: View, at: number, length: number): Match | null => {
  const window = view.slice(at, at + REACH);
  if (view.short) return null;
  const sign = byKeyword().get(window.slice(0, length).toLowerCase());
  if (sign === undefined || !isBegun(view, at, window)) return null;
  sign.from.lastIndex = 0;
  const found = sign.from.exec(window)?.[0];
  if (found === undefined) return null;
  const before = view.before(at, BEFORE);
  if (sign.name === "turn" && LOG.test(before)) return null;
  const score = Math.round(scoreOf(sign, `${before}${window}`) * 100) / 100;
  if (score < MIN_SCORE) return null;
  const isAbout = isTold(view, at, "") || isPromptShown(before, window);
  return { start: at, end: at + found.length, score: isAbout ? Math.min(score, TOLD_SCORE) : score };
};

/** Text in a tool's result that talks to the model. */
export const addressedModel: Detector = {
  id: "injection.addressed",
  type: "injection.indirect",
  category: "injection",
  severity: "high",
  origins: ["tool_result"],
  reach: REACH,
  behind: BEFORE,
  maxScore: MAX_SCORE,
  get keywords() {
    return [...byKeyword().keys()];
  },
  read: readSign,
};
