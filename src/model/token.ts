import { hasChecksum, mintKey } from "#core/checksums";

const PREFIX = "gw-live-";
const CURRENT = /^gw-live-[0-9A-Za-z]{38}$/;
/** Issued before the prefix change; accepted for ever, never minted. */
const LEGACY = /^gwk_[0-9A-Za-z_-]{20,128}$/;

/** `disabled` can come back; `revoked` is final. Expiry and the end of a rotation are read off the clock. */
export type TokenState = "active" | "disabled" | "revoked" | "rotated";

/** A gateway token as it is kept: never the token itself. Times are Unix milliseconds. */
export type Token = {
  readonly id: string;
  /** SHA-256 of the whole token, base64. */
  readonly hash: string;
  /** `gw-live-…k3Qz`. */
  readonly display: string;
  readonly name: string | null;
  readonly user_id: string;
  readonly agent_id: string | null;
  readonly state: TokenState;
  /** After this moment the token is expired; `null` never. A rotated token gets the end of its grace here. */
  readonly expires_at: number | null;
  readonly created_at: number;
};

export const mintToken = (random: Uint8Array): string => mintKey(PREFIX, random);

/** The shape check that comes before any look-up: wrong lengths, alphabets and checksums never reach the store. */
export const looksLikeToken = (text: string): boolean => LEGACY.test(text) || (CURRENT.test(text) && hasChecksum(text));

/** What people see of a token after its one showing. */
export const displayOf = (token: string): string => `${token.startsWith(PREFIX) ? PREFIX : "gwk_"}…${token.slice(-4)}`;

/** Whether a stored token is valid at `now`. Order matters to nobody: every refusal looks the same outside. */
export const isUsable = (token: Token, now: number): boolean =>
  (token.state === "active" || token.state === "rotated") && (token.expires_at === null || now < token.expires_at);

export type DisplayState = TokenState | "expired";

/** The state a person sees in lists. */
export const displayState = (token: Token, now: number): DisplayState =>
  (token.state === "active" || token.state === "rotated") && !isUsable(token, now) ? "expired" : token.state;

/** What every token opens. */
const SCOPES = ["chat", "models", "scan", "reports", "tools", "health", "profile"] as const;

/** What a token opens, for people to read. An agent's own never changes what governs it. */
export const scopesOf = ({ agent_id }: Pick<Token, "agent_id">): string[] =>
  agent_id === null ? [...SCOPES, "tuning"] : [...SCOPES];
