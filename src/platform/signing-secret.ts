/** As Standard Webhooks has them. */
const BYTES = 32;

/** What messages to a receiver are signed with: random bytes, written `whsec_` and base64. */
export const newSigningSecret = (): string =>
  `whsec_${Buffer.from(crypto.getRandomValues(new Uint8Array(BYTES))).toString("base64")}`;

const FORM = /^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/;

/** Whether it is one that others made: `whsec_` and 24 to 64 bytes in base64. */
export const goodSigningSecret = (secret: string): boolean => FORM.test(secret);
