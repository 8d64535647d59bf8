import { GuardError } from "#core/errors";
import { isRecord, type JsonRecord } from "#core/json/json";
import { jsonText } from "#core/json/json-writer";
import { Type } from "#core/schema";
import type { Frame, NamedTool, VerdictAdapter } from "#features/verdicts/frame";
import { actsOfCall } from "#features/verdicts/harnesses/local-acts";
import { listAt, recordAt, textAt } from "#features/verdicts/reading";
import type { AnsweredCall } from "#model/answered-call";
import type { VerdictSystem } from "#model/verdict";
import { type Pause, slices } from "#platform/slices";
import { type Speech, voiceOfRole } from "#policy/provenance/speech";
import type { Origin } from "#scan/detector";
import { Walk } from "#scan/texts/text-walk";
import { reasonWithin } from "./answers";
import type { FrameActor } from "./callers";

/*
 * Anthropic's inference hooks, and Cursor's of the same frame: a conversation before it goes to the model (`prompt`), or
 * the tool calls that its last message asks for (`tool_call`). Nothing can be put in a text's place.
 */

const MAX_REASON = 500;

const Message = Type.Object({ role: Type.String(), content: Type.Unknown() });

/** For the documents. What a frame holds beside it is ignored, and of another type it is allowed. */
export const InferenceHookFrame = Type.Object(
  {
    type: Type.String({ examples: ["prompt", "tool_call"] }),
    request_id: Type.Optional(Type.String()),
    tenant_id: Type.Optional(Type.String()),
    actor: Type.Optional(
      Type.Object({
        type: Type.Optional(Type.String()),
        id: Type.Optional(Type.String()),
        email_address: Type.Optional(Type.String()),
      }),
    ),
    source: Type.Optional(Type.Object({ application: Type.Optional(Type.String()) })),
    session_id: Type.Optional(Type.String()),
    model: Type.Optional(Type.String()),
    messages: Type.Optional(Type.Array(Message)),
  },
  { $id: "InferenceHookFrame" },
);

export const InferenceHookAnswer = Type.Object(
  {
    action: Type.Union([Type.Literal("allow"), Type.Literal("deny")]),
    deny_reason: Type.Optional(Type.String({ maxLength: MAX_REASON, description: "Ends with where it is disputed." })),
    reference_id: Type.Optional(Type.String({ description: "The event id, where the denial can be disputed." })),
  },
  { $id: "InferenceHookAnswer" },
);

