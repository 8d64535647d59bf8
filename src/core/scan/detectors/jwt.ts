import { ALNUM, BASE64, charSet, TOKEN } from "#core/scan/char-set";
import type { Detector } from "#core/scan/detector";

const LONGEST_HEADER = 512;
const PAYLOAD_SEEN = 48;
const PAYLOAD_LEAST = 16;
const BASE64_REST = charSet("A-Za-z0-9+/=");
const REST = charSet("A-Za-z0-9_.-");
/** The token on jwt.io, which half the world's documents quote. */
const DOCUMENTED = /^eyJzdWIiOiIxMjM0NTY3ODkwI/;

/** JSON web tokens: a header that decodes to JSON with an `alg`. RFC 7519 §3, RFC 7516 §3. */
export const jwt: Detector = {
  id: "secret.jwt",
  category: "secret",
  severity: "high",
  reach: LONGEST_HEADER + PAYLOAD_SEEN + 2,
  behind: 1,
  boundary: ALNUM,
  keywords: ["eyj"],
  read(view, at) {
    if (!view.has(at, "eyJ")) return null;
    const dot = at + view.run(at, TOKEN, LONGEST_HEADER);
    if (view.code(dot) !== 0x2e) return null;
    const length = view.run(dot + 1, TOKEN, PAYLOAD_SEEN);
    if (length < PAYLOAD_LEAST || !hasAlgorithm(view.before(dot, dot - at))) return null;
    const end = dot + 1 + length;
    const score = DOCUMENTED.test(view.before(end, length)) ? 0.2 : 0.95;
    return { start: at, end, score, tail: { kind: "run", set: REST } };
  },
};

function hasAlgorithm(header: string): boolean {
  try {
    const decoded: unknown = JSON.parse(atob(header.replaceAll("-", "+").replaceAll("_", "/")));
    return typeof decoded === "object" && decoded !== null && "alg" in decoded;
  } catch (error) {
    // Text that is no base64 or no JSON is simply no header.
    if (error instanceof SyntaxError || error instanceof DOMException) return false;
    throw error;
  }
}

const ENCODED_SEEN = 96;

/** The same, encoded in base64 once more, as in secrets of Kubernetes. */
export const encodedJwt: Detector = {
  id: "secret.jwt.base64",
  type: "secret.jwt",
  category: "secret",
  severity: "high",
  reach: ENCODED_SEEN + 1,
  behind: 1,
  boundary: ALNUM,
  keywords: ["zxlk"],
  read(view, at) {
    if (!view.has(at, "ZXlK") || view.run(at, BASE64, ENCODED_SEEN) < ENCODED_SEEN) return null;
    const end = at + ENCODED_SEEN;
    // Two JSON objects with a dot between them, each in base64: no header need be read.
    if (!/^eyJ[\w-]+\.eyJ/.test(atob(view.slice(at, end)))) return null;
    return { start: at, end, score: 0.95, tail: { kind: "run", set: BASE64_REST } };
  },
};
