/** What a `WWW-Authenticate` header asks of us with the scheme Bearer (RFC 6750 §3, RFC 9728 §5.1). */
export type Challenge = {
  /** Where the server's metadata is. */
  readonly resourceMetadata: string | null;
  readonly scope: string | null;
};

/** Longer headers are cut: nobody means that much. */
const MAX_LENGTH = 8_192;
/** A scheme's name, or a parameter: quoted, bare, or a token68 that nobody here reads. */
const PIECE = /\s*,?\s*([!#$%&'*+\-.^_`|~\w]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+)))?/y;

/** Schemes follow each other in one header, parameters follow their scheme. Of two Bearer challenges the first counts. */
export const challengeOf = ({ headers }: Pick<Response, "headers">): Challenge => {
  const text = (headers.get("www-authenticate") ?? "").slice(0, MAX_LENGTH);
  const bearer = new Map<string, string>();
  let scheme = "";
  const piece = new RegExp(PIECE);
  for (let match = piece.exec(text); match; match = piece.exec(text)) {
    const [, name = "", quoted, bare] = match;
    const value = quoted?.replace(/\\(.)/g, "$1") ?? bare;
    const key = name.toLowerCase();
    if (value === undefined) scheme = key;
    else if (scheme === "bearer" && !bearer.has(key)) bearer.set(key, value);
  }
  return { resourceMetadata: bearer.get("resource_metadata") ?? null, scope: bearer.get("scope") || null };
};

/** The words of a scope (RFC 6749 §3.3). */
export const scopeWords = (scope: string | null): string[] => (scope ?? "").split(" ").filter((word) => word !== "");

export const NO_CHALLENGE: Challenge = { resourceMetadata: null, scope: null };

/** All words of both, each once; null for none. */
export const widened = (...scopes: readonly (string | null)[]): string | null =>
  [...new Set(scopes.flatMap(scopeWords))].join(" ") || null;
