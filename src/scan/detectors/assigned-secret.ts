import { entropy } from "#core/checksums";
import { allBut, BASE64, type CharSet, charSet, inSet } from "#scan/char-set";
import type { Detector, Match } from "#scan/detector";
import type { View } from "#scan/view";
import { type Assigned, assignedValue, MAX_ASSIGNMENT_LENGTH } from "./assignment";
import { type Literal, literalAt } from "./literal";
import { CUT_OFF_REACH, isCutOff, likeness } from "./placeholder";
import { isAbout, isNumbered, isOtherThing } from "./secret-name";
import { namesService } from "./service-names";
import { DRAWN, outlineOf, shapeOf, type ValueShape } from "./value-shape";

const BARE = charSet("A-Za-z0-9_.!@#%&*+/=~^?:|-");
const QUOTED = charSet("A-Za-z0-9_.!@#%&*+/=~^?:|$,;(){}<>[]-");
const MAX_VALUE_LENGTH = 128;
const MIN_VALUE_LENGTH = 6;
/** A shorter password without quotes must be of three kinds of characters. */
const MIN_PLAIN_LENGTH = 8;
/** Shorter keys in sentences are names. */
const LONG = 16;
/** From here on passwords, and keys, can look drawn at all. */
const MIN_DRAWN_PASSWORD = 10;
const MIN_DRAWN = 12;
/** Where only a blank parts a name and what stands behind it. */
const SURELY_DRAWN = 20;
/** How much of the name before its known part is read, and of the words before that. */
const NAME_BEFORE = 32;
const WORDS_BEFORE = 64;
/** What may part a service's name from what it gives out. */
const SAME_PLACE = charSet("A-Za-z0-9_.:{[=\"'`> \t\r\n-");

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
  "sifre haslo bindpw storepass keypass 密码 口令 パスワード 비밀번호 convertto-securestring"
)
  .split(" ")
  .concat("mot de passe", "identified by");
const TOKENS =
  "secret token api_key apikey api-key api.key access_key accesskey access-key auth_key authkey auth-key private_key " +
  "privatekey private-key encryption_key encryptionkey signing_key signingkey account_key accountkey sharedaccesskey " +
  "master_key masterkey license_key licensekey app_key appkey credential webhook_key subscription-key";
/** Parts of many other words: only whole words of a name count. */
const WHOLE_WORDS = ["key", "pass", "pw", "psk", "auth", "creds", "cred", "login", "pat"];
const WHOLE = new Set(WHOLE_WORDS);
const PASSWORD_WORDS = new Set([...PASSWORDS, "pass", "pw", "psk", "login"]);

/** `arn:aws:secretsmanager:eu-west-1:123456789012:secret:…` names one. */
const OF_ACCOUNT = /:\d{12}:$/;

/** `tokenizer`, `secretary`: the name goes on as another word. */
const OTHER_WORD = /^(?!key|val|str|s(?:[^a-z]|$)|base64)[a-z]/;
/**
 * A value assigned to a name such as `password` or `api_key`, whatever gave it out. Names lie, so
 * the value must have the shape of a secret, and the score stays below the vendors' own patterns.
 */
export const genericSecret: Detector = {
  id: "secret.generic",
  category: "secret",
  severity: "medium",
  reach: 16 + MAX_ASSIGNMENT_LENGTH + MAX_VALUE_LENGTH + CUT_OFF_REACH,
  behind: WORDS_BEFORE,
  cue: true,
  maxScore: 0.85,
  keywords: [...PASSWORDS, ...TOKENS.split(" "), "api key", ...WHOLE_WORDS],
  precheck: (keyword) => (WHOLE.has(keyword) ? { behind: allBut(LOWER), words: 0 } : null),
  read(view, at, length) {
    const keyword = view.slice(at, at + length).toLowerCase();
    if (!isName(view, at, length, keyword)) return null;
    const assigned = assignedValue(view, at + length);
    if (!assigned) return null;
    const before = /(?:::)?[A-Za-z0-9_.-]*$/.exec(view.before(at, NAME_BEFORE))?.[0] ?? "";
    // `AWS::KMS::Key` is a type.
    if (before.startsWith("::") || OF_ACCOUNT.test(view.before(at, 14))) return null;
    const rest = view.before(assigned.nameEnd, assigned.nameEnd - at - length);
    if (isAbout(rest) || isNumbered(rest) || isOtherThing(before + keyword + rest)) return null;
    const whole = WHOLE.has(keyword);
    let known: boolean | undefined;
    const ofService = (): boolean => {
      known ??= namesService(view.before(at, view.runBack(at, SAME_PLACE, WORDS_BEFORE))) || namesService(rest);
      return known;
    };
    // "pass the 2nd argument": a verb.
    if (assigned.loose && whole && before === "" && PASSWORD_WORDS.has(keyword)) return null;
    return matchOf(view, assigned, (value, shape) => {
      if (PASSWORD_WORDS.has(keyword)) return passwordScore(value, shape, assigned);
      // The best that it can be by its outline is that of a service's.
      const served = (): boolean => shape.drawn === Number.POSITIVE_INFINITY || ofService();
      const bare = whole && /^-*$/.test(before) && !served();
      if (bare && assigned.loose && before === "") return 0;
      if ((assigned.listed || assigned.loose) && !isGiven(value, shape, assigned, bare)) return 0;
      const score = tokenScore(value, shape, bare);
      if (shape.uuid) return score > 0 && (KEYS.test(keyword) || served()) ? 0.8 : score;
      return score === 0.8 && served() ? 0.85 : score;
    });
  },
};

