/*
 * Tokens as `/api/tokens` shows them: never the token itself but in the answer that made it.
 */

export type TokenState = "active" | "disabled" | "expired" | "revoked" | "rotated";

export type TokenView = {
  readonly object: "token";
  readonly id: string;
  readonly name: string | null;
  /** `gw-live-…k3Qz`. */
  readonly display: string;
  readonly user: { readonly id: string; readonly email: string };
  /** The agent it speaks for; null for a person's own. */
  readonly agent: { readonly id: string; readonly name: string } | null;
  readonly state: TokenState;
  /** What it opens. */
  readonly scopes: readonly string[];
  readonly created_at: string;
  /** Null for never. Of a rotated one: when its grace ends. */
  readonly expires_at: string | null;
  /** To the minute; null for never. */
  readonly last_used_at: string | null;
  /** The id of the token that took its place. */
  readonly rotated_to: string | null;
};

/** With the token, which is shown this once. */
export type IssuedTokenView = TokenView & { readonly token: string };

/** With the token that is replaced, and when that one ends. */
export type RotatedTokenView = IssuedTokenView & {
  readonly replaces: { readonly id: string; readonly display: string; readonly ends_at: string };
};
