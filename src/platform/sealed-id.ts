import { createCipheriv, createDecipheriv, timingSafeEqual } from "node:crypto";
import { derivedKey, hashesUnder } from "./hash";

/*
 * Ids that hold what they stand for, sealed: nothing has to be stored to read them again. A synthetic IV (RFC 5297, with
 * HMAC-SHA-256 in place of S2V): the same content has the same id in every process and at any time, and one that was made
 * up, changed or given to somebody else does not open.
 */

const IV_BYTES = 16;

export type SealedIds = {
  /** `boundTo` is authenticated, and not in the id. */
  readonly seal: (boundTo: string, content: string) => string;
  /** The content; null for what is not one of ours, or is bound to something else. */
  readonly open: (boundTo: string, sealed: string) => string | null;
};

export const sealedIds = (secret: Uint8Array, purpose: string): SealedIds => {
  const key = derivedKey(secret, `sealed id, encryption: ${purpose}`);
  const macOf = hashesUnder(derivedKey(secret, `sealed id, authentication: ${purpose}`));
  // The length keeps the two parts apart.
  const ivOf = (boundTo: string, content: string) =>
    macOf(`${boundTo.length} ${boundTo}${content}`).subarray(0, IV_BYTES);
  return {
    seal: (boundTo, content) => {
      const iv = ivOf(boundTo, content);
      const cipher = createCipheriv("aes-256-ctr", key, iv);
      return Buffer.concat([iv, cipher.update(content, "utf8"), cipher.final()]).toString("base64url");
    },
    open: (boundTo, sealed) => {
      const bytes = Buffer.from(sealed, "base64url");
      // Other spellings of the same bytes would be further ids of the same.
      if (bytes.length <= IV_BYTES || bytes.toString("base64url") !== sealed) return null;
      const iv = bytes.subarray(0, IV_BYTES);
      const decipher = createDecipheriv("aes-256-ctr", key, iv);
      const content = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES)), decipher.final()]).toString("utf8");
      return timingSafeEqual(iv, ivOf(boundTo, content)) ? content : null;
    },
  };
};
