import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { createFile, type DataDirectory, syncDirectory } from "./data-directory";
import { derivedKey } from "./hash";
import { keyIdOf, openSecret, sealedWith, sealSecret, UnsealFailed } from "./sealing";

/* A master key: 32 random bytes, written in base64. */

const BYTES = 32;

/** As it stands in a file. */
export const newMasterKey = (): string => `${randomBytes(BYTES).toString("base64")}\n`;

/** `where` names its place for the operator. The text itself is in no error. */
export const parseMasterKey = (text: string, where: string): Uint8Array => {
  const key = Buffer.from(text.trim(), "base64");
  if (key.length !== BYTES) throw new Error(`The master key ${where} must be 32 bytes in base64`);
  return key;
};

/** Null when there is no such file. */
export const masterKeyIn = (file: string): Uint8Array | null => {
  try {
    return parseMasterKey(readFileSync(file, "utf8"), `in ${file}`);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
};

/** Where a change of the master key stands. Ids only. */
export type KeyChange = { readonly from: string; readonly to: string };

/**
 * The master keys in force: the one given or kept in the data directory and, while it is being changed, the next one,
 * kept beside it. Every process sees the change at its next look at the files, without being told: what it seals from
 * then on is sealed with the next key. Keys once known still open, for as long as the process lives.
 */
export class MasterKeys {
  readonly #known = new Map<string, Uint8Array>();
  #current: Uint8Array | null = null;
  #own: Uint8Array | null = null;
  #seen = "";

  /** `given` (base64) comes from the configuration and stands in for the directory's own file. */
  constructor(
    private readonly directory: DataDirectory,
    private readonly given: string | null,
  ) {}

  get isGiven(): boolean {
    return this.given !== null;
  }

  /** The key that seals. The directory's own is made when there is none. */
  current(): Uint8Array {
    this.#reload();
    if (this.#current) return this.#current;
    createFile(this.directory.masterKey, newMasterKey());
    this.#reload();
    if (!this.#current) throw new Error(`${this.directory.masterKey} was removed while it was read`);
    return this.#current;
  }

  readonly seal = (purpose: string, secret: string): string => sealSecret(this.current(), purpose, secret);

  /** Throws `UnsealFailed`, which names the key that is missing. */
  readonly unseal = (purpose: string, sealed: string): string => {
    const id = sealedWith(sealed);
    if (id === null) throw new UnsealFailed("Not an encrypted value");
    if (!this.#known.has(id)) this.#reload();
    const key = this.#known.get(id);
    if (key) return openSecret(key, purpose, sealed);
    const here = this.#current ? `the one available is ${keyIdOf(this.#current)}` : "none is available";
    throw new UnsealFailed(`The value is encrypted with the master key ${id}; ${here}`);
  };

  /** Null while none has been made. */
  idInForce(): string | null {
    this.#reload();
    return this.#current && keyIdOf(this.#current);
  }

  /** Whether a value sealed with the key of this id can be opened. */
  has(id: string): boolean {
    this.#reload();
    return this.#known.has(id);
  }

  /** Keys derived for one purpose, in hexadecimal, by the ids of the master keys that are here. Makes none. */
  derived(purpose: string): Record<string, string> {
    this.#reload();
    const derived = [...this.#known].map(([id, key]) => [id, Buffer.from(derivedKey(key, purpose)).toString("hex")]);
    return Object.fromEntries(derived);
  }

  /** The change that was begun and is not finished, or whose new key nobody has given yet; null when there is none. */
  change(): KeyChange | null {
    this.#reload();
    if (!this.#own || !this.#current || this.#own === this.#current) return null;
    return { from: keyIdOf(this.#own), to: keyIdOf(this.#current) };
  }

  /** Puts the next key beside the one in force. A change already begun goes on, with its own next key. */
  beginChange(next: string): KeyChange {
    this.current();
    createFile(this.directory.nextMasterKey, next);
    // Values sealed with it must not outlive its name after a loss of power.
    syncDirectory(this.directory.path);
    const change = this.change();
    if (!change) throw new Error("The new master key is the same as the present one");
    return change;
  }

  /** Nothing needs the old key any more. Where keys are given, the next one stays until it is. */
  endChange({ to }: KeyChange): void {
    if (this.isGiven) return;
    const next = masterKeyIn(this.directory.nextMasterKey);
    if (!next || keyIdOf(next) !== to) throw new Error(`${this.directory.nextMasterKey} was changed meanwhile`);
    this.#promote();
  }

  /** The change is over, but a process that was started before may know the new key from its file only. */
  get isUnsettled(): boolean {
    return existsSync(this.directory.nextMasterKey) && this.change() === null;
  }

  /** Takes away the file of the next key once that is the one in force. For who is alone with the data directory. */
  settle(): void {
    if (!this.isUnsettled) return;
    if (this.isGiven || existsSync(this.directory.masterKey)) rmSync(this.directory.nextMasterKey);
    else this.#promote();
  }

  #promote(): void {
    renameSync(this.directory.nextMasterKey, this.directory.masterKey);
    syncDirectory(this.directory.path);
  }

  /** Reads the files anew when they have changed. */
  #reload(): void {
    const seen = `${stampOf(this.directory.nextMasterKey)} ${this.isGiven ? "" : stampOf(this.directory.masterKey)}`;
    if (this.#current && seen === this.#seen) return;
    // In this order: a key that takes its place in between is missed by neither.
    const next = masterKeyIn(this.directory.nextMasterKey);
    const own = this.#ownKey();
    // A key in use that somebody removed goes on being used: a new one in its place would open nothing.
    if (!next && !own) return;
    for (const key of [next, own]) if (key) this.#known.set(keyIdOf(key), key);
    const isChange = next && own && keyIdOf(next) !== keyIdOf(own);
    this.#own = own ?? next;
    this.#current = isChange ? next : this.#own;
    this.#seen = seen;
  }

  #ownKey(): Uint8Array | null {
    if (this.given !== null) return parseMasterKey(this.given, "in the configuration");
    return masterKeyIn(this.directory.masterKey);
  }
}

/** Tells whether a file is still the one that was read: it is replaced, never written over. */
const stampOf = (file: string): string => {
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat ? `${stat.ino}:${stat.mtimeMs}` : "-";
};
