import { ALNUM, BASE64, charSet, TOKEN } from "#scan/char-set";
import type { Detector } from "#scan/detector";

const MAX_HEADER_LENGTH = 512;
const PAYLOAD_SEEN = 48;
const MIN_PAYLOAD_LENGTH = 16;
const BASE64_REST = charSet("A-Za-z0-9+/=");
const REST = charSet("A-Za-z0-9_.-");
/** The tokens on jwt.io, which half the world's documents quote, and of RFC 7519 §3.1. */
const DOCUMENTED = /^eyJ(?:zdWIiOiIxMjM0NTY3ODkwI|pc3MiOiJqb2UiLA0K)/;

/** JSON web tokens: a header that decodes to JSON with an `alg`. RFC 7519 §3, RFC 7516 §3. */
export const jwt: Detector = {
  id: "secret.jwt",
  category: "secret",
  severity: "high",
  reach: MAX_HEADER_LENGTH + PAYLOAD_SEEN + 2,
  behind: 1,
  boundary: ALNUM,
  keywords: ["eyj"],
  read(view, at) {
    if (!view.has(at, "eyJ")) return null;
    const dot = at + view.run(at, TOKEN, MAX_HEADER_LENGTH);
    if (view.code(dot) !== 0x2e) return null;
    const length = view.run(dot + 1, TOKEN, PAYLOAD_SEEN);
    if (length < MIN_PAYLOAD_LENGTH || !hasAlgorithm(view.before(dot, dot - at))) return null;
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
const MIN_ENCODED_LENGTH = 40;
/** Parameters of headers: RFC 7515 §4.1, RFC 7516 §4.1, RFC 7517 §4, RFC 7518 §4 and 6. */
const PARAMETER =
  /^\{"(?:alg|apu|apv|aud|b64|crit|cty|enc|epk|iss|iv|jku|jwk|key_ops|kid|kty|nonce|p2[cs]|ppt|sub|svt|tag|typ|url|use|ver(?:sion)?|x5[cu]|x5t(?:#S256)?|x|zip)":/;

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
    if (!view.has(at, "ZXlK")) return null;
    const width = view.run(at, BASE64, ENCODED_SEEN);
    if (width < MIN_ENCODED_LENGTH) return null;
    const end = at + width;
    const once = atob(view.before(end, width - (width % 4)));
    const header = /^eyJ[\w-]{5,}/.exec(once)?.[0] ?? "";
    const begin = header
      .slice(0, header.length - (header.length % 4))
      .replaceAll("-", "+")
      .replaceAll("_", "/");
    if (!PARAMETER.test(atob(begin))) return null;
    return { start: at, end, score: 0.95, tail: { kind: "run", set: BASE64_REST } };
  },
};
