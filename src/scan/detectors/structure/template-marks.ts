import type { Match } from "#scan/detector";
import type { View } from "#scan/view";

const BEFORE = 200;
const BEHIND = 240;
/** Flagged, and in no preset enough to act: see `presets.ts`. */
const SHOWN_SCORE = 0.6;

const IMAGE = "!".charCodeAt(0);

/** A place to be filled in, a string of a program, a token's name, an answer of the model's that is an example. */
const TEMPLATE =
  /\{\{|\{%|\$\{|\{(?:system|user|prompt|messages?|instruction|input|content|query|question|context)\w{0,12}\}|\\n|chat[_ -]?templates?|chatml|tokeni[sz]er|special[_ ]tokens?|apply_chat|add_generation_prompt|[be]os_token|stop[_ ](?:tokens?|sequences?|words?)|modelfile|prompt (?:format|template)|reverse-prompt|--stop\b|```|"(?:text|messages?|prompt|completion|content|role)":/i;
/** Says beforehand that a prompt follows. */
const PROMPT_SHOWN =
  /\bprompts?\b(?! (?:action|attention|payment|reply|answer|response)\b)|\bfor example\b|\bexamples?:|\be\.g\./i;
/** A role and nothing to do: what every example of a template has. */
const PERSONA =
  /^[^\n]{0,40}\n\s{0,3}you are an? (?:\w{1,14} ){0,3}(?:assistant|tutor|bot|expert|model|helper|ai)\b[.!]?\s{0,3}(?:<|\[|\n|$)/i;

/** Whether a prompt, or the template of one, is shown here. */
export const isPromptShown = (before: string, behind: string): boolean =>
  TEMPLATE.test(before) || PROMPT_SHOWN.test(before) || TEMPLATE.test(behind);

/** Marks of chat templates in what documents, configures or fills in such templates: shown, not meant. */
export const shownMark = (view: View, at: number, match: Match | null): Match | null => {
  // An image is fetched wherever it stands.
  if (match === null || match.score <= SHOWN_SCORE || view.code(at) === IMAGE) return match;
  const behind = view.slice(at, at + BEHIND);
  if (view.short) return null;
  const isShown = isPromptShown(view.before(at, BEFORE), behind) || PERSONA.test(behind);
  return isShown ? { ...match, score: SHOWN_SCORE } : match;
};
