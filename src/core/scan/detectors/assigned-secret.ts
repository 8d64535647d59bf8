import { BASE64, BLANK, charSet } from "#core/scan/char-set";
import { entropy } from "#core/scan/checksums";
import type { Detector } from "#core/scan/detector";
import type { View } from "#core/scan/view";
import { isPlaceholder, likeness } from "./placeholder";

const NAME_REST = charSet("A-Za-z0-9_.-");
const NAME_REST_MOST = 24;
const QUOTES = charSet("\"'`\\");
const VALUE = charSet("A-Za-z0-9_.!@#%&*+/=~^?:|-");
const LONGEST_VALUE = 128;
const SHORTEST_VALUE = 8;
const MARKS = [":=", "=>", "=", ":"];

/** Where the value of an assignment begins whose name's known part ends at `at`; -1 if there is none. */
function valueAt(view: View, at: number): number {
  let i = at + view.run(at, NAME_REST, NAME_REST_MOST);
  i += view.run(i, QUOTES, 2);
  i += view.run(i, charSet("])"), 1);
  i += view.run(i, BLANK, 8);
  const mark = MARKS.find((sign) => view.has(i, sign));
  if (mark === undefined) return -1;
  i += mark.length;
  i += view.run(i, BLANK, 8);
  return i + view.run(i, QUOTES, 2);
}

/** AWS secret keys have no mark of their own: forty characters of base64 behind a name that says so. */
export const awsSecretKey: Detector = {
  id: "secret.aws_secret_key",
  category: "secret",
  severity: "critical",
  reach: 24 + NAME_REST_MOST + 24 + 42,
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
    const start = valueAt(view, at + length);
    if (start < 0 || view.run(start, BASE64, 41) !== 40) return null;
    const value = view.before(start + 40, 40);
    if (!/[A-Z]/.test(value) || !/[a-z]/.test(value) || entropy(value) < 4) return null;
    return { start, end: start + 40, score: likeness(value) };
  },
};

const SHAPED_LIKE_CODE =
  /^(?:[a-z]+[_.-])*[a-z]+$|^[A-Z_]+$|^[a-z]+(?:[A-Z][a-z]+)+$|^(?:\d{1,3}\.){2,3}\d|^\d+$|^[./@~]|:\/\/|^(?:os|process|env|config|settings|self|this|request|req|ctx|params|data|options|secrets|vault|var|local)\./;
/** Words or names strung together, such as header names and property look-ups. */
const WORDS_ONLY = /^[A-Za-z_$]+(?:(?:[-_.]|\?\.)[A-Za-z_$]+)+$/;
/** `tokenizer`, `secretary`: the name goes on as another word. */
const OTHER_WORD = /^(?!key|val|str|s[^a-z]|s$)[a-z]/;
const LOWER = charSet("a-z");
const DIGEST = /^(?:sha\d{3}-|[0-9a-f]{40}$|[0-9a-f]{64}$|[0-9a-f]{8}-[0-9a-f]{4}-)/i;
const STAND_INS =
  /^(?:null|none|true|false|undefined|string|number|required|optional|password|passwd|secret|changeme|hidden|masked|todo|tbd|test|pass)/i;

/**
 * A value assigned to a name such as `password` or `api_key`, whatever gave it out. Names lie, so
 * the value must have the shape of a secret, and the score stays below the vendors' own patterns.
 */
export const genericSecret: Detector = {
  id: "secret.generic",
  category: "secret",
  severity: "medium",
  reach: 16 + NAME_REST_MOST + 24 + LONGEST_VALUE + 1,
  behind: 1,
  cue: true,
  maxScore: 0.75,
  keywords: [
    "password",
    "passwd",
    "passphrase",
    "pwd",
    "secret",
    "token",
    "api_key",
    "apikey",
    "api-key",
    "api key",
    "access_key",
    "accesskey",
    "auth_key",
    "private_key",
    "encryption_key",
    "credential",
  ],
  read(view, at, length) {
    if (view.is(at + length, LOWER) && OTHER_WORD.test(view.slice(at + length, at + length + 3))) return null;
    const start = valueAt(view, at + length);
    if (start < 0) return null;
    const width = view.run(start, VALUE, LONGEST_VALUE);
    const value = view.before(start + width, width).replace(/[.,;:?]+$/, "");
    if (value.length < SHORTEST_VALUE) return null;
    // A call or an index behind the value: it is looked up, not written down.
    if (view.is(start + width, charSet("(["))) return null;
    const score = shapeScore(value);
    return score === 0 ? null : { start, end: start + value.length, score };
  },
};

function shapeScore(value: string): number {
  if (
    SHAPED_LIKE_CODE.test(value) ||
    WORDS_ONLY.test(value) ||
    DIGEST.test(value) ||
    STAND_INS.test(value) ||
    isPlaceholder(value)
  )
    return 0;
  const kinds = [/[a-z]/, /[A-Z]/, /\d/, /[^A-Za-z0-9]/].filter((kind) => kind.test(value)).length;
  const bits = entropy(value);
  if (kinds < 2 || bits < 2.5) return 0;
  if (value.length >= 20 && bits >= 3.5 && /\d/.test(value)) return 0.75;
  return kinds >= 3 ? 0.65 : 0.5;
}
