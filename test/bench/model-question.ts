import { answerOf, promptOf, tokensOf } from "./prose.ts";
import type { Question } from "./question.ts";
import type { Wire } from "./wire.ts";

/** What `upstream.ts` streams. */
const TOKENS = 64;

/** A call of a model of `upstream.ts`. */
export const modelQuestion = (wire: Wire, model: string, isStream: boolean): Question => ({
  head: "",
  body: (marker) => wire.body(model, isStream, promptOf(marker)),
  hasText: isStream ? (answer) => wire.hasText.test(answer) : null,
  wrong: (marker, answer, closely) =>
    isStream ? wrongStream(wire, marker, answer, closely) : wrongWhole(marker, answer),
});

function wrongWhole(marker: string, answer: string): string | undefined {
  return answer.includes(answerOf(marker)) ? undefined : "not the answer to this request";
}

function wrongStream(wire: Wire, marker: string, answer: string, closely: boolean): string | undefined {
  if (!answer.endsWith(`${wire.ending}\n\n`)) return "stream without its end";
  if (!closely) return undefined;
  return textOf(wire, answer) === tokensOf(marker, TOKENS).join("") ? undefined : "not the text of this request";
}

/** The text of a finished stream. */
const textOf = (wire: Wire, body: string): string =>
  [...body.matchAll(/^data: (\{.*)$/gm)].map(([, json = ""]) => wire.tokenOf(JSON.parse(json))).join("");
