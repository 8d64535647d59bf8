import { ALNUM, charSet } from "#scan/char-set";
import type { Detector, Match } from "#scan/detector";
import type { View } from "#scan/view";
import { drawnBits } from "./drawn";
import { isPasswordWritten } from "./name-and-password";
import { isWordy } from "./spoken";

const VALUE = charSet("A-Za-z0-9_.!@#%^*+/=~?:|$()[]-");
const MAX_VALUE = 128;
const MIN_VALUE = 4;
const SETTINGS_BEFORE = 200;
/** Where the settings of a connection are: where to, which database, who. */
const CONNECTION =
  /(?:^|[;,?&\s"'{(])(?:server|data source|host(?:name)?|driver|provider|network address|uid|user ?id|endpoint|initial catalog|dbname|addr|account)\s*=|:\d{4,5},|\bjdbc:/i;

/** RFC 2606 §3, and one's own machine. */
const OF_EXAMPLES = /\b(?:example(?:\.(?:com|org|net))?|localhost|127\.0\.0\.1)\b/i;

/** ODBC's braces, ADO.NET's semicolons, libpq's blanks, JDBC's parameters, Azure's commas: `…;Pwd=…`. */
export const connectionSettings: Detector = {
  id: "secret.connection_string.settings",
  type: "secret.connection_string",
  category: "secret",
  severity: "critical",
  reach: 12 + MAX_VALUE + 2,
  behind: SETTINGS_BEFORE,
  cue: true,
  maxScore: 0.9,
  boundary: ALNUM,
  keywords: ["password=", "pwd=", "passwd=", "pass=", "password =", "pwd ="],
  read(view, at, length): Match | null {
    let start = at + length + view.run(at + length, charSet(" "), 1);
    if (view.is(start, OPENING)) start++;
    const width = view.run(start, VALUE, MAX_VALUE);
    if (view.short) return null;
    const value = view.before(start + width, width).replace(/[.)\]]+$/, "");
    const rated = passwordScore(value);
    if (rated === 0) return null;
    const before = lineBefore(view, at);
    if (!CONNECTION.test(before)) return null;
    const score = OF_EXAMPLES.test(before) ? Math.min(rated, 0.6) : rated;
    return { start, end: start + value.length, score };
  },
};
const OPENING = charSet("{\"'");

/** What stands before it on its line and the two above: settings are sometimes folded. */
const lineBefore = (view: View, at: number): string =>
  view.before(at, SETTINGS_BEFORE).split("\n").slice(-3).join("\n");

function passwordScore(value: string): number {
  if (value.length < MIN_VALUE || !isPasswordWritten(value) || /^[\w.]+[([]/.test(value)) return 0;
  if (value.length >= 8 && drawnBits(value) >= 6) return 0.9;
  if (!/\d/.test(value) && isWordy(value)) return 0.5;
  return value.length >= 6 ? 0.7 : 0.5;
}

const USER = charSet("A-Za-z0-9_.-");
const PASSWORD = charSet("A-Za-z0-9_.!#$%^&*+=~?-");

/** `user:password@tcp(host:3306)`, as Go's driver of MySQL takes it. Only noted: a stream would have to wait for the end. */
export const addressWithPassword: Detector = {
  id: "secret.connection_string.address",
  type: "secret.connection_string",
  category: "secret",
  severity: "critical",
  reach: 8,
  behind: 100,
  maxScore: 0.65,
  keywords: ["@tcp(", "@unix("],
  begin: (view, at) => at - view.runBack(at, PASSWORD, 64),
  read(view, at): Match | null {
    const width = view.runBack(at, PASSWORD, 64);
    const colon = at - width - 1;
    const password = view.before(at, width);
    if (view.code(colon) !== 0x3a || view.runBack(colon, USER, 32) === 0) return null;
    return passwordScore(password) < 0.7 ? null : { start: at - width, end: at, score: 0.65 };
  },
};
