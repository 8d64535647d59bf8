import { isRecord } from "#core/json/json";
import { digitsOf, isNumber } from "#core/json/json-number";

/** Who said something. What the model itself said first is its own; what it repeats stays a tool's. */
export type Voice = "trusted" | "tool" | "model";

/** Who says what in the conversation that a request holds, as its API has it. */
export type Speech = {
  /** Its turns, in their order. */
  readonly turns: readonly unknown[];
  /** Where a turn stands, as records name it. */
  readonly place: (at: number) => string;
  /** Whose a turn is; undefined if it is neither trusted nor a tool's nor the model's. */
  readonly voiceOf: (turn: unknown) => Voice | undefined;
  /** Whose a record inside a turn is: some clients hand tools' results over in a part of a user's message. */
  readonly innerVoice: (record: object, voice: Voice) => Voice;
  /** Whether a turn holds what a tool said. */
  readonly hasResult: (turn: unknown) => boolean;
};

/** Files in base64; nothing in them can be taken over by a model as it stands. */
const MAX_DATA_URL_LENGTH = 256;

/** All texts of a turn, names of fields too, with who says them. */
export const saidIn = (speech: Voices, turn: unknown, maxDepth: number): [Voice, string][] => {
  const voice = speech.voiceOf(turn);
  const said: [Voice, string][] = [];
  if (voice) collect(speech, said, turn, voice, maxDepth);
  return said;
};

type Voices = Pick<Speech, "voiceOf" | "innerVoice">;

const collect = (speech: Voices, said: [Voice, string][], value: unknown, voice: Voice, depth: number): void => {
  if (typeof value === "string") {
    if (value.length < MAX_DATA_URL_LENGTH || !value.startsWith("data:")) said.push([voice, value]);
  } else if (isNumber(value)) said.push([voice, digitsOf(value)]);
  if (typeof value !== "object" || value === null || isNumber(value) || depth < 0) return;
  const inner = speech.innerVoice(value, voice);
  for (const [key, item] of Object.entries(value)) {
    if (!Array.isArray(value)) said.push([inner, key]);
    collect(speech, said, item, inner, depth - 1);
  }
};

const ROLES: ReadonlyMap<unknown, Voice> = new Map([
  ["system", "trusted"],
  ["developer", "trusted"],
  ["user", "trusted"],
  ["assistant", "model"],
  ["tool", "tool"],
  ["function", "tool"],
]);

/** By the `role` of a turn. A role nobody knows is not trusted; it is no tool either. */
export const voiceOfRole = (turn: unknown): Voice | undefined => (isRecord(turn) ? ROLES.get(turn["role"]) : undefined);
