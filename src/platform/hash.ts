import { timingSafeEqual } from "node:crypto";

/** SHA-256 of a secret, base64: what is stored and looked up instead of the secret itself. */
export const secretHash = (secret: string): string => Bun.SHA256.hash(secret, "base64");

/** Equality that takes the same time wherever two strings differ (stops guessing byte by byte). */
export const sameSecret = (a: string, b: string): boolean => {
  const left = Buffer.from(Bun.SHA256.hash(a, "base64"));
  const right = Buffer.from(Bun.SHA256.hash(b, "base64"));
  return timingSafeEqual(left, right);
};

/** Argon2id with the library's defaults. */
export const hashPassword = (password: string): Promise<string> =>
  Bun.password.hash(password, { algorithm: "argon2id" });
