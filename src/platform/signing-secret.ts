/** As Standard Webhooks has them. */
const BYTES = 32;

/** What messages to a receiver are signed with: random bytes, written `whsec_` and base64. */
export const newSigningSecret = (): string =>
  `whsec_${Buffer.from(crypto.getRandomValues(new Uint8Array(BYTES))).toString("base64")}`;
