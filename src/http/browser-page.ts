/** Headers that every page and file for browsers carries. */
export const SECURITY = {
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "cross-origin-opener-policy": "same-origin",
} as const;

const NONCE_BYTES = 18;

export const newNonce = (): string =>
  Buffer.from(crypto.getRandomValues(new Uint8Array(NONCE_BYTES))).toString("base64");

/**
 * Scripts and connections of the hub's own only; no page frames it; no text becomes code (Trusted Types). A page whose
 * scripts add style sheets has a nonce for them; without one, nothing inline is allowed at all.
 */
export const policyOf = (nonce: string | null): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    nonce === null ? "style-src 'self'" : `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "font-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");

/** What a page answers with: never framed, never mixed with what is from elsewhere. */
export const pageHeaders = (nonce: string | null, isSecure: boolean): Headers => {
  const headers = new Headers({
    ...SECURITY,
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": policyOf(nonce),
  });
  if (isSecure) headers.set("strict-transport-security", "max-age=31536000");
  return headers;
};
