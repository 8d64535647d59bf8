/* W3C Trace Context, level 2: how a request says of which trace it is. */

/** Bits of `trace-flags`. All others mean nothing yet and are not passed on. */
export const SAMPLED = 1;
export const RANDOM = 2;

/** The caller's span, as `traceparent` names it. Ids are hexadecimal in small letters. */
export type TraceParent = { readonly traceId: string; readonly spanId: string; readonly flags: number };

/** What the next participant is sent. */
export type TraceHeaders = { readonly traceparent: string; readonly tracestate?: string };

/** Longer ones are read by nobody. In characters. */
const MAX_TRACEPARENT = 512;
/** `version-traceId-spanId-flags`: 2, 32, 16 and 2 digits. Versions after 00 may say more behind another dash. */
const TRACE_ID_AT = 3;
const SPAN_ID_AT = 36;
const FLAGS_AT = 53;
const LENGTH = 55;
const NO_VERSION = "ff";

/** Null for what is no `traceparent`: then the request is of no trace. */
export const parseTraceparent = (text: string): TraceParent | null => {
  const { length } = text;
  if (length < LENGTH || length > MAX_TRACEPARENT || !isShaped(text)) return null;
  const version = text.slice(0, TRACE_ID_AT - 1);
  if (version === NO_VERSION) return null;
  if (length > LENGTH && (version === "00" || text[LENGTH] !== "-")) return null;
  const traceId = text.slice(TRACE_ID_AT, SPAN_ID_AT - 1);
  const spanId = text.slice(SPAN_ID_AT, FLAGS_AT - 1);
  if (isZero(traceId) || isZero(spanId)) return null;
  return { traceId, spanId, flags: Number.parseInt(text.slice(FLAGS_AT, LENGTH), 16) & (SAMPLED | RANDOM) };
};
/** Every call with a trace is asked this: a regular expression takes several times as long. */
const isShaped = (text: string): boolean => {
  for (let at = 0; at < LENGTH; at += 1) {
    const isDash = at === TRACE_ID_AT - 1 || at === SPAN_ID_AT - 1 || at === FLAGS_AT - 1;
    if (isDash ? text[at] !== "-" : !isDigit(text.charCodeAt(at))) return false;
  }
  return true;
};

/** Of hexadecimal, in small letters. */
const isDigit = (code: number): boolean => (code >= 48 && code <= 57) || (code >= 97 && code <= 102);

const isZero = (id: string): boolean => !/[1-9a-f]/.test(id);

export const traceparentOf = ({ traceId, spanId, flags }: TraceParent): string =>
  `00-${traceId}-${spanId}-0${flags & (SAMPLED | RANDOM)}`;

/** One entry of `tracestate`: who, and what that one says. */
const MEMBER =
  /^([a-z][a-z0-9_\-*/]{0,255}|[a-z0-9][a-z0-9_\-*/]{0,240}@[a-z][a-z0-9_\-*/]{0,13})=([\x21-\x2b\x2d-\x3c\x3e-\x7e\x20]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e])$/;
const MAX_MEMBERS = 32;
/** What is passed on of it at most, in characters: what every participant has to pass on at least. */
const MAX_TRACESTATE = 512;
/** Larger entries are left out first. In characters. */
const LARGE_MEMBER = 128;
/** More is not looked at, and nothing of it passed on. In characters. */
const MAX_READ = 8_192;

/** What may be passed on; null where there is nothing, or something that is no `tracestate`. */
export const parseTracestate = (text: string): string | null => {
  if (text.length > MAX_READ) return null;
  const members = text
    .split(",")
    .map((member) => member.replace(/^[ \t]+|[ \t]+$/g, ""))
    .filter((member) => member !== "");
  const keys = new Set(members.map((member) => MEMBER.exec(member)?.[1]));
  if (members.length === 0 || members.length > MAX_MEMBERS || keys.has(undefined) || keys.size < members.length)
    return null;
  return shortened(members);
};

/** Large entries go first, then the last: the first is of who changed it last. */
const shortened = (members: string[]): string | null => {
  while (lengthOf(members) > MAX_TRACESTATE) {
    const large = members.findLastIndex((member) => member.length > LARGE_MEMBER);
    members.splice(large === -1 ? members.length - 1 : large, 1);
  }
  return members.length === 0 ? null : members.join(",");
};

const lengthOf = (members: readonly string[]): number =>
  members.reduce((sum, { length }) => sum + length + 1, members.length === 0 ? 0 : -1);
