import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";

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
