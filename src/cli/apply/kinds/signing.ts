import { GuardError } from "#core/errors";
import { goodSigningSecret } from "#platform/signing-secret";

/** What messages are signed with is known to their receiver: it is given, and never made in silence. */
export const signingSecret = (field: string, secret: string | undefined): string => {
  if (secret !== undefined && goodSigningSecret(secret)) return secret;
  const message = `${field} must refer to whsec_ and base64 of 24 to 64 bytes, which the receiver has too.`;
  throw new GuardError("invalid_value", message, { param: field });
};
