import { entropy } from "#core/checksums";
import { ALNUM, BLANK, charSet } from "#scan/char-set";
import type { Detector } from "#scan/detector";
import type { View } from "#scan/view";
import { isPasswordWritten, pairScore } from "./name-and-password";
import { CUT_OFF_REACH, isCutOff, isPlaceholder } from "./placeholder";
import { isName, isWordy } from "./spoken";

const OPENING = charSet("\"'`\\:=,]) \t");
const SCHEME = charSet("A-Za-z-");
const MAX_SCHEME_LENGTH = 20;
const CREDENTIAL = charSet("A-Za-z0-9+/=_.~@-");
const MIN_LENGTH = 12;
const SEEN = 128;

/** `Authorization: Basic …` and its like, RFC 7617 §2; `Bearer …` wherever it stands, RFC 6750 §2.1. */
export const authorizationHeader: Detector = {
  id: "secret.authorization_header",
  category: "secret",
  severity: "high",
  reach: 13 + 8 + MAX_SCHEME_LENGTH + 2 + SEEN + CUT_OFF_REACH,
  behind: 1,
  cue: true,
  maxScore: 0.9,
  keywords: ["authorization", "bearer "],
  boundary: ALNUM,
  read(view, at, length) {
    const isScheme = view.is(at + length - 1, BLANK);
    const { start, scheme } = isScheme ? { start: at + length, scheme: "bearer" } : schemeAt(view, at + length);
    if (start === at + length && !isScheme) return null;
    const width = view.run(start, CREDENTIAL, SEEN);
    const value = view.before(start + width, width).replace(/[.~]+$/, "");
    if (value.length < MIN_LENGTH || isPlaceholder(value) || isCutOff(view, start + width, CREDENTIAL)) return null;
    const score = scheme === "basic" ? (pairScore(value) ?? drawnScore(value, true)) : drawnScore(value, scheme !== "");
    if (score === 0) return null;
    const tail = { kind: "run", set: CREDENTIAL } as const;
    return { start, end: start + value.length, score, ...(value.length === SEEN && { tail }) };
  },
};

/** Behind the header's name: a sign, quotes, and the scheme in lower case, which is empty for a value without one. */
function schemeAt(view: View, at: number): { start: number; scheme: string } {
  const start = at + view.run(at, OPENING, 8);
  const width = view.run(start, SCHEME, MAX_SCHEME_LENGTH);
  if (start === at || width === 0 || !view.is(start + width, BLANK)) return { start, scheme: "" };
  return { start: start + width + 1, scheme: view.before(start + width, width).toLowerCase() };
}

function drawnScore(value: string, schemed: boolean): number {
  if (value.length < 16 || !/\d/.test(value) || !/[A-Za-z]/.test(value) || entropy(value) < 3.1) return 0;
  if (isName(value) || isWordy(value)) return 0;
  return schemed ? 0.8 : 0.6;
}

const USER = charSet("A-Za-z0-9._@~%+!#*{}-");
const PASSWORD = charSet("A-Za-z0-9._~%!&*+,;=^#@?/|{}$-");
const QUOTES = charSet("\"'\\");
const COMMAND_SEEN = 256;

/** `curl -u name:password`; a key may stand alone before or behind the colon. */
export const curlUser: Detector = {
  id: "secret.curl_user",
  category: "secret",
  severity: "high",
  reach: 13 + 8 + 64 + 3 + SEEN + 2,
  behind: COMMAND_SEEN,
  cue: true,
  maxScore: 0.8,
  keywords: ["-u ", "-u'", '-u"', "--user ", "--user=", "--proxy-user "],
  read(view, at, length) {
    let start = at + length;
    start += view.run(start, BLANK, 4);
    start += view.run(start, QUOTES, 2);
    const named = view.run(start, USER, 64);
    const colon = start + named + view.run(start + named, QUOTES, 2);
    if (view.code(colon) !== 0x3a) return null;
    const first = colon + 1 + view.run(colon + 1, QUOTES, 2);
    const width = view.run(first, PASSWORD, SEEN);
    const password = view.before(first + width, width);
    const user = view.slice(start, start + named);
    const secret = password === "" ? isKey(user) : isPasswordWritten(password) && !/^\d+$/.test(password);
    if (!secret || !/\bcurl\b/.test(view.before(at, COMMAND_SEEN))) return null;
    return { start, end: password === "" ? start + named : first + width, score: 0.8 };
  },
};

/** A name that is none: what services take as a key with an empty password. */
const isKey = (user: string): boolean =>
  user.length >= MIN_LENGTH && /\d/.test(user) && /[A-Za-z]/.test(user) && !isWordy(user) && !isPlaceholder(user);
