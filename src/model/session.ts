import { hasChecksum, mintKey } from "#core/checksums";
import { GuardError } from "#core/errors";
import type { User } from "./person";

const PREFIX = "gw-sess-";
const SHAPE = /^gw-sess-[0-9A-Za-z]{38}$/;

/** A signed-in person's key to `/api`, as it is kept: never the key itself. Times are Unix milliseconds. */
export type Session = {
  readonly id: string;
  /** SHA-256 of the whole key, base64. */
  readonly hash: string;
  readonly user_id: string;
  readonly state: "active" | "revoked";
  readonly expires_at: number;
  readonly created_at: number;
};

/** What somebody is signed in with: a session key, or a browser. */
export type PersonSession = Pick<Session, "id" | "created_at" | "expires_at"> & {
  /** When who holds it last proved who they are. Null for a key: only the machine's own operator can make one. */
  readonly confirmed_at: number | null;
};

/** How long a re-authentication covers acts that create credentials, users or roles. Milliseconds. */
export const FRESH_MS = 10 * 60_000;

/** Until when the session is fresh; null for always. */
export const freshUntil = ({ confirmed_at, expires_at }: PersonSession): number | null =>
  confirmed_at === null ? null : Math.min(confirmed_at + FRESH_MS, expires_at);

export const isFresh = (session: PersonSession, now: number): boolean => {
  const until = freshUntil(session);
  return until === null || now < until;
};

/** Who asks at `/api`, after authentication. */
export type Person = { readonly user: User; readonly session: PersonSession };

export const mintSessionKey = (random: Uint8Array): string => mintKey(PREFIX, random);

/** The shape check that comes before any look-up. */
export const looksLikeSessionKey = (text: string): boolean => SHAPE.test(text) && hasChecksum(text);

/** Whether a stored session is valid at `now`. */
export const isOpen = ({ state, expires_at }: Session, now: number): boolean => state === "active" && now < expires_at;

/** The state a person sees in lists. */
export const sessionDisplayState = (session: Session, now: number): Session["state"] | "expired" =>
  session.state === "active" && !isOpen(session, now) ? "expired" : session.state;

export const LINK_RANDOM_BYTES = 32;

/** The secret in a link, behind its `#`: browsers keep that to themselves, so it is in no log and no Referer. */
export const linkTo = (publicUrl: string, page: "setup" | "invite", token: string): string =>
  `${publicUrl}/${page}#${token}`;

/** One answer for all, so that nobody learns which links there were. */
export const linkInvalid = (): GuardError =>
  new GuardError("link_invalid", "This link is used, expired or wrong. Ask for a new one.");
