import { GuardError } from "#core/errors";
import { isRecord, type JsonRecord } from "#core/json/json";
import { jsonText } from "#core/json/json-writer";
import { Type } from "#core/schema";
import type { VerdictAdapter } from "#features/verdicts/frame";
import { actsOfCall } from "#features/verdicts/harnesses/local-acts";
import { listAt, recordAt, textAt } from "#features/verdicts/reading";
import { slices } from "#platform/slices";
import { type Speech, voiceOfRole } from "#policy/provenance/speech";
import type { Origin } from "#scan/detector";
import { Walk } from "#scan/texts/text-walk";
import { reasonWithin } from "./answers";
import type { FrameActor } from "./callers";

/*
 * Copilot Studio's external threat detection, api-version 2025-05-01: asked before each call of a tool, with what the
 * agent's planner was told. It tells of nothing else, so what was said is judged here too.
 */

const MAX_REASON = 500;
/** The hub's own number for a denial; Copilot Studio only shows it to its makers. */
const DENIED = 100;

const Json = Type.Record(Type.String(), Type.Unknown());

export const ToolExecution = Type.Object(
  {
    plannerContext: Type.Optional(Json),
    toolDefinition: Type.Optional(Json),
    inputValues: Type.Optional(Json),
    conversationMetadata: Type.Optional(Json),
  },
  { $id: "CopilotStudioToolExecution" },
);

export const ToolExecutionAnswer = Type.Object(
  {
    blockAction: Type.Boolean(),
    reasonCode: Type.Optional(Type.Integer()),
    reason: Type.Optional(Type.String()),
    diagnostics: Type.Optional(
      Type.String({ description: "JSON with the event id, where the denial can be disputed." }),
    ),
  },
  { $id: "CopilotStudioVerdict" },
);

export const ValidationAnswer = Type.Object(
  { isSuccessful: Type.Boolean(), status: Type.String({ examples: ["OK"] }) },
  { $id: "CopilotStudioValidation" },
);

const INPUT = "inputValues";

export const TOOL_EXECUTION: VerdictAdapter = {
  system: "copilot-studio",
  toolInput: /^inputValues(?:[.[]|$)/,
  frameOf: (body, maxDepth) => {
    const named = () => [{ param: INPUT, tool: toolIn(body) }];
    const planner = recordAt(body, "plannerContext");
    const walk = new Walk(maxDepth);
    walk.begin(1, () => walk.value(body, INPUT, INPUT, "output", 1));
    return {
      stage: "output",
      model: "",
      conversation: textAt(recordAt(body, "conversationMetadata"), "conversationId") || null,
      context: saidIn(body, planner, new Walk(maxDepth)),
      walk,
      isReplaceable: () => false,
      isReplaced: false,
      tools: named,
      calls: async () => {
        const given = await jsonText(body[INPUT] ?? {}, () => slices.turn());
        return named().map((one) => ({ ...one, arguments: given }));
      },
      acts: actsOfCall(INPUT, textAt(recordAt(body, "toolDefinition"), "name"), body[INPUT]),
      speech: speechOf(planner),
    };
  },
  answerOf: (verdict) => {
    if (verdict.decision !== "deny") return { blockAction: false };
    const { eventId } = verdict;
    return {
      ...{ blockAction: true, reasonCode: DENIED, reason: reasonWithin(verdict, MAX_REASON) },
      ...(eventId !== null && { diagnostics: JSON.stringify({ reference_id: eventId }) }),
    };
  },
};

/** Throws `invalid_value` for a call that names no tool: nobody could say whether it may be made. */
const toolIn = (body: JsonRecord): string => {
  const tool = textAt(recordAt(body, "toolDefinition"), "name");
  if (tool !== "") return tool;
  throw new GuardError("invalid_value", "A tool call without the name of its tool.", { param: "toolDefinition" });
};

/** Asked once, when the hub is entered: whether it is there and lets this source in. */
export const VALIDATION: VerdictAdapter = {
  ...TOOL_EXECUTION,
  frameOf: (_, maxDepth) => ({
    ...{ stage: "input", model: "", conversation: null, walk: new Walk(maxDepth), speech: null },
    ...{ isReplaceable: () => false, isReplaced: false, calls: () => [] },
  }),
  answerOf: (verdict) =>
    verdict.decision === "deny"
      ? { isSuccessful: false, status: reasonWithin(verdict, MAX_REASON) }
      : { isSuccessful: true, status: "OK" },
};

export const copilotStudioActor = (body: JsonRecord): FrameActor => {
  const { user, agent } = recordAt(body, "conversationMetadata");
  const id = isRecord(user) ? textAt(user, "id") : "";
  const email = isRecord(user) ? textAt(user, "email") : "";
  const application = isRecord(agent) ? textAt(agent, "id") : "";
  return { id, email, application };
};

const saidIn = (body: JsonRecord, planner: JsonRecord, walk: Walk): Walk => {
  const history = listAt(planner, "chatHistory");
  const outputs = listAt(planner, "previousToolOutputs");
  const steps = [
    () => walk.value(body, "toolDefinition", "toolDefinition", "tool_definition", 1),
    () => walk.value(planner, "userMessage", "plannerContext.userMessage", "user", 2),
    () => walk.value(planner, "thought", "plannerContext.thought", "assistant", 2),
    () => walk.each(history.length, (at) => walk.value(history, at, `${HISTORY}[${at}]`, originOf(history[at]), 3)),
    () => walk.each(outputs.length, (at) => walk.value(outputs, at, `${OUTPUTS}[${at}]`, "tool_result", 3)),
  ];
  walk.begin(steps.length, (at) => steps[at]?.());
  return walk;
};

const HISTORY = "plannerContext.chatHistory";
const OUTPUTS = "plannerContext.previousToolOutputs";

const originOf = (turn: unknown): Origin => (isRecord(turn) && turn["role"] === "assistant" ? "assistant" : "user");

type Turn = { readonly role: string; readonly content: unknown };

/** What the planner was told, as turns: who used the agent, then the tools. */
const speechOf = (planner: JsonRecord): Speech => {
  const history = listAt(planner, "chatHistory");
  const outputs = listAt(planner, "previousToolOutputs");
  const asked: Turn[] = "userMessage" in planner ? [{ role: "user", content: planner["userMessage"] }] : [];
  const results = outputs.map((content): Turn => ({ role: "tool", content }));
  return {
    turns: [...history, ...asked, ...results],
    place: (at) => {
      if (at < history.length) return `${HISTORY}[${at}]`;
      const after = at - history.length - asked.length;
      return after < 0 ? "plannerContext.userMessage" : `${OUTPUTS}[${after}]`;
    },
    voiceOf: voiceOfRole,
    innerVoice: (_, voice) => voice,
    hasResult: (turn) => voiceOfRole(turn) === "tool",
  };
};
