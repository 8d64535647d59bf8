import { entropy } from "#core/checksums";
import { allBut, BASE64, type CharSet, charSet, inSet } from "#scan/char-set";
import type { Detector, Match } from "#scan/detector";
import type { View } from "#scan/view";
import { type Assigned, assignedValue, MAX_ASSIGNMENT_LENGTH } from "./assignment";
import { CUT_OFF_REACH, isCutOff, likeness } from "./placeholder";
import { outlineOf, shapeOf, type ValueShape } from "./value-shape";

const BARE = charSet("A-Za-z0-9_.!@#%&*+/=~^?:|-");
const QUOTED = charSet("A-Za-z0-9_.!@#%&*+/=~^?:|$,;(){}<>[]-");
const MAX_VALUE_LENGTH = 128;
const MIN_VALUE_LENGTH = 6;
/** A shorter password without quotes must be of three kinds of characters. */
const MIN_PLAIN_LENGTH = 8;
/** From here on chance seldom draws what can be spoken. */
const LONG = 16;
/** How much of the name before its known part is read. */
const NAME_BEFORE = 32;

/** AWS secret keys have no mark of their own: forty characters of base64 behind a name that says so. */
export const awsSecretKey: Detector = {
  id: "secret.aws_secret_key",
  category: "secret",
  severity: "critical",
  reach: 24 + MAX_ASSIGNMENT_LENGTH + 42,
  behind: 1,
  cue: true,
  keywords: [
    "aws_secret",
    "aws-secret",
    "awssecret",
    "aws secret",
    "secret_access_key",
    "secretaccesskey",
    "secret access key",
    "secret-access-key",
  ],
  read(view, at, length) {
    const start = assignedValue(view, at + length)?.start;
    if (start === undefined || view.run(start, BASE64, 41) !== 40) return null;
    const value = view.before(start + 40, 40);
    if (!/[A-Z]/.test(value) || !/[a-z]/.test(value) || entropy(value) < 4) return null;
    return { start, end: start + 40, score: likeness(value) };
  },
};

/** Names of what people choose; the rest names what machines draw. */
const PASSWORDS = (
  "password passwd passwort passphrase passcode pwd kennwort mot_de_passe senha contrasena wachtwoord losenord heslo " +
  "sifre haslo 密码 口令 パスワード 비밀번호 convertto-securestring"
)
  .split(" ")
  .concat("mot de passe", "identified by");
const TOKENS =
  "secret token api_key apikey api-key api.key access_key accesskey access-key auth_key authkey auth-key private_key " +
  "privatekey private-key encryption_key encryptionkey signing_key signingkey account_key accountkey sharedaccesskey " +
  "master_key masterkey license_key licensekey app_key appkey credential webhook_key subscription-key";
/** Parts of many other words: only whole words of a name count. */
const WHOLE_WORDS = ["key", "pass", "pw", "psk", "auth", "creds", "cred", "login"];
const WHOLE = new Set(WHOLE_WORDS);
const PASSWORD_WORDS = new Set([...PASSWORDS, "pass", "pw", "psk", "login"]);

/** `tokenizer`, `secretary`: the name goes on as another word. */
const OTHER_WORD = /^(?!key|val|str|s(?:[^a-z]|$)|base64)[a-z]/;
/** Names of things about a secret, or that use its words for something else. */
const ABOUT =
  /(?:id|ids|name|file|path|dir|url|uri|endpoint|header|type|length|len|size|bits|field|label|title|count|limit|max|min|expir\w*|ttl|age|date|time|prefix|suffix|pattern|regex|format|alg|algorithm|version|hint|policy|ref|arn|vault|store|manager|provider|class|usage|index|param|status|state|scope|kind|mode|address|symbol|bucket|region|user|username|email|column|table|row|message|error|text|project|handler|pem|crt|cer|p12|pfx|txt|json|ya?ml|description|code|event)s?$/i;
const OTHER_THING =
  /public|publishable|pub_?key|search_?(?:only|key|api)|csrf|xsrf|authenticity|nonce|page|cursor|continuation|(?:next|client|change)_?(?:request_?)?token|primary|foreign|partition|sort|cache|idempot|hash|checksum|digest|sha\d|md5|fingerprint|etag|integrity|thumb|max_?token|special|translation|i18n|react|keyboard|keyword|author(?!iz)|storage_?key|query|host_?key|object_?key|site_?key|key_?vault|known_hosts|json$/i;

/**
 * A value assigned to a name such as `password` or `api_key`, whatever gave it out. Names lie, so
 * the value must have the shape of a secret, and the score stays below the vendors' own patterns.
 */
export const genericSecret: Detector = {
  id: "secret.generic",
  category: "secret",
  severity: "medium",
  reach: 16 + MAX_ASSIGNMENT_LENGTH + MAX_VALUE_LENGTH + CUT_OFF_REACH,
  behind: NAME_BEFORE,
  cue: true,
  maxScore: 0.75,
  keywords: [...PASSWORDS, ...TOKENS.split(" "), "api key", ...WHOLE_WORDS],
  precheck: (keyword) => (WHOLE.has(keyword) ? { behind: allBut(LOWER), words: 0 } : null),
  read(view, at, length) {
    const keyword = view.slice(at, at + length).toLowerCase();
    if (!isName(view, at, length, keyword)) return null;
    const assigned = assignedValue(view, at + length);
    if (!assigned) return null;
    const before = /(?:::)?[A-Za-z0-9_.-]*$/.exec(view.before(at, NAME_BEFORE))?.[0] ?? "";
    // `AWS::KMS::Key` is a type.
    if (before.startsWith("::")) return null;
    const rest = view.before(assigned.nameEnd, assigned.nameEnd - at - length);
    if (ABOUT.test(rest) || OTHER_THING.test(before + keyword + rest)) return null;
    // "pass the 2nd argument": a verb.
    if (assigned.loose && WHOLE.has(keyword) && before === "") return null;
    return matchOf(view, assigned, (value, shape) => {
      if (PASSWORD_WORDS.has(keyword)) return passwordScore(value, shape, assigned);
      if (assigned.listed || assigned.loose) {
        if (!assigned.quoted || shape.wordy || value.length < LONG) return 0;
      }
      return tokenScore(value, shape, WHOLE.has(keyword) && /^-*$/.test(before));
    });
  },
};

