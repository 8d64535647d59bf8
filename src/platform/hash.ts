/** SHA-256 of a secret, base64: what is stored and looked up instead of the secret itself. */
export const secretHash = (secret: string): string => Bun.SHA256.hash(secret, "base64");

/** Argon2id with the library's defaults. */
export const hashPassword = (password: string): Promise<string> =>
  Bun.password.hash(password, { algorithm: "argon2id" });

/** SHA-256 in lower-case hexadecimal. */
export const sha256Hex = (text: string): string => Bun.SHA256.hash(text, "hex");
