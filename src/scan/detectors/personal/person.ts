import type { Detector } from "#scan/detector";
import { once } from "#scan/fold/once";
import { BEHIND, IN_ADDRESS, IN_PLACE, REACH, Tagger, type TaggerModel } from "#scan/tagger/tagger";
import { TAGGER_MODEL } from "#scan/tagger/weights";
import { isDigit, isLetter } from "#scan/tagger/words";

/** Below it a word is as likely no name. */
const MIN_SCORE = 0.5;
const MAX_SCORE = 0.99;

/** Units of the word at a text's end whose beginning alone has come. */
const MAX_LAST = 24;

/** Names, places and addresses in running text, by a small trained model. Its tables are made for the first text. */
export function taggedBy(model: TaggerModel): Detector {
  const tagger = once(() => new Tagger(model));
  return {
    id: "pii.person",
    category: "pii",
    severity: "low",
    reach: REACH,
    behind: BEHIND,
    maxScore: MAX_SCORE,
    keywords: [],
    anchorCapitals: true,
    emits: ["pii.location", "pii.address"],
    origins: ["system", "user", "assistant", "tool_result", "tool_args", "output"],
    begin: (view, at) => tagger().leadOf(view.text, at),
    pending(view) {
      const { text } = view;
      let at = text.length;
      const least = Math.max(0, at - MAX_LAST);
      while (at > least && (isLetter(text.charCodeAt(at - 1)) || isDigit(text.charCodeAt(at - 1)))) at--;
      return tagger().leadOf(text, at);
    },
    read(view, at) {
      const { text } = view;
      const reader = tagger();
      const found = reader.read(text, at);
      if (reader.isEdge && !view.final) {
        view.code(text.length);
        return null;
      }
      if (!found || found.score < MIN_SCORE) return null;
      const { start, end, label } = found;
      const type = label === IN_ADDRESS ? "pii.address" : label === IN_PLACE ? "pii.location" : "pii.person";
      return { start, end, type, score: Math.min(MAX_SCORE, Math.round(found.score * 100) / 100) };
    },
  };
}

export const person = taggedBy(TAGGER_MODEL);
