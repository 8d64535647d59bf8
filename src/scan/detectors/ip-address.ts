import { ALNUM, charSet, DIGIT, HEX, inSet, WORD } from "#scan/char-set";
import type { Detector, Match } from "#scan/detector";
import type { View } from "#scan/view";

const ADDRESS6 = charSet("0-9A-Fa-f:");
const DIGIT_OR_DOT = charSet("0-9.");
const LONGEST6 = 39;
/** Eight groups, three of them wide, which device addresses have not; not of a local network. */
const FULL6 = /^(?!fe[89ab]|f[cdf]|0)(?=(?:[0-9a-f:]*?\b[0-9a-f]{3,4}\b){3})[0-9a-f]{1,4}(?::[0-9a-f]{1,4}){7}$/;
const VERSION =
  /(?:\bv|\bver\.?|version|release|firmware|build|driver|chrome\/|safari\/|oid|section|chapter|clause|§)(?: is| was| to| from)?[ :="']{0,4}$|[<>=~^]=? ?$/i;
/** Blocks of machines as such, which are nobody's even where they are called addresses. */
const NOWHERE = /^(?:0|127|2[2-5]\d)\./;
/** Somebody calls it an address: then even one of a local network is noted. */
const CUE = /(?:(?:\b|_)ip|address|\bhost|client|remote_addr)[\w "'()]{0,7}[ :="'>]{1,3}$/i;
const CUE_DISTANCE = 24;
/** First and last address of the blocks that name no one's machine. Source: IANA special registries. */
const SPECIAL4: readonly (readonly [string, string])[] = [
  ["0.0.0.0", "0.255.255.255"],
  ["10.0.0.0", "10.255.255.255"],
  ["100.64.0.0", "100.127.255.255"],
  ["127.0.0.0", "127.255.255.255"],
  ["169.254.0.0", "169.254.255.255"],
  ["172.16.0.0", "172.31.255.255"],
  ["192.0.0.0", "192.0.0.255"],
  ["192.0.2.0", "192.0.2.255"],
  ["192.88.99.0", "192.88.99.255"],
  ["192.168.0.0", "192.168.255.255"],
  ["198.18.0.0", "198.19.255.255"],
  ["198.51.100.0", "198.51.100.255"],
  ["203.0.113.0", "203.0.113.255"],
  ["224.0.0.0", "255.255.255.255"],
];
const SPECIAL4_NUMBERS = SPECIAL4.map(([first, last]) => [number4(first), number4(last)] as const);

/** Public addresses only: private, loopback and documentation ranges say nothing about a person. */
export const ipAddress: Detector = {
  id: "pii.ip",
  category: "pii",
  severity: "low",
  reach: LONGEST6 + 3,
  behind: CUE_DISTANCE + 4,
  keywords: [":"],
  anchorDigits: true,
  digitBehind: DIGIT_OR_DOT,
  digitBoundary: WORD,
  digitWidths: [1, 2, 3],
  begin: (view, at) => at - view.runBack(at, HEX, 4),
  pending: (view) => view.text.length - view.runBack(view.text.length, HEX, 4),
  read: (view, at) => (view.code(at) === 0x3a ? read6(view, at) : read4(view, at)),
};

function read4(view: View, at: number): Match | null {
  const before = view.code(at - 1);
  const inUrl = before === 0x2f && view.code(at - 2) === 0x2f;
  if (inSet(WORD, before) || before === 0x2e || before === 0x2d || (before === 0x2f && !inUrl)) return null;
  const end = endOfQuad(view, at);
  if (end < 0 || view.is(end, WORD) || (view.code(end) === 0x2e && view.is(end + 1, ALNUM))) return null;
  const number = number4(view.before(end, end - at));
  if (number < 0) return null;
  if (SPECIAL4_NUMBERS.some(([first, last]) => number >= first && number <= last)) {
    const cued = !NOWHERE.test(view.before(end, end - at)) && CUE.test(view.before(at, CUE_DISTANCE));
    return cued ? { start: at, end, score: 0.4 } : null;
  }
  return VERSION.test(view.before(at, CUE_DISTANCE)) ? null : { start: at, end, score: 0.8 };
}

/** End of four numbers with dots between, none with leading zeros; -1 if there is something else. */
function endOfQuad(view: View, at: number): number {
  let i = at;
  for (let part = 0; part < 4; part++) {
    if (part > 0 && view.code(i++) !== 0x2e) return -1;
    const width = view.run(i, DIGIT, 4);
    if (width === 0 || width > 3 || (width > 1 && view.code(i) === 0x30)) return -1;
    i += width;
  }
  return i;
}

function number4(text: string): number {
  let number = 0;
  for (const part of text.split(".")) {
    if (Number(part) > 255) return -1;
    number = number * 256 + Number(part);
  }
  return number;
}

/** `at` is the first colon. 2000::/3 is all that is given out; another's eight groups in full are made up, and noted. */
function read6(view: View, at: number): Match | null {
  const start = at - view.runBack(at, HEX, 4);
  if (start === at) return null;
  const given = start === at - 4 && [0x32, 0x33].includes(view.code(start));
  if (view.is(start - 1, WORD) || view.code(start - 1) === 0x3a) return null;
  const width = view.run(start, ADDRESS6, LONGEST6 + 1);
  if (width > LONGEST6 || view.is(start + width, WORD)) return null;
  const text = view
    .before(start + width, width)
    .replace(/:$/, "")
    .toLowerCase();
  if (!isAddress6(text)) return null;
  const end = start + text.length;
  if (given || FULL6.test(text)) return { start, end, score: given ? 0.8 : 0.6 };
  const cued = text.length > 3 && CUE.test(view.before(start, CUE_DISTANCE));
  return cued ? { start, end, score: 0.4 } : null;
}

function isAddress6(text: string): boolean {
  // Documentation (RFC 3849) and benchmarking prefixes.
  if (/^2001:0?db8:|^3fff:|^2001:0?2:/.test(text)) return false;
  const halves = text.split("::");
  const groups = halves.flatMap((half) => (half === "" ? [] : half.split(":")));
  if (halves.length > 2 || groups.some((group) => !/^[0-9a-f]{1,4}$/.test(group))) return false;
  return halves.length === 2 ? groups.length < 8 : groups.length === 8;
}
