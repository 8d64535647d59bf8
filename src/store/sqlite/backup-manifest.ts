import { timingSafeEqual } from "node:crypto";
import type { BackupKeys, BackupManifest, BackupOrigin, BackupPart } from "#store/backup-port";
import { CHAINED_VERSION } from "./audit-checkpoints";
import { DamagedArchive, type Entry, entriesOf, readEntry } from "./backup-archive";

/** The parts of a backup. The manifest comes last: a file without it was cut off. */
export const PART = {
  database: "guardhouse.db",
  auditKey: "audit-key.pem",
  manifest: "manifest.json",
  /** As `sha256sum -c` takes it. */
  seal: "manifest.sha256",
  /** Of the manifest, under a key derived from the master key: `<id of that key> <HMAC-SHA-256>`. */
  hmac: "manifest.hmac",
} as const;

const NODE_PART = /^audit-([a-z0-9][a-z0-9-]{0,50})\.db$/;

/** The part that a node's log is. */
export const nodePart = (node: string): string => `audit-${node}.db`;

/** Whose log a part is; null for another part. */
export const nodeOfPart = (name: string): string | null => NODE_PART.exec(name)?.[1] ?? null;

/** More would not be a manifest; nothing larger is read into memory. */
const MAX_BYTES = 65_536;

export const manifestText = (manifest: BackupManifest): string => `${JSON.stringify(manifest, null, 2)}\n`;
/** Of the manifest and, where the backup is signed, of its HMAC: the id of the key is not under that itself. */
export const sealText = (manifest: string, hmac: string | null): string =>
  `${manifest}  ${PART.manifest}\n${hmac === null ? "" : `${hmac}  ${PART.hmac}\n`}`;

/** Which master key the manifest was signed with, and the HMAC. */
type Signature = { readonly keyId: string; readonly hmac: string };
export type Contents = {
  readonly manifest: BackupManifest;
  readonly entries: ReadonlyMap<string, Entry>;
  readonly text: string;
  readonly signature: Signature | null;
};

const hmacOf = (text: string, key: string): string =>
  new Bun.CryptoHasher("sha256", Buffer.from(key, "hex")).update(`guardhouse backup v1\n${text}`).digest("hex");

export const hmacText = (manifest: string, keyId: string, key: string): string => `${keyId} ${hmacOf(manifest, key)}\n`;

const signatureIn = (text: string): Signature => {
  const [, keyId, hmac] = /^([\w-]{1,64}) ([0-9a-f]{64})\n$/.exec(text) ?? [];
  if (keyId === undefined || hmac === undefined) throw new DamagedArchive("its HMAC cannot be read");
  return { keyId, hmac };
};

/** Whether the manifest, and with it the sums of all parts, is of who had the master key. */
export const originOf = ({ manifest, text, signature }: Contents, keys: BackupKeys): BackupOrigin => {
  // Since then every backup is signed: one without has lost its signature.
  if (signature === null) return manifest.schema_version < CHAINED_VERSION ? "unsigned" : "wrong";
  const key = keys[signature.keyId];
  if (key === undefined) return "not_checked";
  const isRight = timingSafeEqual(Buffer.from(hmacOf(text, key)), Buffer.from(signature.hmac));
  return isRight ? "verified" : "wrong";
};

/** What a backup says of itself and where its parts lie. The parts themselves are not read. Throws `DamagedArchive`. */
export const contentsOf = (handle: number): Contents => {
  const entries = new Map<string, Entry>();
  for (const entry of entriesOf(handle)) {
    if (entries.has(entry.name)) throw new DamagedArchive(`${entry.name} is in it twice`);
    entries.set(entry.name, entry);
  }
  const told = textOf(handle, entries.get(PART.manifest));
  const seal = textOf(handle, entries.get(PART.seal));
  const hmac = entries.has(PART.hmac) ? textOf(handle, entries.get(PART.hmac)) : null;
  // Earlier versions sealed the manifest alone.
  const isSealed = [hmac?.sha256 ?? null, null].some((sum) => seal.text === sealText(told.sha256, sum));
  if (!isSealed) throw new DamagedArchive("the manifest is not the one that was written");
  const manifest = parsed(told.text);
  const signature = hmac === null ? null : signatureIn(hmac.text);
  const named = [
    ...manifest.parts.map(({ name }) => name),
    PART.manifest,
    PART.seal,
    ...(hmac === null ? [] : [PART.hmac]),
  ];
  if (named.join() !== [...entries.keys()].join()) throw new DamagedArchive("its parts are not those of its manifest");
  return { manifest, entries, text: told.text, signature };
};

const textOf = (handle: number, entry: Entry | undefined) => {
  if (entry === undefined || entry.bytes > MAX_BYTES)
    throw new DamagedArchive("it has no manifest: this is no whole backup");
  const pieces: Uint8Array[] = [];
  const sha256 = readEntry(handle, entry, (piece) => pieces.push(Uint8Array.from(piece)));
  return { text: Buffer.concat(pieces).toString("utf8"), sha256 };
};

const parsed = (text: string): BackupManifest => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new DamagedArchive("the manifest cannot be read");
  }
  if (!isManifest(value)) throw new DamagedArchive("the manifest is of a form this program does not know");
  return value;
};

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isPart = (value: unknown): value is BackupPart =>
  isRecord(value) &&
  (value["name"] === PART.database || value["name"] === PART.auditKey || nodeOfPart(String(value["name"])) !== null) &&
  Number.isSafeInteger(value["bytes"]) &&
  typeof value["sha256"] === "string";

const isHead = (value: unknown): boolean =>
  value === null || (isRecord(value) && Number.isSafeInteger(value["seq"]) && typeof value["hash"] === "string");

const isManifest = (value: unknown): value is BackupManifest =>
  isRecord(value) &&
  value["format"] === "guardhouse-backup" &&
  value["format_version"] === 1 &&
  typeof value["created_at"] === "string" &&
  !Number.isNaN(Date.parse(value["created_at"])) &&
  ["command", "person", "schedule"].includes(String(value["made_by"])) &&
  typeof value["version"] === "string" &&
  Number.isSafeInteger(value["schema_version"]) &&
  isHead(value["audit"]) &&
  typeof value["audit_key_included"] === "boolean" &&
  value["master_key_included"] === false &&
  Array.isArray(value["master_key_ids"]) &&
  value["master_key_ids"].every((id) => typeof id === "string") &&
  Array.isArray(value["parts"]) &&
  value["parts"].every(isPart) &&
  value["parts"].some(({ name }) => name === PART.database);
