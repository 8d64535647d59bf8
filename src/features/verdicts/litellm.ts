import { GuardError } from "#core/errors";
import { isRecord } from "#core/json/json";
import { Type } from "#core/schema";
import type { AnsweredCall } from "#model/answered-call";
import type { Speech } from "#policy/provenance/speech";
import { voiceOfRole } from "#policy/provenance/speech";
import type { Origin } from "#scan/detector";
import { Walk } from "#scan/texts/text-walk";
import type { TokenAdapter } from "./frame";
import { actsOfCall } from "./harnesses/local-acts";
import { listAt, textAt } from "./reading";

/*
 * LiteLLM's generic guardrail API, as of LiteLLM 1.108 (`generic_guardrail_api`): the texts of any of its endpoints, in
 * one list, with the chat messages they come from where there are any.
 */

const nullable = <T extends ReturnType<typeof Type.Unknown> | ReturnType<typeof Type.String>>(schema: T) =>
  Type.Optional(Type.Union([schema, Type.Null()]));
const texts = Type.Optional(Type.Union([Type.Array(Type.String()), Type.Null()]));
const objects = Type.Optional(Type.Union([Type.Array(Type.Record(Type.String(), Type.Unknown())), Type.Null()]));

export const LiteLlmRequest = Type.Object(
  {
    input_type: Type.Union([Type.Literal("request"), Type.Literal("response")]),
    texts,
    structured_messages: objects,
    tools: objects,
    tool_calls: objects,
    images: texts,
    model: nullable(Type.String()),
    litellm_trace_id: nullable(Type.String()),
  },
  { $id: "LiteLlmGuardrailRequest" },
);

export const LiteLlmAnswer = Type.Object(
  {
    action: Type.Union([Type.Literal("NONE"), Type.Literal("GUARDRAIL_INTERVENED"), Type.Literal("BLOCKED")]),
    blocked_reason: Type.Optional(Type.String()),
    texts: Type.Optional(Type.Array(Type.String(), { description: "All texts, those that were redacted among them." })),
    tools: Type.Optional(Type.Array(Type.Record(Type.String(), Type.Unknown()))),
    stream_holdback_chars: Type.Optional(
      Type.Array(Type.Integer(), { description: "Of each text, characters at its end that are not to leave yet." }),
    ),
  },
  { $id: "LiteLlmGuardrailAnswer" },
);

/**
 * Of a streamed answer LiteLLM sends what there is so far. So many characters at its end stay with it until more has
 * come, so that what begins in them is redacted whole: as many as the longest values that are not keys in many lines.
 */
const HELD_BACK = 256;

export const LITELLM: TokenAdapter = {
  system: "litellm",
  schema: LiteLlmRequest,
  title: "a request of LiteLLM's generic guardrail API",
  toolInput: /^tool_calls\[\d+\]\.(?:function|custom)\.(?:arguments|input)(?:[.[]|$)/,
  frameOf: (body, maxDepth) => {
    const isAnswer = body["input_type"] === "response";
    const walk = new Walk(maxDepth);
    const said = listAt(body, "texts");
    const originOf = isAnswer ? () => "output" as const : originsIn(listAt(body, "structured_messages"));
    const steps = [
      () => walk.each(said.length, (at) => walk.value(said, at, `texts[${at}]`, originOf(said[at]), 2)),
      () => walk.field(body, "tools", "tool_definition"),
      () => walk.field(body, "tool_calls", isAnswer ? "output" : "tool_args"),
      () => images(walk, listAt(body, "images")),
    ];
    walk.begin(steps.length, (at) => steps[at]?.());
    return {
      stage: isAnswer ? "output" : "input",
      model: textAt(body, "model"),
      conversation: textAt(body, "litellm_trace_id") || null,
      walk,
      isReplaced: listAt(body, "tool_calls").length === 0,
      isReplaceable: (param) => param.startsWith("texts[") || param.startsWith("tools["),
      calls: () => (isAnswer ? callsIn(listAt(body, "tool_calls")) : []),
      acts: isAnswer ? callsIn(listAt(body, "tool_calls")).flatMap(actsIn) : [],
      speech: speechIn(listAt(body, "structured_messages")),
    };
  },
  answerOf: ({ decision, reason }, body) => {
    if (decision === "deny") return { action: "BLOCKED", blocked_reason: reason };
    const held = body["input_type"] === "response" && {
      stream_holdback_chars: listAt(body, "texts").map(() => HELD_BACK),
    };
    if (decision === "allow") return { action: "NONE", ...held };
    const { texts: left, tools } = body;
    return { action: "GUARDRAIL_INTERVENED", texts: left ?? [], ...(Array.isArray(tools) && { tools }), ...held };
  },
};

/** LiteLLM shows pictures by address or as data; no detector looks at them. */
const images = (walk: Walk, list: readonly unknown[]): void =>
  list.forEach((image, at) => {
    const isRemote = typeof image === "string" && /^https?:/i.test(image);
    walk.gaps.push({ param: `images[${at}]`, reason: isRemote ? "remote_media" : "binary" });
  });

const ROLE_ORIGINS: ReadonlyMap<unknown, Origin> = new Map([
  ["system", "system"],
  ["developer", "system"],
  ["assistant", "assistant"],
  ["tool", "tool_result"],
  ["function", "tool_result"],
]);

/** Whose a text is, by the message that has it; the user's where none has, or several do. */
const originsIn = (messages: readonly unknown[]): ((text: unknown) => Origin) => {
  const origins = new Map<unknown, Origin>();
  const note = (text: unknown, origin: Origin) => {
    const known = origins.get(text);
    origins.set(text, known === undefined || known === origin ? origin : "user");
  };
  for (const message of messages) {
    if (!isRecord(message)) continue;
    const origin = ROLE_ORIGINS.get(message["role"]) ?? "user";
    const { content } = message;
    if (!Array.isArray(content)) note(content, origin);
    else for (const part of content) if (isRecord(part)) note(part["text"], origin);
  }
  return (text) => origins.get(text) ?? "user";
};

/** Throws `invalid_value` for a call that names no tool: nobody could say whether it may be made. */
const callsIn = (calls: readonly unknown[]): AnsweredCall[] =>
  calls.map((call, at) => {
    const kind = isRecord(call) && isRecord(call["custom"]) ? "custom" : "function";
    const called = isRecord(call) ? call[kind] : null;
    const param = `tool_calls[${at}].${kind}`;
    if (!isRecord(called) || typeof called["name"] !== "string") {
      throw new GuardError("invalid_value", "A tool call without the name of its tool.", { param });
    }
    const given = called["arguments"] ?? called["input"] ?? {};
    return { param, tool: called["name"], arguments: typeof given === "string" ? given : JSON.stringify(given) };
  });

const actsIn = ({ param, tool, arguments: given }: AnsweredCall) => actsOfCall(param, tool, given);

const speechIn = (turns: readonly unknown[]): Speech | null =>
  turns.length === 0
    ? null
    : {
        turns,
        place: (at) => `structured_messages[${at}]`,
        voiceOf: voiceOfRole,
        innerVoice: (_, voice) => voice,
        hasResult: (turn) => voiceOfRole(turn) === "tool",
      };