const OPENING = charSet("([");
const LOWER = charSet("a-z");
const UPPER = charSet("A-Z");
const LETTER = charSet("A-Za-z");

/** Whether the keyword is a word of a name, and not a part of a longer word. */
function isName(view: View, at: number, length: number, keyword: string): boolean {
  if (view.is(at + length, LOWER) && OTHER_WORD.test(view.slice(at + length, at + length + 3))) return false;
  if (!WHOLE.has(keyword)) return true;
  if (view.is(at + length, LOWER)) return false;
  const begins = !view.is(at - 1, LETTER) || (view.is(at, UPPER) && view.is(at - 1, LOWER));
  return begins && (view.is(at + 1, LOWER) || !view.is(at + length, LETTER));
}

/** Marks at the end of a value that is shown in part only, and how many of them; signs that may close it. */
const MARKS_OF_PART: ReadonlyMap<string, number> = new Map([
  [".", 3],
  ["*", 3],
  ["#", 4],
]);
const CLOSING = charSet("\"'`,;)}]");

function isShownInPart(value: string): boolean {
  const end = endWithout(value, CLOSING);
  const mark = value.charAt(end - 1);
  const count = MARKS_OF_PART.get(mark);
  return count !== undefined && value.endsWith(mark.repeat(count), end);
}

/** Where a text ends without the units of a set at its end. */
function endWithout(text: string, set: CharSet): number {
  let end = text.length;
  while (end > 0 && inSet(set, text.charCodeAt(end - 1))) end--;
  return end;
}

/** Signs that end a sentence, a list or a call around a value. */
const AFTER_VALUE = charSet(".,;:?)}]");

/** Without the element's end tag, a query's next parameters and the signs behind it. */
function trimmed(whole: string): string {
  let value = whole;
  if (value.includes("</")) value = value.replace(/<\/.*$/, "");
  if (value.includes("&")) value = value.replace(/&(?:amp;)?[\w.-]+=.*$/, "");
  return value.slice(0, endWithout(value, AFTER_VALUE));
}

function matchOf(
  view: View,
  { start, quoted }: Assigned,
  rate: (value: string, shape: ValueShape) => number,
): Match | null {
  const set = quoted ? QUOTED : BARE;
  const width = view.run(start, set, MAX_VALUE_LENGTH);
  const whole = view.before(start + width, width);
  const value = trimmed(whole);
  if (value.length < MIN_VALUE_LENGTH) return null;
  // A call or an index behind the value: it is looked up, not written down.
  if (!quoted && view.is(start + width, OPENING)) return null;
  const after = view.code(start + width);
  // A backslash before the quote stands for one in a text within a text.
  const closed = quoted && value === whole && (after === view.code(start - 1) || after === 0x5c);
  // Most values are words or numbers: seen by their characters, before they are read for what they are like.
  if (rate(value, outlineOf(value, closed)) === 0) return null;
  if (isShownInPart(whole) || isCutOff(view, start + width, set)) return null;
  const shape = shapeOf(value, quoted, closed);
  const score = shape ? rate(value, shape) : 0;
  if (score === 0) return null;
  const tail = { kind: "run", set: BARE } as const;
  return { start, end: start + value.length, score, ...(value.length === MAX_VALUE_LENGTH && { tail }) };
}

/** What people put into a password of letters to have it taken. */
const MARKS = /[!@#$%^&*]/;

function passwordScore(value: string, shape: ValueShape, { quoted, loose, listed }: Assigned): number {
  const { kinds, digits, bits, uuid, wordy, closed } = shape;
  if (uuid) return 0.5;
  if (kinds < (listed ? 3 : 2) || bits < 2 || (listed && !closed)) return 0;
  if (loose && !quoted && (digits === 0 || kinds < 3)) return 0;
  if (value.length >= LONG && bits >= 3 && digits > 1 && !wordy) return 0.75;
  return kinds >= 3 ? 0.65 : plainScore(value, shape, quoted);
}

/** Letters of one case with digits; or, where the quotes hold nothing else, with such a mark. */
function plainScore(value: string, { digits, closed }: ValueShape, quoted: boolean): number {
  const long = value.length >= MIN_PLAIN_LENGTH;
  return (digits > 0 ? quoted || long : closed && long && MARKS.test(value)) ? 0.5 : 0;
}

/** Words and a digest, as caches of build systems are keyed: `Linux-bun-3f2b9c…`. */
const CACHE_KEY = /^[A-Za-z][\w.]*-(?:[\w.]+-)*[0-9a-f]{32,128}$/;

function tokenScore(value: string, shape: ValueShape, bare: boolean): number {
  const { kinds, digits, bits, uuid, hex, wordy, closed } = shape;
  if (bare && (value.length < 20 || hex || uuid || kinds < 3 || CACHE_KEY.test(value))) return 0;
  if (uuid) return 0.5;
  if (wordy || value.length < 10 || bits < 2.8) return 0;
  if (digits === 0) return closed && value.length >= 20 && bits >= 3.5 ? 0.5 : 0;
  return value.length >= LONG && digits > 1 && bits >= 3 ? 0.75 : 0.5;
}
