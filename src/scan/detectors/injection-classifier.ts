import { Classifier, type LinearModel } from "#scan/classifier";
import { INJECTION_MODEL } from "#scan/classifier-weights";
import type { Detector } from "#scan/detector";

/** Below this a score says nothing: the model's own doubt about any text. */
const MIN_SCORE = 0.4;

/** Beside words that a rule knows, and that are not merely quoted, as scores below this say. */
const WITH_RULE = { type: "injection.classifier.with_rule", from: 0.6 };

/** The subject is attacks, so that the words of attacks are to be expected: not certain enough to block. */
const ATTACKS_TOLD =
  /prompt[ -]injections?|(?:adversarial|jailbreak(?:ing)?) (?:prompts?|attacks?|attempts?)|red[ -]team|\b(?:attackers?|angriffe?|angreifer|attaques?|attaquants?|ataques?|atacantes?|attacchi|attacco|attaccante|aanvallers?|inyeccion|iniezione|injecao|owasp)\b|攻击|攻撃|注入|インジェクション|인젝션|공격자|[аa]т[аa]к/i;
const MAX_TOLD = 0.8;

/** A text of fewer words, names of programs not counted, says nothing that the model could judge. */
const MIN_WORDS = 5;
const WORD = /^\p{P}*\p{L}[\p{L}\p{M}'-]*\p{P}*$/u;
const NAME = /_|\p{Ll}\p{Lu}|[\p{L}\d][./:]\p{L}/u;
/** From Thai on in Unicode, letters in a row may be many words. */
const UNPARTED = /[\u0e00-\u109f\u1780-\u17ff\u3040-\u9fff\uac00-\ud7af]{6}/;

/** Whether a text has words: `get_pull_request_comments` and lists of such names have none. */
function isProse(text: string): boolean {
  let count = 0;
  for (const { 0: token } of text.matchAll(/\S+/g)) {
    if (UNPARTED.test(token)) return true;
    if (WORD.test(token) && !NAME.test(token) && ++count === MIN_WORDS) return true;
  }
  return false;
}

/** Judges whole texts by their words: what reads like an attack though no rule names it. It has no anchors. */
export function classifierOf(model: LinearModel): Detector {
  const classifier = new Classifier(model);
  return {
    id: "injection.classifier",
    category: "injection",
    severity: "medium",
    reach: 0,
    behind: 0,
    maxScore: 0.99,
    keywords: [],
    emits: [WITH_RULE.type],
    read: () => null,
    whole: {
      withRule: WITH_RULE,
      // Definitions of tools are imperatives throughout: the model cannot tell honest ones, and rules judge them.
      origins: ["user", "assistant", "tool_result"],
      paragraphsOf: ["output"],
      score(folded) {
        const score = classifier.score(folded);
        // Most texts end here: what follows reads all of a text again.
        if (score < MIN_SCORE || !isProse(folded)) return 0;
        return Math.min(score, ATTACKS_TOLD.test(folded) ? MAX_TOLD : 0.99);
      },
    },
  };
}

export const injectionClassifier = classifierOf(INJECTION_MODEL);
