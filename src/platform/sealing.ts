import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";

/*
 * Secrets at rest: `v1.<key id>.<nonce>.<ciphertext and tag>`, AES-256-GCM, each part base64url. The purpose is
 * authenticated with it, so that a value moved to another place does not open there.
 */

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Characters. */
export const KEY_ID_LENGTH = 11;

/** The value was changed, belongs elsewhere, or was sealed with another key. Says nothing of the content. */
export class UnsealFailed extends Error {
  override readonly name = "UnsealFailed";
}

/** Seals secrets with the master key, each bound to a purpose, and opens them; `unseal` throws `UnsealFailed`. */
export type Sealing = {
  readonly seal: (purpose: string, secret: string) => string;
  readonly unseal: (purpose: string, sealed: string) => string;
};

/** Names a key without telling anything of it. */
export const keyIdOf = (key: Uint8Array): string =>
  createHash("sha256").update("guardhouse-key-id\n").update(key).digest("base64url").slice(0, KEY_ID_LENGTH);

const boundTo = (keyId: string, purpose: string): Buffer => Buffer.from(`guardhouse\nv1\n${keyId}\n${purpose}`);

/** `purpose` says where the value belongs, e.g. `provider.api_key:<id>`. */
export const sealSecret = (key: Uint8Array, purpose: string, secret: string): string => {
  const keyId = keyIdOf(key);
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(boundTo(keyId, purpose));
  const sealed = Buffer.concat([cipher.update(secret, "utf8"), cipher.final(), cipher.getAuthTag()]);
  return `v1.${keyId}.${nonce.toString("base64url")}.${sealed.toString("base64url")}`;
};

/** Throws `UnsealFailed`. */
export const openSecret = (key: Uint8Array, purpose: string, value: string): string => {
  const [version, keyId, nonceText, sealedText, ...rest] = value.split(".");
  if (
    version !== "v1" ||
    keyId === undefined ||
    nonceText === undefined ||
    sealedText === undefined ||
    rest.length > 0
  ) {
    throw new UnsealFailed("This is not an encrypted value");
  }
  if (keyId !== keyIdOf(key)) throw new UnsealFailed(`The value was encrypted with another key (${keyId})`);
  const nonce = Buffer.from(nonceText, "base64url");
  const sealed = Buffer.from(sealedText, "base64url");
  if (nonce.length !== NONCE_BYTES || sealed.length < TAG_BYTES)
    throw new UnsealFailed("This is not an encrypted value");
  const decipher = createDecipheriv("aes-256-gcm", key, nonce, { authTagLength: TAG_BYTES })
    .setAAD(boundTo(keyId, purpose))
    .setAuthTag(sealed.subarray(sealed.length - TAG_BYTES));
  try {
    const opened = decipher.update(sealed.subarray(0, sealed.length - TAG_BYTES));
    return Buffer.concat([opened, decipher.final()]).toString("utf8");
  } catch (cause) {
    throw new UnsealFailed("The encrypted value was changed or belongs to another row", { cause });
  }
};

/** The key a sealed value needs; null when it is not one. */
export const sealedWith = (value: string): string | null => /^v1\.([\w-]+)\./.exec(value)?.[1] ?? null;
