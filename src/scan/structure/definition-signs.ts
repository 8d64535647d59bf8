import { fold } from "#scan/fold/normalize";
import { once } from "#scan/fold/once";

/**
 * What a tool's definition has that definitions do not need: text that is not meant for people, secrecy, orders that are
 * not about the tool. Published attacks by definitions have one or more of these, whatever their words.
 */
type Sign = {
  readonly id: string;
  /** What a person who approves is told. */
  readonly reason: string;
  /** 1: enough by itself. */
  readonly weight: number;
  /** Matched against folded text in lower case, or the text as it came. */
  readonly pattern: () => RegExp;
  readonly isRaw?: true;
};

/** One sign at one place. `start` and `end`: in the text it was found in. */
export type FoundSign = Pick<Sign, "id" | "reason"> & { readonly start: number; readonly end: number };

/** The type of the findings; of each sign it is followed by a dot and the sign's id. */
export const DEFINITION_TYPE = "tool.suspicious_definition";
/** What it scores in a request, where it is noted. */
export const DEFINITION_SCORE = 0.7;
/** From here on a definition is held. Lighter signs have to come together. */
export const HELD_FROM = 0.6;

/** Longer texts are judged by their beginning. In UTF-16 units; a definition has at most as many. */
const MAX_UNITS = 131_072;
const MIN_UNITS = 12;

const sign = (id: string, reason: string, weight: number, pattern: () => RegExp, isRaw?: true): Sign => ({
  id,
  reason,
  weight,
  pattern: once(pattern),
  ...(isRaw && { isRaw }),
});

const GAP = (most: number): string => `(?:[\\w'’/-]{1,20},?\\s){0,${most}}?`;
const PEOPLE = "(?:users?|humans?|owners?|operators?|anyone|anybody|person)";
const FILES =
  "(?:\\.ssh\\b|id_rsa|id_ed25519|\\.aws/credentials|\\.git-credentials|\\.netrc\\b|\\.kube/config|\\.gnupg\\b|mcp\\.json|claude_desktop_config|/etc/(?:passwd|shadow)|\\.bash_history|\\.zsh_history|wallet\\.dat|\\.npmrc|\\.pypirc)";
const TALK =
  "(?:conversation|chat|messages?|dialog(?:ue)?|transcript|discussion|system prompt|prompts?|context window|message history)";
const ORDER =
  "(?:send|forward|transfer|upload|post|e-?mail|pay|share|invite|delete|remove|run|execute|download|open|fetch|copy|exfiltrate|append|include|write|set|change|cancel|book|add|call|read)";

const PUSHED_AWAY = "pushed_away";

