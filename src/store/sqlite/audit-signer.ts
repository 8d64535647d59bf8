import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { createFile } from "#platform/data-directory";
import type { Head } from "#store/audit-link";

type Key = { readonly id: string; readonly private: KeyObject; readonly public: KeyObject };

/** What signs the chain's checkpoints: ed25519, signatures in base64. */
export class AuditSigner {
  #key: Key | null = null;

  /** Reads the key file when there is one. Only who writes makes one: see `make`. */
  constructor(private readonly file: string) {
    this.#known();
  }

  /** Names the key: the beginning of the public key's SHA-256. Null while there is none. */
  get keyId(): string | null {
    return this.#known()?.id ?? null;
  }

  /** Makes the key file when there is none. */
  make(): Key {
    if (this.#key !== null) return this.#key;
    const made = () => generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }).toString();
    if (!existsSync(this.file)) createFile(this.file, made());
    this.#key = readKey(this.file);
    return this.#key;
  }

  /** The key as others need it to check what it signed: SPKI, DER, base64. Makes one when there is none. */
  known(): { readonly id: string; readonly publicKey: string } {
    const key = this.make();
    return { id: key.id, publicKey: key.public.export({ type: "spki", format: "der" }).toString("base64") };
  }

  sign(text: string): { readonly keyId: string; readonly signature: string } {
    const key = this.make();
    return { keyId: key.id, signature: sign(null, Buffer.from(text), key.private).toString("base64") };
  }

  isSigned(text: string, signature: string): boolean {
    const key = this.#known();
    return key !== null && verify(null, Buffer.from(text), key.public, Buffer.from(signature, "base64"));
  }

  #known(): Key | null {
    if (this.#key === null && existsSync(this.file)) this.#key = readKey(this.file);
    return this.#key;
  }
}

const readKey = (file: string): Key => {
  const key = createPrivateKey(readFileSync(file, "utf8"));
  if (key.asymmetricKeyType !== "ed25519") throw new Error(`${file} is not an ed25519 key`);
  const publicKey = createPublicKey(key);
  const der = publicKey.export({ type: "spki", format: "der" });
  return { id: createHash("sha256").update(der).digest("hex").slice(0, 16), private: key, public: publicKey };
};

/*
 * What is signed differs from its first words on, so that none can stand in for another. `prev` is what a checkpoint
 * says of the one before it; null for checkpoints of version 0.1.0, which say nothing of it.
 */

export const checkpointText = (head: Head, at: number, prev: string | null): string =>
  prev === null
    ? `guardhouse audit checkpoint v1\n${head.seq}\n${head.hash}\n${at}`
    : `guardhouse audit checkpoint v2\n${head.seq}\n${head.hash}\n${at}\n${prev}`;

/** The newest checkpoint is that of record `seq`, and has this SHA-256. */
export const headText = (seq: number, digest: string): string => `guardhouse audit head v1\n${seq}\n${digest}`;

/** Retention took the partition `name`, which ended at `end`. */
export const dropText = (name: string, end: Head, at: number): string =>
  `guardhouse audit drop v1\n${name}\n${end.seq}\n${end.hash}\n${at}`;
