import { isRecord, parseJson } from "#core/json/json";
import { Shape, type Static, Type } from "#core/schema";
import { type Direction, type DisputeVerdict, VERDICTS } from "#model/report";
import type { Mask } from "./mask";

/** The one object a reviewer answers with. Closed: who answers more has not understood what was asked. */
export const ReviewerReply = Type.Object(
  {
    verdict: Type.Union(VERDICTS.map((verdict) => Type.Literal(verdict))),
    confidence: Type.Number({ minimum: 0, maximum: 1 }),
    reasoning: Type.String({ minLength: 1 }),
  },
  { additionalProperties: false },
);

/** What one reading came to. */
export type LlmReview = {
  readonly verdict: DisputeVerdict;
  readonly confidence: number;
  readonly reasoning: string;
};

/** Longer answers are not read, in UTF-16 units. */
const MAX_REPLY_LENGTH = 65_536;
/** Braces looked at from the end on; the object asked for has one, and a reason may quote some. */
const MAX_BRACES = 64;
const MAX_REASONING_LENGTH = 1_000;

/** What people are shown: no control or hidden characters, and no more than they read. */
const UNSHOWN = /\p{Default_Ignorable_Code_Point}|[\x00-\x08\x0b-\x1f\x7f-\x9f]|\p{Cs}/gu;

/** Reads the answers of a reviewer; null for everything that is not exactly what was asked for. */
export class ReplyReader {
  private readonly shape = new Shape(ReviewerReply);

  /** `mask` takes out of the reasoning what it quotes. */
  constructor(private readonly mask: Mask) {}

  /** `body` is the whole answer of a chat completion: one choice that came to its end and called nothing. */
  read(body: string): LlmReview | null {
    const text = finalMessage(parseJson(body));
    const value = text === null ? null : lastObject(text);
    return this.shape.fits(value) ? this.review(value) : null;
  }

  private review({ verdict, confidence, reasoning }: Static<typeof ReviewerReply>): LlmReview {
    const plain = reasoning.slice(0, 2 * MAX_REASONING_LENGTH).replace(UNSHOWN, "");
    const masked = this.mask(plain) ?? "";
    return { verdict, confidence, reasoning: [...masked].slice(0, MAX_REASONING_LENGTH).join("") };
  }
}

const finalMessage = (body: unknown): string | null => {
  const choices: unknown = isRecord(body) ? body["choices"] : null;
  if (!Array.isArray(choices) || choices.length !== 1) return null;
  const choice: unknown = choices[0];
  if (!isRecord(choice) || !isRecord(choice["message"])) return null;
  const { message, finish_reason: finish } = choice;
  const calls: unknown = message["tool_calls"];
  const isCalling = Array.isArray(calls) && calls.length > 0;
  const text: unknown = message["content"];
  if (isCalling || (finish !== "stop" && finish !== null && finish !== undefined)) return null;
  return typeof text === "string" && text.length <= MAX_REPLY_LENGTH ? text : null;
};

/** The object a text ends with, a code fence around it left aside; undefined when it ends with anything else. */
const lastObject = (text: string): unknown => {
  const trimmed = text.trimEnd();
  const end = trimmed.endsWith("```") ? trimmed.slice(0, -3).trimEnd() : trimmed;
  if (!end.endsWith("}")) return undefined;
  let at = end.length;
  for (let tries = 0; tries < MAX_BRACES && at > 0; tries += 1) {
    at = end.lastIndexOf("{", at - 1);
    if (at < 0) return undefined;
    const value = parseJson(end.slice(at));
    if (value !== undefined) return value;
  }
  return undefined;
};

/** A verdict below this is none. */
export const MIN_CONFIDENCE = 0.7;

/** Two readings made one: they have to agree, and the less sure of them has to be sure. */
export const verdictOf = (one: LlmReview, other: LlmReview): LlmReview => {
  const confidence = Math.min(one.confidence, other.confidence);
  if (one.verdict !== other.verdict) {
    const reasoning = `Two readings disagree (${one.verdict}, ${other.verdict}). ${one.reasoning}`;
    return { verdict: "inconclusive", confidence, reasoning };
  }
  const verdict: DisputeVerdict = confidence < MIN_CONFIDENCE ? "inconclusive" : one.verdict;
  return { verdict, confidence, reasoning: one.reasoning };
};

/** Whether something follows from a verdict: a wrong block is loosened, a miss that should have been caught tightened. */
export const asksForChange = (direction: Direction, verdict: DisputeVerdict): boolean =>
  direction === "false_positive" ? verdict === "false_positive" : verdict === "true_positive";