const SIGNS: readonly Sign[] = [
  sign(
    "hidden_tag",
    "has a tag that sets instructions apart from the description",
    1,
    () =>
      /<\/?(?:important|system|hidden|secret|admin|override|critical|internal[-_ ]note|system[-_]?(?:prompt|message|note))>/g,
  ),
  sign(
    "role_mark",
    "has marks of a chat template, which make text look like the system's",
    1,
    () =>
      /<\|(?:im_start|im_end|system|start_header_id|eot_id|user|assistant)\|?>|\[\/?inst\]|<<sys>>|(?:^|\n)\s{0,3}#{2,3} system\s{0,3}(?:\n|:)/g,
  ),
  sign(
    "hidden_from_user",
    "asks to keep something from the user",
    1,
    () =>
      new RegExp(
        `(?:do not|don't|never|not to|without)\\s${GAP(2)}(?:tell|mention|inform|notify|alert|telling|mentioning|informing|notifying|alerting)\\s${GAP(6)}${PEOPLE}\\b|(?:keep|hide|conceal)\\s(?:this|it|that|these)\\s${GAP(3)}(?:from\\s(?:the\\s)?${PEOPLE}|between us|secret)\\b|${PEOPLE}\\s(?:must|should|need|does|do)(?: not|n't)\\s${GAP(2)}(?:know|notice|see this|be told|be informed|learn)\\b|(?:silently|secretly|covertly)\\s(?:send|forward|call|add|append|copy|include|read|upload)\\b`,
        "g",
      ),
  ),
  sign(
    "private_file",
    "asks for files with keys or passwords",
    1,
    () =>
      new RegExp(
        `(?:\\b(?:read|load|cat|get|fetch|open|include|copy|send|pass|upload|attach|provide|access)|contents? of|from)\\s${GAP(5)}["'\`(]{0,2}[~\\w./$\\\\-]{0,40}${FILES}`,
        "g",
      ),
  ),
  sign(
    "conversation",
    "asks for the conversation or the system prompt in a parameter",
    1,
    () =>
      new RegExp(
        `(?:pass|include|put|copy|send|paste|provide|add|append|write|submit|forward|store)\\s${GAP(4)}(?:whole|entire|full|complete|all|everything|verbatim)\\s${GAP(4)}${TALK}\\b|(?:whole|entire|full|complete)\\s${GAP(2)}(?:conversation|chat|transcript|system prompt|message history)\\s${GAP(5)}(?:as|in|into|to)\\s(?:the|this|a)\\s|(?:pass|include|put|copy|send|paste|provide|add|append|write|submit|forward)\\s${GAP(3)}(?:your|the|its)\\ssystem prompt`,
        "g",
      ),
  ),
  sign(
    "comment",
    "has an HTML comment, which people do not see when it is rendered",
    0.7,
    () => /<!--\s{0,5}\w[^\n>]{0,30}\s\w[^\n>]{8,400}/g,
  ),
  sign(
    "invisible",
    "has invisible characters within its words",
    1,
    () => /[\u200b\u2060-\u2064\ufeff\u202a-\u202e\u2066-\u2069]{2,}|[a-z][\u200b\u2060-\u2064\u202d\u202e][a-z]/gi,
    true,
  ),
  sign(
    PUSHED_AWAY,
    "has text behind so much blank space that people do not see it",
    0.7,
    () => /[ \t]{120,}|(?:\n[ \t]{0,4}){25,}/g,
    true,
  ),

  sign(
    "before_others",
    "wants something done before any other tool is used",
    0.35,
    () =>
      new RegExp(
        `(?:before|prior to|whenever|every time|each time)\\s${GAP(3)}(?:any|all|every|each|other|another)\\s${GAP(1)}(?:tools?|functions?|actions?|calls?|requests?)\\b`,
        "g",
      ),
  ),
  sign(
    "prefer",
    "wants to be used always, or first",
    0.35,
    () =>
      new RegExp(
        `(?:always|only)\\s${GAP(2)}(?:use|call|prefer|choose|select|invoke|run)\\s(?:this|it|the \\w{1,20})(?: tool| function| one)?\\b|use this tool (?:first|for (?:everything|all|any))`,
        "g",
      ),
  ),
  sign(
    "instead_of_others",
    "wants other tools not to be used",
    0.35,
    () =>
      new RegExp(
        `(?:instead of|rather than|in place of|do not use|don't use|never use|stop using|replaces)\\s${GAP(2)}(?:(?:any|all|other|another|built-in|native|existing)\\s${GAP(1)}(?:tools?|functions?|ones?|servers?)\\b|[\`'"]?[a-z]{2,20}_[a-z_]{2,40}\\b)`,
        "g",
      ),
  ),
  sign(
    "other_tool",
    "says what is to be done when another tool is used",
    0.35,
    () =>
      new RegExp(
        `(?:when|whenever|if|after|while)\\s${GAP(2)}(?:[\`'"]?[a-z]{2,20}_[a-z_]{2,40}[\`'"]?|other tools?|another tool)\\s${GAP(2)}(?:is|are|was|gets?)\\s(?:called|used|invoked|available|present|run)\\b`,
        "g",
      ),
  ),
  sign(
    "threat",
    "says that it fails, or harm follows, unless the model obeys",
    0.35,
    () =>
      /(?:otherwise|or else)[, ]{1,2}(?:the |this |it |you )(?:\w{1,14} ){0,2}?(?:will|does|may|can)(?: not|n't)? (?:work|fail|crash|break|function|be (?:blocked|deleted|lost))|(?:will|does)(?: not|n't) work (?:unless|without|otherwise)|required for (?:verification|compliance|logging|auditing|security reasons)/g,
  ),
  // Of sentences but the first, which says what the tool itself does.
  sign(
    "order",
    "orders something that is not about the tool",
    0.3,
    () =>
      new RegExp(
        `(?<=[.!?:;>,]\\s{1,3}|-->\\s{0,3}|\\n\\s{0,3}|\\b(?:must|have to|first|then|also)\\s)(?:please\\s)?(?:(?:run|execute)\\s(?!it\\b|this\\b|a\\b)\\S|${ORDER}\\s(?:the|all|any|your|every|[\\w.+-]{1,40}@|https?:|~|/|\\d|what))`,
        "g",
      ),
  ),
  sign(
    "order_with_address",
    "orders something with an address, account or command of its own",
    0.35,
    () =>
      new RegExp(
        `(?<=[.!?:;>]\\s{1,3}|-->\\s{0,3}|\\n\\s{0,3})(?:please\\s)?${ORDER}\\s[^\\n!?]{0,120}?(?:[\\w.+-]{1,40}@[\\w-]{1,40}\\.[a-z]{2,10}|https?://(?!(?:[\\w-]{1,40}\\.)?(?:docs|developers?|github|help|support)\\b)[\\w.-]{4,60}|\\b[a-z]{2}\\d{2}[a-z0-9]{11,30}\\b|/home/\\w)`,
        "g",
      ),
  ),
];

