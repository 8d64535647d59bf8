import { charSet, SPACE } from "#core/scan/char-set";
import { entropy } from "#core/scan/checksums";
import type { Detector } from "#core/scan/detector";
import { isPlaceholder } from "./placeholder";

const OPENING = charSet("\"'`\\:=,]) \t");
const SCHEMES = ["Basic ", "Bearer ", "Token ", "token ", "basic ", "bearer ", "ApiKey ", "Bot "];
const CREDENTIAL = charSet("A-Za-z0-9+/=_.~-");
const LEAST = 12;
const SEEN = 128;

/** `Authorization: Basic …` and its like: RFC 7617 §2, RFC 6750 §2.1. */
export const authorizationHeader: Detector = {
  id: "secret.authorization_header",
  category: "secret",
  severity: "high",
  reach: 13 + 8 + 8 + SEEN + 1,
  behind: 1,
  cue: true,
  maxScore: 0.9,
  keywords: ["authorization"],
  read(view, at, length) {
    let start = at + length;
    const gap = view.run(start, OPENING, 8);
    if (gap === 0) return null;
    start += gap;
    const scheme = SCHEMES.find((name) => view.has(start, name));
    if (scheme === undefined) return null;
    start += scheme.length;
    const width = view.run(start, CREDENTIAL, SEEN);
    const value = view.before(start + width, width);
    if (width < LEAST || isPlaceholder(value)) return null;
    const score = scheme.toLowerCase() === "basic " ? pairScore(value) : drawnScore(value);
    if (score === 0) return null;
    const tail = { kind: "run", set: CREDENTIAL } as const;
    return { start, end: start + width, score, ...(width === SEEN && { tail }) };
  },
};

/** Base64 of a name, a colon and a password. */
function pairScore(value: string): number {
  const whole = value.replace(/=+$/, "");
  const usable = whole.slice(0, whole.length - (whole.length % 4 === 1 ? 1 : 0));
  if (!/^[A-Za-z0-9+/]+$/.test(usable)) return 0;
  const pair = atob(usable);
  if (!/^[\x20-\x7e]*$/.test(pair)) return pair.includes(":") ? drawnScore(value) : 0;
  const password = pair.slice(pair.indexOf(":") + 1);
  return pair.includes(":") && isPasswordWritten(password) ? 0.9 : 0;
}

function drawnScore(value: string): number {
  return value.length >= 16 && /\d/.test(value) && /[A-Za-z]/.test(value) && entropy(value) >= 3.2 ? 0.8 : 0;
}

const TEACHING =
  /^(?:pass(?:word|wd|phrase)?\d*|pwd|secret|test|user(?:name)?|admin|root|guest|token|key|changeme|[x*.y]+)$/i;
const isPasswordWritten = (value: string): boolean =>
  value.length >= 4 && !TEACHING.test(value) && !/^[$<{[%]/.test(value) && !isPlaceholder(value);

const USER = charSet("A-Za-z0-9._@~%+-");
const PASSWORD = charSet("A-Za-z0-9._~%!&*+,;=^#@?/|-");
const COMMAND_SEEN = 256;

/** `curl -u name:password`. */
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
    start += view.run(start, SPACE, 4);
    start += view.run(start, charSet("\"'\\"), 2);
    const colon = start + view.run(start, USER, 64);
    if (colon === start || view.code(colon) !== 0x3a) return null;
    const first = colon + 1 + view.run(colon + 1, charSet("\"'\\"), 2);
    const width = view.run(first, PASSWORD, SEEN);
    const end = first + width;
    const password = view.before(end, width);
    if (!isPasswordWritten(password) || /^\d+$/.test(password)) return null;
    return /\bcurl\b/.test(view.before(at, COMMAND_SEEN)) ? { start, end, score: 0.8 } : null;
  },
};
