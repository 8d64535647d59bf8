import { Database } from "bun:sqlite";
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import type { BackupKeys, BackupManifest, BackupReport } from "#store/backup-port";
import { NewerDatabase } from "#store/newer-database";
import type { AuditReport } from "#store/port";
import { AuditSigner } from "./audit-signer";
import { stateOf } from "./audit-state";
import { verifyLogs } from "./audit-verify-logs";
import { DamagedArchive, readEntry } from "./backup-archive";
import { contentsOf, nodeOfPart, originOf, PART } from "./backup-manifest";
import { userVersion } from "./database";
import { MIGRATIONS } from "./migrations";

const MAX_PROBLEMS = 20;
const NOT_OURS = "its origin is wrong: its manifest was made without the master key that it names";
/** How folders begin in which a backup is unpacked to be looked at. */
export const VERIFYING = ".guardhouse-verify-";

/**
 * Recomputes every checksum of a backup, opens the copy of the database where nothing can be written, lets SQLite look
 * at all of it, and recomputes the audit chain. Throws `NewerDatabase` for what this program cannot judge, and what
 * the file system says of a file that cannot be read.
 */
export const verifyBackup = async (file: string, keys: BackupKeys): Promise<BackupReport> => {
  const folder = mkdtempSync(join(roomFor(file), VERIFYING));
  try {
    return await verifyInto(file, folder, keys);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/** Beside the file, whose disk has space for it; elsewhere if that is not writable. */
const roomFor = (file: string): string => {
  const beside = dirname(resolve(file));
  try {
    rmSync(mkdtempSync(join(beside, VERIFYING)), { recursive: true });
    return beside;
  } catch {
    return tmpdir(); // a folder that is only read, or a disk of that kind
  }
};

/** The same; the parts stay in `folder` when all is well, each file its owner's alone. */
export const verifyInto = async (file: string, folder: string, keys: BackupKeys): Promise<BackupReport> => {
  const found = extracted(file, folder, keys);
  const { manifest, problems } = found;
  if (manifest === null || problems.length > 0) return reportOf(found, problems, null);
  if (manifest.schema_version > MIGRATIONS.length) throw new NewerDatabase(manifest.schema_version, MIGRATIONS.length);
  try {
    const { audit, faults } = await examined(folder, manifest);
    return reportOf(found, faults, audit);
  } catch (error) {
    // Well copied, and yet no database SQLite can read.
    if (!isDatabaseFault(error)) throw error;
    return reportOf(found, [`the database cannot be read: ${error.message}`], null);
  }
};

const reportOf = (
  { manifest, origin, signed_with }: Extracted,
  problems: readonly string[],
  audit: AuditReport | null,
): BackupReport => ({
  ok: problems.length === 0,
  problems: problems.slice(0, MAX_PROBLEMS),
  manifest,
  records: audit?.records ?? 0,
  checkpoints: audit?.checkpoints ?? 0,
  origin,
  signed_with,
});

const isDatabaseFault = (error: unknown): error is Error =>
  error instanceof Error && "code" in error && /^SQLITE_(?:CORRUPT|NOTADB|ERROR)/.test(String(error.code));

type Extracted = Pick<BackupReport, "manifest" | "origin" | "signed_with"> & { readonly problems: string[] };

/** Said of what has no manifest that could be asked. */
const NOTHING_SAID = { manifest: null, origin: "wrong", signed_with: null } as const;

/** Unpacks the parts, compares their checksums, and asks who made the manifest they are in. */
const extracted = (file: string, folder: string, keys: BackupKeys): Extracted => {
  const handle = openSync(file, "r");
  let said: Omit<Extracted, "problems"> = NOTHING_SAID;
  const problems: string[] = [];
  try {
    const contents = contentsOf(handle);
    const origin = originOf(contents, keys);
    said = { manifest: contents.manifest, origin, signed_with: contents.signature?.keyId ?? null };
    if (origin === "wrong") problems.push(NOT_OURS);
    for (const part of contents.manifest.parts) {
      const entry = contents.entries.get(part.name);
      if (entry === undefined || entry.bytes !== part.bytes) problems.push(`${part.name} is not as long as it was`);
      else if (unpack(handle, entry, join(folder, part.name)) !== part.sha256)
        problems.push(`${part.name} is not what was written: its checksum differs`);
    }
  } catch (error) {
    if (!(error instanceof DamagedArchive)) throw error;
    problems.push(error.message);
  } finally {
    closeSync(handle);
  }
  return { ...said, problems };
};

const unpack = (handle: number, entry: Parameters<typeof readEntry>[1], file: string): string => {
  const out = openSync(file, "wx", 0o600);
  try {
    return readEntry(handle, entry, (piece) => {
      for (let done = 0; done < piece.length; ) done += writeSync(out, piece, done);
    });
  } finally {
    closeSync(out);
  }
};

const examined = async (folder: string, manifest: BackupManifest) => {
  const db = new Database(join(folder, PART.database), { readonly: true });
  const opened = [db];
  try {
    const faults: string[] = [];
    const said = db.query<{ integrity_check: string }, []>(`PRAGMA integrity_check(${MAX_PROBLEMS})`).all();
    for (const { integrity_check } of said) if (integrity_check !== "ok") faults.push(`database: ${integrity_check}`);
    if (userVersion(db) !== manifest.schema_version)
      faults.push("the database has another version than its manifest says");
    if (faults.length > 0) return { audit: null, faults };
    const head = stateOf(db).head;
    if (head?.seq !== manifest.audit?.seq || head?.hash !== manifest.audit?.hash)
      faults.push("the audit chain does not end where its manifest says");
    const nodes = manifest.parts.flatMap(({ name }) => {
      const node = nodeOfPart(name);
      if (node === null) return [];
      const own = new Database(join(folder, name), { readonly: true });
      opened.push(own);
      return { node, db: own };
    });
    const audit = await verifyLogs([{ node: null, db }, ...nodes], new AuditSigner(join(folder, PART.auditKey)));
    for (const { node, seq, problem } of audit.faults)
      faults.push(`audit record ${node === undefined ? "" : `${node}:`}${seq}: ${problem}`);
    return { audit, faults };
  } finally {
    for (const one of opened) one.close();
  }
};
