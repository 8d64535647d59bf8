import { answerOf, promptOf, tokensOf } from "./prose.ts";
import type { Question } from "./question.ts";

const TEXT = /"content":"[^"]/;
/** What `upstream.ts` streams. */
const TOKENS = 64;

/** A chat completion of a model of `upstream.ts`. */
export const chatQuestion = (model: string, isStream: boolean): Question => ({
  head: "",
  body: (marker) =>
    `{"model":"${model}"${isStream ? ',"stream":true' : ""},"messages":[{"role":"user","content":"${promptOf(marker)}"}]}`,
  hasText: isStream ? (answer) => TEXT.test(answer) : null,
  wrong: isStream ? wrongStream : wrongWhole,
});

function wrongWhole(marker: string, answer: string): string | undefined {
  return answer.includes(answerOf(marker)) ? undefined : "not the answer to this request";
}

function wrongStream(marker: string, answer: string, closely: boolean): string | undefined {
  if (!answer.endsWith("data: [DONE]\n\n")) return "stream without [DONE]";
  if (!answer.includes('"finish_reason":"stop"')) return "stream without its finish reason";
  if (!closely) return undefined;
  return textOf(answer) === tokensOf(marker, TOKENS).join("") ? undefined : "not the text of this request";
}

/** The text of a finished stream of chat completion chunks. */
function textOf(body: string): string {
  const events = body.split("\n\n").filter((event) => event.startsWith("data: {"));
  return events
    .map((event): { choices: { delta: { content?: string } }[] } => JSON.parse(event.slice("data: ".length)))
    .map(({ choices }) => choices[0]?.delta.content ?? "")
    .join("");
}
