import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from "node:crypto";
import { readFileSync } from "node:fs";
import { createFile } from "#platform/data-directory";
import type { Head } from "./audit-chain";

/** What signs the chain's checkpoints: ed25519, signatures in base64. */
export class AuditSigner {
  /** Names the key: the beginning of the public key's SHA-256. */
  readonly keyId: string;
  readonly #private: KeyObject;
  readonly #public: KeyObject;

  /** Reads the key file, and makes it when there is none. */
  constructor(file: string) {
    createFile(file, generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }).toString());
    this.#private = createPrivateKey(readFileSync(file, "utf8"));
    if (this.#private.asymmetricKeyType !== "ed25519") throw new Error(`${file} is not an ed25519 key`);
    this.#public = createPublicKey(this.#private);
    const der = this.#public.export({ type: "spki", format: "der" });
    this.keyId = createHash("sha256").update(der).digest("hex").slice(0, 16);
  }

  sign(text: string): string {
    return sign(null, Buffer.from(text), this.#private).toString("base64");
  }

  isSigned(text: string, signature: string): boolean {
    return verify(null, Buffer.from(text), this.#public, Buffer.from(signature, "base64"));
  }
}

/** The two things signed differ from their first word on, so that neither can stand in for the other. */
export const checkpointText = (head: Head, at: number): string =>
  `guardhouse audit checkpoint v1\n${head.seq}\n${head.hash}\n${at}`;

/** Retention took the partition `name`, which ended at `end`. */
export const dropText = (name: string, end: Head, at: number): string =>
  `guardhouse audit drop v1\n${name}\n${end.seq}\n${end.hash}\n${at}`;
