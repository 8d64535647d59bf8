import { ALNUM, allBut, BLANK, charSet } from "#scan/char-set";
import type { Detector, Match } from "#scan/detector";
import type { View } from "#scan/view";
import { drawnBits } from "./drawn";
import { isPasswordWritten } from "./name-and-password";
import { isObjectId } from "./secret-name";
import { namesService } from "./service-names";
import { isName } from "./spoken";
import { DRAWN } from "./value-shape";

const VALUE = charSet("!#$%&()*+,./0-9:;<=>?@A-Z[\\]^_`a-z{|}~-");
const MAX_VALUE = 128;
const LOGIN_BEFORE = 160;
/** `machine HOST login NAME`, on one line or three. */
const LOGIN = /(?:\bmachine\s+\S+|\bdefault)\s+login\s+(?!anonymous)\S+\s+$/;

/** The passwords of `.netrc` and `_netrc`. Source: GNU inetutils, "The .netrc file". */
export const netrcPassword: Detector = {
  id: "secret.password_file.netrc",
  type: "secret.password_file",
  category: "secret",
  severity: "high",
  reach: 12 + MAX_VALUE,
  behind: LOGIN_BEFORE,
  cue: true,
  maxScore: 0.9,
  boundary: ALNUM,
  keywords: ["password "],
  read(view, at, length) {
    const before = view.before(at, LOGIN_BEFORE);
    return before.includes("login") && LOGIN.test(before) ? written(view, at + length) : null;
  },
};

const FIELD = charSet("A-Za-z0-9_.*-");

/** `host:5432:database:user:password`. Source: PostgreSQL, "The Password File". */
export const pgpassPassword: Detector = {
  id: "secret.password_file.pgpass",
  type: "secret.password_file",
  category: "secret",
  severity: "high",
  reach: 8 + 130 + MAX_VALUE,
  behind: 1,
  cue: true,
  maxScore: 0.9,
  keywords: [":5432:", ":5433:", ":6432:", ":26257:"],
  read(view, at, length) {
    const database = at + length + view.run(at + length, FIELD, 64);
    if (view.code(database) !== COLON) return null;
    const user = database + 1 + view.run(database + 1, FIELD, 64);
    return view.code(user) === COLON ? written(view, user + 1) : null;
  },
};
const COLON = 0x3a;

const QUOTE = charSet("\"'");

/** A password that is written down from `at` to the next blank; a word may be the file's description. */
function written(view: View, at: number): Match | null {
  const quotes = view.run(at, QUOTE, 1);
  const start = at + quotes;
  const width = view.run(start, VALUE, MAX_VALUE);
  const value = view.before(start + width, width);
  if (value.length < 6 || !isPasswordWritten(value) || isName(value)) return null;
  if (/^[A-Za-z]+$/.test(value) && drawnBits(value) < DRAWN) return null;
  return { start, end: start + width, score: 0.9 };
}

const DECLARED_BEFORE = 240;
const DECLARED = /\bvariable\s+"[^"\n]*(?:password|secret|token|api_?key|credential|private_?key)[^"\n]*"\s*\{[^}]*$/i;
const DEFAULT = charSet("A-Za-z0-9_.+/=~:|!@#%^&*-");

/** `variable "db_password" { default = "…" }` of Terraform. */
export const declaredDefault: Detector = {
  id: "secret.generic.default",
  type: "secret.generic",
  category: "secret",
  severity: "high",
  reach: 24 + MAX_VALUE,
  behind: DECLARED_BEFORE,
  cue: true,
  maxScore: 0.8,
  boundary: ALNUM,
  keywords: ["default"],
  precheck: () => ({ behind: allBut(ELSE), words: 0 }),
  read(view, at, length) {
    const sign = at + length + view.run(at + length, BLANK, 12);
    if (view.code(sign) !== 0x3d) return null;
    const quote = sign + 1 + view.run(sign + 1, BLANK, 4);
    if (view.code(quote) !== 0x22) return null;
    const width = view.run(quote + 1, DEFAULT, MAX_VALUE);
    const value = view.before(quote + 1 + width, width);
    if (value.length < 8 || !isPasswordWritten(value) || isName(value) || drawnBits(value) < DRAWN / 2) return null;
    if (!DECLARED.test(view.before(at, DECLARED_BEFORE))) return null;
    return { start: quote + 1, end: quote + 1 + width, score: 0.8 };
  },
};
const ELSE = charSet("A-Za-z0-9_.,;:()\"'`/*-");

const CALLED_BEFORE = 40;
const ARGUMENT = charSet("A-Za-z0-9_.@:/+=|-");
const MAX_ARGUMENT = 96;

/** `Client("id", "secret")`: of a pair of literals the second, where it looks given out; or the only one, for a known service. */
export const pairedSecret: Detector = {
  id: "secret.generic.pair",
  type: "secret.generic",
  category: "secret",
  severity: "high",
  reach: 16 + 2 * MAX_ARGUMENT + 12,
  behind: CALLED_BEFORE,
  cue: true,
  maxScore: 0.8,
  keywords: ["client(", "credentials(", "credential(", "auth(", "login(", "auth=(", "session("],
  read(view, at, length) {
    const first = literal(view, at + length);
    if (!first || first.value.length < 3 || first.value.includes("://")) return null;
    const comma = first.end + 1 + view.run(first.end + 1, BLANK, 2);
    if (view.code(comma) === 0x29) {
      const known = isKey(first.value) && namesService(CALLED.exec(view.before(at, CALLED_BEFORE))?.[0] ?? "");
      return known ? { start: first.start, end: first.end, score: 0.8 } : null;
    }
    if (view.code(comma) !== 0x2c) return null;
    const second = literal(view, comma + 1 + view.run(comma + 1, SPACES, 12));
    return second && isKey(second.value) ? { start: second.start, end: second.end, score: 0.8 } : null;
  },
};
const CALLED = /[A-Za-z0-9_]*$/;

const isKey = (value: string): boolean =>
  value.length >= 16 &&
  drawnBits(value) >= 20 &&
  /\d.*\d/.test(value) &&
  isPasswordWritten(value) &&
  !isName(value) &&
  !isObjectId(value) &&
  !UUID.test(value);
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const SPACES = charSet(" \t\r\n");

function literal(view: View, at: number): { start: number; end: number; value: string } | null {
  if (!view.is(at, QUOTE)) return null;
  const width = view.run(at + 1, ARGUMENT, MAX_ARGUMENT);
  const end = at + 1 + width;
  if (view.code(end) !== view.code(at)) return null;
  return { start: at + 1, end, value: view.before(end, width) };
}
