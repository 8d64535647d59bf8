import { timingSafeEqual } from "node:crypto";

/*
 * Standard Webhooks 1.0, as who receives: HMAC-SHA-256 over `id.timestamp.body`, with the body's bytes as they came. The
 * body is hashed while it is read.
 */

/** How far the sender's clock may be from ours, in seconds. */
const TOLERANCE_S = 300;
/** A sender signs with two secrets while it changes them; a few more are no harm. */
const MAX_SIGNATURES = 8;
const HMAC_BYTES = 32;
const ID = /^[\x21-\x7e]{1,256}$/;
const SECONDS = /^\d{1,12}$/;
const BASE64 = /^[A-Za-z0-9+/]{43}=$/;

/** What the headers of a signed message say, before it is known whether they are true. */
export type SignedHeaders = {
  readonly id: string;
  readonly timestamp: string;
  readonly signatures: readonly Uint8Array[];
};

/** Null for what nobody can have signed, and for what was signed too long ago or ahead of its time. */
export const signedHeaders = (header: (name: string) => string | null, nowMs: number): SignedHeaders | null => {
  const id = header("webhook-id") ?? "";
  const timestamp = header("webhook-timestamp") ?? "";
  if (!ID.test(id) || !SECONDS.test(timestamp)) return null;
  if (Math.abs(Math.floor(nowMs / 1_000) - Number(timestamp)) > TOLERANCE_S) return null;
  const given = (header("webhook-signature") ?? "").split(" ").slice(0, MAX_SIGNATURES);
  const signatures = given.flatMap((one) => signatureIn(one) ?? []);
  return signatures.length === 0 ? null : { id, timestamp, signatures };
};

const signatureIn = (text: string): Uint8Array | null => {
  const [version, encoded = "", ...rest] = text.split(",");
  if (version !== "v1" || rest.length > 0 || !BASE64.test(encoded)) return null;
  return Buffer.from(encoded, "base64");
};

/** The key in a secret: base64, with or without `whsec_`. Null for what is none. */
export const signingKey = (secret: string): Uint8Array | null => {
  const encoded = secret.replace(/^whsec_/, "");
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(encoded) || encoded.length % 4 !== 0) return null;
  const key = Buffer.from(encoded, "base64");
  return key.length >= MIN_KEY_BYTES && key.length <= MAX_KEY_BYTES ? key : null;
};

/** Standard Webhooks has 24 to 64 bytes; senders that follow it less closely are let in with a little less. */
const MIN_KEY_BYTES = 16;
const MAX_KEY_BYTES = 128;

/** Hashes one message under several keys at once. */
export class SignatureCheck {
  private readonly macs: readonly Bun.CryptoHasher[];

  constructor(
    private readonly headers: SignedHeaders,
    keys: readonly Uint8Array[],
  ) {
    const { id, timestamp } = headers;
    this.macs = keys.map((key) => new Bun.CryptoHasher("sha256", key).update(`${id}.${timestamp}.`));
  }

  update(bytes: Uint8Array): void {
    for (const mac of this.macs) mac.update(bytes);
  }

  /** Which of the keys has signed; -1 for none. To be asked once. All are compared, whichever fits. */
  signer(): number {
    let found = -1;
    for (const [at, mac] of this.macs.entries()) {
      const digest = new Uint8Array(mac.digest());
      for (const signature of this.headers.signatures) {
        const isSame = signature.length === HMAC_BYTES && timingSafeEqual(digest, signature);
        if (isSame && found < 0) found = at;
      }
    }
    return found;
  }
}

/** The headers of a message that is signed now. */
export const signedNow = (
  id: string,
  body: string,
  secret: string,
  nowMs: number,
): Readonly<Record<string, string>> => {
  const timestamp = String(Math.floor(nowMs / 1_000));
  const mac = new Bun.CryptoHasher("sha256", signingKey(secret) ?? "").update(`${id}.${timestamp}.${body}`);
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": `v1,${mac.digest("base64")}` };
};