export const inferenceHooks = (system: VerdictSystem): VerdictAdapter => ({
  system,
  toolInput: /^messages\[\d+\]\.content\[\d+\]\.input(?:[.[]|$)/,
  frameOf: (body, maxDepth) => {
    const about = { model: textAt(body, "model"), conversation: textAt(body, "session_id") || null };
    return { ...about, isReplaceable: never, isReplaced: false, ...shownIn(body, new Walk(maxDepth)) };
  },
  answerOf: (verdict) => {
    if (verdict.decision !== "deny") return { action: "allow" };
    const { eventId } = verdict;
    return {
      action: "deny",
      deny_reason: reasonWithin(verdict, MAX_REASON),
      ...(eventId !== null && { reference_id: eventId }),
    };
  },
});

export const inferenceHookActor = (body: JsonRecord): FrameActor => {
  const actor = recordAt(body, "actor");
  const application = textAt(recordAt(body, "source"), "application");
  return { id: textAt(actor, "id"), email: textAt(actor, "email_address"), application };
};

const never = (): boolean => false;

type Shown = Pick<Frame, "stage" | "walk" | "tools" | "calls" | "acts" | "speech">;

const shownIn = (body: JsonRecord, walk: Walk): Shown => {
  switch (body["type"]) {
    case "prompt":
      return promptIn(messagesIn(body), walk);
    case "tool_call":
      return toolCallIn(messagesIn(body), walk);
    default:
      // Another kind of question than is known: allowed, and recorded as not looked at.
      walk.gaps.push({ param: "body", reason: "opaque" });
      return { stage: "input", walk, calls: () => [], speech: null };
  }
};

/** Throws `invalid_value`: a conversation that cannot be read is not allowed. */
const messagesIn = (body: JsonRecord): unknown[] => {
  const { messages } = body;
  if (Array.isArray(messages)) return messages;
  throw new GuardError("invalid_value", "A frame of this type has a list of messages.", { param: "messages" });
};

const promptIn = (messages: unknown[], walk: Walk): Shown => {
  walk.begin(messages.length, (at) => message(walk, messages, at));
  return { stage: "input", walk, calls: () => [], speech: speechOf(messages) };
};

const ROLE_ORIGINS: ReadonlyMap<unknown, Origin> = new Map([
  ["system", "system"],
  ["assistant", "assistant"],
]);

const message = (walk: Walk, messages: unknown[], at: number): void => {
  const said = messages[at];
  const param = `messages[${at}]`;
  if (!isRecord(said)) {
    walk.value(messages, at, param, "user", 1);
    return;
  }
  const origin = ROLE_ORIGINS.get(said["role"]) ?? "user";
  const { content } = said;
  if (!Array.isArray(content)) walk.value(said, "content", `${param}.content`, origin, 2);
  else
    walk.each(content.length, (index) => block(walk, content, index, { param: `${param}.content[${index}]`, origin }));
};

type Placed = { readonly param: string; readonly origin: Origin };

const block = (walk: Walk, content: unknown[], at: number, { param, origin }: Placed): void => {
  const part = content[at];
  if (!isRecord(part)) {
    walk.value(content, at, param, origin, 3);
    return;
  }
  const read = (key: string, whose: Origin) => walk.value(part, key, `${param}.${key}`, whose, 4);
  switch (part["type"]) {
    case "text":
      read("text", origin);
      return;
    case "tool_use":
      read("input", "tool_args");
      return;
    case "tool_result":
      read("content", "tool_result");
      return;
    case "attachment":
      // Documents are others' words, also where a person hands them over.
      read("file_name", "user");
      if (typeof part["text"] === "string") read("text", "tool_result");
      else walk.gaps.push({ param, reason: "binary" });
      return;
    default:
      walk.gaps.push({ param, reason: "opaque" });
  }
};

/** The conversation was judged before its model answered; what is asked about are the calls of that answer. */
const toolCallIn = (messages: unknown[], walk: Walk): Shown => {
  const at = messages.length - 1;
  const last = messages[at];
  const content = isRecord(last) ? listAt(last, "content") : [];
  const calls: Call[] = [];
  walk.begin(content.length + 1, (index) => {
    const part = content[index];
    const place = `messages[${at}].content[${index}]`;
    if (isToolUse(part)) {
      const param = `${place}.input`;
      calls.push({ part, param });
      walk.value(part, "input", param, "output", 4);
    } else if (index < content.length && !(isRecord(part) && JUDGED_BEFORE.has(part["type"]))) {
      walk.gaps.push({ param: place, reason: "opaque" });
    } else if (index === content.length && calls.length === 0) walk.gaps.push({ param: "messages", reason: "opaque" });
  });
  const tools = async (pause: Pause) => {
    const named: NamedTool[] = [];
    for (const [index, part] of content.entries()) {
      const param = `messages[${at}].content[${index}].input`;
      if (isToolUse(part)) named.push({ param, tool: toolOf({ part, param }) });
      const wait = pause();
      if (wait) await wait;
    }
    return named;
  };
  const acts = content.flatMap((part, index) =>
    isToolUse(part)
      ? actsOfCall(`messages[${at}].content[${index}].input`, textAt(part, "tool_name"), part["input"])
      : [],
  );
  // Calls are asked for once all of it was walked.
  return { stage: "output", walk, tools, calls: () => Promise.all(calls.map(asked)), acts, speech: speechOf(messages) };
};

/** Blocks that were judged with the conversation, or will be with the next frame. */
const JUDGED_BEFORE: ReadonlySet<unknown> = new Set(["text", "tool_result", "attachment"]);

const isToolUse = (part: unknown): part is JsonRecord => isRecord(part) && part["type"] === "tool_use";

type Call = { readonly part: JsonRecord; readonly param: string };

/** Throws `invalid_value` for a call that names no tool: nobody could say whether it may be made. */
const toolOf = ({ part, param }: Call): string => {
  const tool = textAt(part, "tool_name");
  if (tool === "") throw new GuardError("invalid_value", "A tool call without the name of its tool.", { param });
  return tool;
};

const asked = async ({ part, param }: Call): Promise<AnsweredCall> => {
  const tool = toolOf({ part, param });
  const { input = {} } = part;
  const written = typeof input === "string" ? input : await jsonText(input, () => slices.turn());
  return { param, tool, arguments: written };
};

const TOOL_BLOCKS: ReadonlySet<unknown> = new Set(["tool_result", "attachment"]);

const speechOf = (messages: readonly unknown[]): Speech => ({
  turns: messages,
  place: (at) => `messages[${at}]`,
  voiceOf: voiceOfRole,
  innerVoice: (record, voice) => ("type" in record && TOOL_BLOCKS.has(record.type) ? "tool" : voice),
  hasResult: (turn) =>
    isRecord(turn) && listAt(turn, "content").some((part) => isRecord(part) && TOOL_BLOCKS.has(part["type"])),
});
