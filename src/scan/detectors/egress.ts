import { charSet } from "#scan/char-set";
import type { Detector, Match } from "#scan/detector";
import type { View } from "#scan/view";

/** Schemes under which a client fetches or opens something elsewhere. */
const SCHEMES = ["http:", "https:", "ftp:", "ws:", "wss:"];
/** Browsers take any number of slashes, backslashes too, and none, between scheme and host (WHATWG URL §4.4). */
const MAX_SLASHES = 8;
/** A host has at most 253 characters (RFC 1035 §2.3.4); user and port are the rest. */
const MAX_AUTHORITY_LENGTH = 320;
/** How far before a link an image's beginning is looked for: its alternative text, or the tag's other attributes. */
const BEFORE_LINK = 300;
const SLASH = charSet("/\\");
const PATH = charSet("!#$%&*+,./:;=?@A-Z\\_a-z|~0-9^-");
const END_OF_AUTHORITY = new Set(Array.from("/\\?#\"'<>()[]{}`|^ \t\r\n", (char) => char.charCodeAt(0)));

/**
 * Links, and images in Markdown or HTML, which many clients fetch unasked: an injected answer carries data out in
 * their addresses. Each match names its host; hosts a policy expects are no findings. Judged only where a profile
 * says something about them.
 */
export const egress: Detector = {
  id: "egress.url",
  category: "egress",
  severity: "medium",
  reach: "https:".length + MAX_SLASHES + MAX_AUTHORITY_LENGTH + 1,
  behind: BEFORE_LINK,
  keywords: SCHEMES,
  emits: ["egress.image"],
  read(view, at, length) {
    const slashes = view.run(at + length, SLASH, MAX_SLASHES);
    const from = at + length + slashes;
    const end = authorityEnd(view, from);
    const host = end - from >= MAX_AUTHORITY_LENGTH ? "" : hostIn(view.slice(from, end));
    if (host === null || (slashes === 0 && !host.includes("."))) return null;
    const match: Match = { start: at, end, score: 1, host, tail: { kind: "run", set: PATH } };
    return isImage(view.before(at, BEFORE_LINK)) ? { ...match, type: "egress.image" } : match;
  },
};

const authorityEnd = (view: View, from: number): number => {
  const stop = from + MAX_AUTHORITY_LENGTH;
  let at = from;
  // An IPv6 address is the one host that holds a bracket.
  if (view.code(at) === 0x5b) while (at < stop && view.code(at) !== -1 && view.code(at) !== 0x5d) at++;
  else while (at < stop && view.code(at) !== -1 && !END_OF_AUTHORITY.has(view.code(at))) at++;
  return view.code(at) === 0x5d && at < stop ? at + 1 : at;
};

/** Without user and port, in lower case; null for none. `https://good.example@evil.example` is at evil.example. */
const hostIn = (authority: string): string | null => {
  const place = authority.slice(authority.lastIndexOf("@") + 1);
  const host = place.startsWith("[") ? place : place.replace(/:\d*$/, "");
  const bare = host.toLowerCase().replace(/\.+$/, "");
  return bare === "" ? null : bare;
};

/** Whether what stands before a link makes it an image: `![…](`, `<img … src="`, `url(`, or a definition that one may use. */
const isImage = (before: string): boolean => {
  const text = before.replace(/[<\s"']+$/, "");
  if (text.endsWith("](")) return text.lastIndexOf("![") > text.lastIndexOf("\n\n");
  if (text.endsWith("]:") || text.endsWith("url(")) return true;
  return text.endsWith("=") && text.lastIndexOf("<img") > text.lastIndexOf(">");
};