/** Where only words or a blank lead to it, a key must look drawn beyond doubt. */
function isGiven(
  value: string,
  { wordy, digits, drawn, uuid }: ValueShape,
  { quoted }: Assigned,
  bare: boolean,
): boolean {
  if (wordy || value.length < LONG) return false;
  return quoted || (!bare && digits > 1 && (uuid || drawn >= SURELY_DRAWN));
}

const OPENING = charSet("([");
const LOWER = charSet("a-z");
const UPPER = charSet("A-Z");
const LETTER = charSet("A-Za-z");

/** Whether the keyword is a word of a name, and not a part of a longer word. */
function isName(view: View, at: number, length: number, keyword: string): boolean {
  if (view.is(at + length, LOWER) && OTHER_WORD.test(view.slice(at + length, at + length + 3))) return false;
  if (!WHOLE.has(keyword)) return true;
  // A service of that name.
  if (keyword === "auth" && view.code(at + length) === 0x30) return false;
  if (view.is(at + length, LOWER)) return false;
  // `acmeKey`, and `ACMEKey` beside `MONKEY`.
  const begins = !view.is(at - 1, LETTER) || (view.is(at, UPPER) && (view.is(at - 1, LOWER) || view.is(at + 1, LOWER)));
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

/** The characters that may be a value; with the literals joined to it, unless the value ends before they do. */
function valueAt(view: View, { start, quoted }: Assigned, set: CharSet): Literal {
  const literal = quoted ? literalAt(view, start, set, MAX_VALUE_LENGTH) : undefined;
  if (literal && trimmed(literal.text) === literal.text) return literal;
  const end = start + view.run(start, set, MAX_VALUE_LENGTH);
  return { text: view.before(end, end - start), end };
}

function matchOf(view: View, assigned: Assigned, rate: (value: string, shape: ValueShape) => number): Match | null {
  const { start, quoted } = assigned;
  const set = quoted ? QUOTED : BARE;
  const { text: whole, end } = valueAt(view, assigned, set);
  if (view.short) return null;
  const value = trimmed(whole);
  if (value.length < MIN_VALUE_LENGTH) return null;
  // A call or an index behind the value: it is looked up, not written down.
  if (!quoted && view.is(end, OPENING)) return null;
  const after = view.code(end);
  // A backslash before the quote stands for one in a text within a text.
  const closed = quoted && value === whole && (after === view.code(start - 1) || after === 0x5c);
  // Most values are words or numbers: seen by their characters, before they are read for what they are like.
  if (rate(value, outlineOf(value, closed)) === 0) return null;
  if (isShownInPart(whole) || isCutOff(view, end, set)) return null;
  const shape = shapeOf(value, quoted, closed);
  const score = shape ? rate(value, shape) : 0;
  if (score === 0) return null;
  const tail = { kind: "run", set: BARE } as const;
  return { start, end: end - (whole.length - value.length), score, ...(value.length === MAX_VALUE_LENGTH && { tail }) };
}

/** What people put into a password of letters to have it taken. */
const MARKS = /[!@#$%^&*]/;

function passwordScore(value: string, shape: ValueShape, { quoted, loose, listed }: Assigned): number {
  const { kinds, digits, bits, uuid, wordy, closed, drawn } = shape;
  if (uuid) return 0.5;
  if (kinds < (listed ? 3 : 2) || bits < 2 || (listed && !closed)) return 0;
  if (loose && !quoted && (digits === 0 || (kinds < 3 && drawn < DRAWN))) return 0;
  if (value.length >= MIN_DRAWN_PASSWORD && drawn >= DRAWN && digits > 0 && !wordy) return 0.8;
  return kinds >= 3 ? 0.65 : plainScore(value, shape, quoted);
}

/** Letters of one case with digits; or, where the quotes hold nothing else, with such a mark. */
function plainScore(value: string, { digits, closed }: ValueShape, quoted: boolean): number {
  const long = value.length >= MIN_PLAIN_LENGTH;
  return (digits > 0 ? quoted || long : closed && long && MARKS.test(value)) ? 0.5 : 0;
}

/** Words and a digest, as caches of build systems are keyed: `Linux-bun-3f2b9c…`. */
const CACHE_KEY = /^[A-Za-z][\w.]*-(?:[\w.]+-)*[0-9a-f]{32,128}$/;

/** Names of what is always a key: a UUID there is one too. */
const KEYS = /key|client|secret/;

function tokenScore(
  value: string,
  { kinds, digits, bits, uuid, hex, wordy, closed, drawn }: ValueShape,
  bare: boolean,
): number {
  if (bare && (value.length < 20 || hex || uuid || kinds < 3 || drawn < DRAWN || CACHE_KEY.test(value))) return 0;
  if (uuid) return 0.5;
  if (wordy || value.length < 10 || bits < 2.8) return 0;
  if (digits === 0) return closed && value.length >= 20 && bits >= 3.5 ? 0.5 : 0;
  return value.length >= MIN_DRAWN && drawn >= DRAWN ? 0.8 : 0.5;
}
