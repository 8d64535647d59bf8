import { createHash, createPublicKey, type KeyObject, verify } from "node:crypto";

/** An ed25519 key of somebody else's, as SPKI in DER, base64. */
export class PublicKey {
  /** Names it: the beginning of its SHA-256. */
  readonly id: string;
  private readonly key: KeyObject;

  constructor(text: string) {
    const der = Buffer.from(text, "base64");
    this.id = createHash("sha256").update(der).digest("hex").slice(0, 16);
    this.key = createPublicKey({ key: der, type: "spki", format: "der" });
    if (this.key.asymmetricKeyType !== "ed25519") throw new TypeError("It is not an ed25519 key");
  }

  /** `signature` in base64. */
  hasSigned(text: string, signature: string): boolean {
    return verify(null, Buffer.from(text), this.key, Buffer.from(signature, "base64"));
  }
}
