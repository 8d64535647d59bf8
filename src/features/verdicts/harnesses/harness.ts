import { isRecord, type JsonRecord } from "#core/json/json";
import { digitsOf, isNumber } from "#core/json/json-number";
import { parseExact } from "#core/json/json-reader";
import { jsonText } from "#core/json/json-writer";
import { Type } from "#core/schema";
import type { Frame, TokenAdapter, Verdict } from "#features/verdicts/frame";
import type { AskedActs } from "#features/verdicts/local-gate";
import type { HarnessName } from "#model/verdict";
import { slices } from "#platform/slices";
import type { LocalActs } from "#policy/profile/local-acts";
import { type Speech, voiceOfRole } from "#policy/provenance/speech";
import { Walk } from "#scan/texts/text-walk";
import { localActs, readOf } from "./local-acts";

/** What a coding agent tells its hook of: a prompt, a tool call that is to be made, or what a tool has answered. */
export type HarnessEvent =
  | { readonly moment: "prompt"; readonly at: Place }
  | { readonly moment: "before_tool"; readonly tool: string; readonly at: Place }
  /** `isReplaceable`: whether the harness shows its model another answer in place of the tool's. */
  | {
      readonly moment: "after_tool";
      readonly tool: string;
      readonly at: Place;
      readonly isReplaceable: boolean;
      /** A file whose words the model is about to be given, where the event is of one. */
      readonly file?: string;
    }
  /** Passes unread, which is on record. */
  | { readonly moment: "other" };

/** Where in the body the words stand. */
export type Place = { readonly holder: JsonRecord; readonly key: string };

/** How one harness tells of its events, and how it is answered. */
export type Harness = {
  readonly system: HarnessName;
  /** Its name for a conversation; empty where it gives none. */
  readonly sessionOf: (body: JsonRecord) => string;
  readonly eventOf: (body: JsonRecord) => HarnessEvent;
  /** The directory that the agent is in; empty where it does not say. */
  readonly folderOf: (body: JsonRecord) => string;
  /** Whether its user can be asked about the call of a tool that the event is of. */
  readonly canAsk: (body: JsonRecord) => boolean;
  readonly answerOf: (verdict: Verdict, event: HarnessEvent) => JsonRecord;
};

/** Open at every level: harnesses tell of more than is looked at, and more with each version. */
export const HarnessRequest = Type.Record(Type.String(), Type.Unknown(), { $id: "HarnessHookInput" });

/** Each harness has an answer of its own. */
export const HarnessAnswer = Type.Record(Type.String(), Type.Unknown(), { $id: "HarnessHookAnswer" });

export const adapterOf = (harness: Harness): TokenAdapter => ({
  system: harness.system,
  schema: HarnessRequest,
  title: `what a hook of ${harness.system} is given`,
  toolInput: TOOL_INPUT,
  frameOf: (body, maxDepth) => {
    const about = { model: "", conversation: harness.sessionOf(body) || null };
    const event = harness.eventOf(body);
    return { ...about, ...frameOf(event, new Walk(maxDepth)), acts: askedActs(harness, event, body) };
  },
  answerOf: (verdict, body) => harness.answerOf(verdict, harness.eventOf(body)),
});

/** Where a frame of an event has what the tool is given. */
const INPUT = "tool_input";
const RESPONSE = "tool_response";
const TOOL_INPUT = /^tool_input(?:[.[]|$)/;

/** What the event says that the agent is about to do on its machine; null for nothing. */
export const actsOf = (harness: Harness, event: HarnessEvent, body: JsonRecord): LocalActs | null => {
  const place = harness.folderOf(body) || null;
  if (event.moment === "before_tool") return localActs(event.tool, event.at.holder[event.at.key], place);
  return event.moment === "after_tool" && event.file !== undefined ? readOf(event.file, place) : null;
};

/** Nobody asks about a file that was read. */
const askedActs = (harness: Harness, event: HarnessEvent, body: JsonRecord): AskedActs[] => {
  const acts = actsOf(harness, event, body);
  const isBefore = event.moment === "before_tool";
  if (acts === null) return [];
  return [{ param: isBefore ? INPUT : RESPONSE, acts, canAsk: isBefore && harness.canAsk(body) }];
};

type Shown = Omit<Frame, "model" | "conversation">;

const frameOf = (event: HarnessEvent, walk: Walk): Shown => {
  const shown = { walk, calls: () => [], speech: null, isReplaceable: never, isReplaced: false };
  if (event.moment === "other") {
    walk.gaps.push({ param: "body", reason: "opaque" });
    return { ...shown, stage: "input" };
  }
  const { holder, key } = event.at;
  switch (event.moment) {
    case "prompt":
      walk.begin(1, () => walk.value(holder, key, "prompt", "user", 1));
      return { ...shown, stage: "input", speech: said("user", holder[key], "prompt") };
    case "after_tool":
      walk.begin(1, () => walk.value(holder, key, RESPONSE, "tool_result", 1));
      return {
        ...shown,
        stage: "input",
        speech: said("tool", holder[key], `tool ${event.tool}`),
        isReplaceable: event.isReplaceable ? always : never,
        isReplaced: event.isReplaceable,
      };
    case "before_tool": {
      const given = holder[key];
      walk.begin(1, () => walk.value(holder, key, INPUT, "tool_args", 1));
      const { tool } = event;
      const calls = async () => {
        const written = typeof given === "string" ? given : await jsonText(given ?? {}, () => slices.turn());
        return [{ param: INPUT, tool, arguments: written }];
      };
      return { ...shown, stage: "output", calls };
    }
  }
};

const always = (): boolean => true;
const never = (): boolean => false;

const said = (role: "user" | "tool", content: unknown, place: string): Speech => ({
  turns: [{ role, content }],
  place: () => place,
  voiceOf: voiceOfRole,
  innerVoice: (_, voice) => voice,
  hasResult: () => role === "tool",
});

/** A place whose value is JSON in a string with the value itself: some harnesses write what tools are given so. */
export const readPlace = ({ holder, key }: Place): Place => {
  const given = holder[key];
  if (typeof given !== "string") return { holder, key };
  const read = parseExact(given);
  return isRecord(read) ? { holder: { [key]: read }, key } : { holder, key };
};

/** An answer of the same shape with a note in place of what it said: texts, long numbers, and names that may be texts. */
export const withheld = (value: unknown, note: string): unknown => {
  let isSaid = false;
  const text = () => {
    if (isSaid) return "";
    isSaid = true;
    return note;
  };
  const without = (part: unknown, key: string): unknown => {
    if (typeof part === "string") return key === "type" && PLAIN.test(part) ? part : text();
    if (isNumber(part)) return digitsOf(part).length < MIN_NUMBER ? part : 0;
    if (Array.isArray(part)) return part.map((item) => without(item, ""));
    if (!isRecord(part)) return part;
    return Object.fromEntries(
      Object.entries(part).flatMap(([name, item]) => (PLAIN.test(name) ? [[name, without(item, name)]] : [])),
    );
  };
  const left = without(value, "");
  return isSaid ? left : note;
};

const PLAIN = /^[A-Za-z_]{1,32}$/;
/** Digits of the shortest number that can be an account's. */
const MIN_NUMBER = 9;
