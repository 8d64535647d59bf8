import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Checkpoint, readCheckpoint } from "#store/tlog/checkpoint";
import {
  cosignedText,
  KEY_BYTES,
  keyText,
  type NoteKey,
  noteKey,
  readNote,
  SIGNS_COSIGNATURES,
  signatureLine,
  timedSignature,
} from "#store/tlog/note";
import type { Candidate } from "#store/tlog/witness";
import { AuditSigner } from "./audit-signer";
import { openDatabase, transaction } from "./database";

/** What a witness keeps in a directory of its own: its key, and of each log the newest checkpoint it has signed. */
export class WitnessState {
  readonly #db;
  readonly #signer: AuditSigner;
  readonly #key: NoteKey;

  /** `name` is the witness's, in its key. */
  constructor(
    directory: string,
    name: string,
    private readonly now: () => number,
  ) {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    this.#signer = new AuditSigner(join(directory, "witness-key.pem"));
    const der = Uint8Array.fromBase64(this.#signer.known().publicKey);
    this.#key = noteKey(name, SIGNS_COSIGNATURES, der.slice(-KEY_BYTES));
    this.#db = openDatabase(join(directory, "witness.db"), {
      durability: "full",
      autocheckpoint: 1_000,
      cacheKib: 256,
    });
    this.#db.run(
      "CREATE TABLE IF NOT EXISTS signed (origin TEXT PRIMARY KEY, size INTEGER NOT NULL, note TEXT NOT NULL) STRICT",
    );
  }

  get key(): string {
    return keyText(this.#key);
  }

  readonly latest = (origin: string): Checkpoint | null => {
    const row = this.#db.query<{ note: string }, [string]>("SELECT note FROM signed WHERE origin = ?").get(origin);
    return row === null ? null : readCheckpoint(readNote(row.note).text);
  };

  readonly keep = (old: number, { checkpoint: { origin, size }, note }: Candidate): boolean =>
    transaction<boolean>(this.#db, () => {
      if ((this.latest(origin)?.size ?? 0) !== old) return false;
      this.#db.query("INSERT OR REPLACE INTO signed (origin, size, note) VALUES (?, ?, ?)").run(origin, size, note);
      return true;
    });

  readonly sign = ({ text }: Candidate): string => {
    const time = Math.floor(this.now() / 1_000);
    const signature = Uint8Array.fromBase64(this.#signer.sign(cosignedText(text, time)).signature);
    return signatureLine(this.#key, timedSignature(time, signature));
  };

  /** Of each log it has signed for. */
  signed(): { readonly origin: string; readonly size: number }[] {
    return this.#db
      .query<{ origin: string; size: number }, []>("SELECT origin, size FROM signed ORDER BY origin")
      .all();
  }

  close(): void {
    this.#db.close();
  }
}
