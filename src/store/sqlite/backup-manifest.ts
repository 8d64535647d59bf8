import type { BackupManifest, BackupPart } from "#store/backup-port";
import { DamagedArchive, type Entry, entriesOf, readEntry } from "./backup-archive";

/** The parts of a backup. The manifest comes last: a file without it was cut off. */
export const PART = {
  database: "guardhouse.db",
  auditKey: "audit-key.pem",
  manifest: "manifest.json",
  /** As `sha256sum -c` takes it. */
  seal: "manifest.sha256",
} as const;

/** More would not be a manifest; nothing larger is read into memory. */
const MOST_BYTES = 65_536;

export const manifestText = (manifest: BackupManifest): string => `${JSON.stringify(manifest, null, 2)}\n`;
export const sealText = (sha256: string): string => `${sha256}  ${PART.manifest}\n`;

export type Contents = { readonly manifest: BackupManifest; readonly entries: ReadonlyMap<string, Entry> };

/** What a backup says of itself and where its parts lie. The parts themselves are not read. Throws `DamagedArchive`. */
export const contentsOf = (handle: number): Contents => {
  const entries = new Map<string, Entry>();
  for (const entry of entriesOf(handle)) {
    if (entries.has(entry.name)) throw new DamagedArchive(`${entry.name} is in it twice`);
    entries.set(entry.name, entry);
  }
  const told = textOf(handle, entries.get(PART.manifest));
  const seal = textOf(handle, entries.get(PART.seal));
  if (seal.text !== sealText(told.sha256)) throw new DamagedArchive("the manifest is not the one that was written");
  const manifest = parsed(told.text);
  const named = [...manifest.parts.map(({ name }) => name), PART.manifest, PART.seal];
  if (named.join() !== [...entries.keys()].join()) throw new DamagedArchive("its parts are not those of its manifest");
  return { manifest, entries };
};

const textOf = (handle: number, entry: Entry | undefined) => {
  if (entry === undefined || entry.bytes > MOST_BYTES)
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
  (value["name"] === PART.database || value["name"] === PART.auditKey) &&
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