/** Whether nothing follows. */
const isLast = (text: string, { 0: blank, index }: RegExpExecArray): boolean =>
  text.trimEnd().length <= index + blank.length;

/** The signs in one text of a definition, the first place of each. */
export const signsIn = (text: string): readonly FoundSign[] => {
  if (text.length < MIN_UNITS) return NONE;
  const read = text.slice(0, MAX_UNITS);
  const { text: folded, map } = fold(read);
  const lower = folded.toLowerCase();
  // Lower case of a few letters is longer; then places are not told exactly.
  const isExact = lower.length === folded.length;
  return SIGNS.flatMap(({ id, reason, pattern, isRaw }) => {
    const expression = pattern();
    expression.lastIndex = 0;
    const found = expression.exec(isRaw ? read : lower);
    if (found === null || (id === PUSHED_AWAY && isLast(read, found))) return [];
    const [from, to] = [found.index, found.index + found[0].length];
    if (isRaw) return [{ id, reason, start: from, end: to }];
    const place = isExact ? { start: map.start(from), end: map.end(to - 1) } : { start: 0, end: read.length };
    return [{ id, reason, ...place }];
  });
};

const NONE: readonly FoundSign[] = [];

/** Units judged in one go where the thread is shared, and how far pieces overlap, so that no sign is cut. */
const PIECE_UNITS = 8_192;
const OVERLAP = 512;

/** The signs of a long text, piece by piece: the same but for those that are longer than the overlap. */
export function* signsByPiece(text: string): Generator<readonly FoundSign[]> {
  for (let from = 0; from === 0 || from + OVERLAP < text.length; from += PIECE_UNITS - OVERLAP) {
    yield signsIn(text.slice(from, from + PIECE_UNITS));
  }
}

const WEIGHTS: ReadonlyMap<string, number> = new Map(SIGNS.map(({ id, weight }) => [id, weight]));

/** How much the signs of one definition weigh together: 0 to 1. */
export const weightOf = (ids: Iterable<string>): number => {
  let sum = 0;
  for (const id of new Set(ids)) sum += WEIGHTS.get(id) ?? 0;
  return Math.min(1, sum);
};

/** Why a sign counts, for people. */
export const reasonOf = (id: string): string | null => SIGNS.find((one) => one.id === id)?.reason ?? null;
