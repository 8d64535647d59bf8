import { GuardError } from "#core/errors";

export const LINK_RANDOM_BYTES = 32;

/** The secret in a link, behind its `#`: browsers keep that to themselves, so it is in no log and no Referer. */
export const linkTo = (publicUrl: string, page: "setup" | "invite", token: string): string =>
  `${publicUrl}/${page}#${token}`;

/** One answer for all, so that nobody learns which links there were. */
export const linkInvalid = (): GuardError =>
  new GuardError("link_invalid", "This link is used, expired or wrong. Ask for a new one.");
