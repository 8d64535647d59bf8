import { charSet } from "#scan/char-set";
import type { View } from "#scan/view";

/** What is quoted or told of is flagged at most. */
export const TOLD_SCORE = 0.55;

/** What may stand before words for them to be told, asked about or warned of. Texts are folded: `a` may be Cyrillic. */
const CONTEXT = 200;
/** Marks of Markdown's quotes and emphasis too. */
const QUOTE = charSet("\"'`>*");
const EASTERN_QUOTES = "「『《〈【";
/** Text about attacks instead of an attack: who asks how to defend is not attacking. */
const ABOUT =
  /\b(?:defend|detect\w*|prevent|protect|mitigat\w*|guard against|example|such as|e\.g|phrases?|prompts? like|attacks?|attackers?|says?|saying|called|known as|injections?|jailbreaks?|strings? like|contains?|means?|explain|what (?:is|does)|classif\w*|interpret|(?:make|think) of|titled?|paper|article|blog|never tell me how|do not tell me how)\b[^.!?\n]{0,60}$/i;
/** Reported directly before the words. */
const REPORTED =
  /\b(?:said|wrote|writes?|types?|typed|schrieb|schreiben?|ecri(?:re|t|vait)|escrib\w{1,3}|escreve\w?|scriv\w{1,4}|schrijft|schreef)\s?:\s{1,2}$/i;
/** The same in other languages: who attacks, who says so, what is an example, how it is noticed. */
const ABOUT_ELSEWHERE =
  /(?:\b(?:angreifer\w{0,2}|angriff\w{0,2}|attaquants?|attaques?|atacantes?|ataques?|attaccant[ei]|attacc[oh]i?|aanvallers?|aanval\w{0,3}|atakujac\w{1,3}|atak\w{0,3}|beispiel\w{0,2}|exemples?|ejemplos?|exemplos?|esemp[io]{1,2}|voorbeeld\w{0,2}|przyklad\w{0,3}|erkenn\w{1,3}|reconnaitre|reconoce\w{0,2}|reconheco\w?|riconosc\w{1,3}|herken\w{0,2}|wykry\w{1,3}|sag(?:t|te|en)|(?:dice|diceva|decia|qui dit|disait|diz|dizia|zegt|zei|mowi)|frases?|phrases?|solle|satz|sentence|zdani[ea]|zin)\b|[аa]т[аa]к|[зЗ]л[оo][уy]мышл|фр[аa][зЗ]|п[рp]им[еe][рp]|攻击|攻撃|注入|インジェクション|检测|検出|공격|인젝션|탐지)[^.!?。\n]{0,70}$/i;
/** The same, of a text whose subject attacks are, a sentence or two before. */
const SUBJECT =
  /prompt[ -]injections?|(?:injection|jailbreak(?:ing)?|adversarial|prompt) (?:attacks?|prompts?|techniques?|detect|attempts?)|red[ -]team|\battackers?\b|malicious[_ ](?:instructions?|prompts?|inputs?|users?|actors?)|owasp|vulnerabilit|guardrails?|threat model|social engineering|\b(?:angreifer|attaquants?|atacantes?|attaccant[ei]|aanvallers?|atakujac\w{1,2})\b|攻击者|提示注入|攻撃者|プロンプトインジェクション|공격자|인젝션/i;
/** And behind the words: `…" is a classic prompt injection`. */
const ABOUT_BEHIND =
  /^[^\n.!?]{0,80}?(?:["'`)*\]][,.]?\s{1,2}(?:(?:is|are|was|were)\b[^.!?\n]{0,50})?\b(?:attacks?|injections?|jailbreaks?|examples?|techniques?|patterns?|phrases?|payloads?|prompts?)\b|[.] (?:the (?:agent|assistant|model) (?:did|obeyed|followed)|(?:that|this|which) is (?:an?|the|what) (?:attack|vulnerability|injection)))/i;

/** A line of a quoted mail or comment. */
const QUOTED_LINE = /(?:^|\n) {0,3}> ?$/;
/** French sets its quotation marks apart from the words. */
const QUOTED_APART = /\s" $/;

/** Whether the words at a place, of which `behind` follows, are quoted or told of. */
export function isTold(view: View, at: number, behind: string): boolean {
  if (isQuoted(view, at)) return true;
  const before = view.before(at, CONTEXT);
  return (
    ABOUT.test(before) ||
    REPORTED.test(before) ||
    ABOUT_ELSEWHERE.test(before) ||
    SUBJECT.test(before) ||
    ABOUT_BEHIND.test(behind)
  );
}

/** Behind a quote's mark, or explained in brackets: `DAN (Do Anything Now)`. */
function isQuoted(view: View, at: number): boolean {
  const near = view.before(at, 6);
  return (
    view.is(at - 1, QUOTE) ||
    EASTERN_QUOTES.includes(near.slice(-1) || "\0") ||
    QUOTED_LINE.test(near) ||
    QUOTED_APART.test(near) ||
    (view.code(at - 1) === 0x28 && /\w ?$/.test(view.before(at - 1, 2)))
  );
}

/** How far before a match these look. */
export const TOLD_BEHIND = CONTEXT;
