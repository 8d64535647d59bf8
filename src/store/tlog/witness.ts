import { type Checkpoint, integer, readCheckpoint } from "./checkpoint";
import { emptyTree, type Hash, isConsistent } from "./merkle";
import { BadNote, goodSignatures, type Note, type NoteKey, readNote, readSignature } from "./note";
import { readHashes } from "./proof";

/* How a log asks a witness to sign its newest checkpoint. https://c2sp.org/tlog-witness */

/** The longest request that is read, in bytes. */
export const MAX_REQUEST_BYTES = 65_536;

export type AddCheckpoint = { readonly old: number; readonly proof: readonly Hash[]; readonly note: string };

export const addCheckpointText = (old: number, proof: readonly string[], note: string): string =>
  [`old ${old}`, ...proof, "", note].join("\n");

/** Throws `BadNote`. */
export const readAddCheckpoint = (text: string): AddCheckpoint => {
  const end = text.indexOf("\n\n");
  const [first = "", ...hashes] = text.slice(0, Math.max(0, end)).split("\n");
  const old = first.startsWith("old ") ? integer(first.slice("old ".length)) : null;
  if (old === null) throw new BadNote("The request does not begin with the old size.");
  return { old, proof: readHashes(hashes), note: text.slice(end + 2) };
};

export type Answer = { readonly status: number; readonly body: string; readonly type?: string };

/** What a witness signs, once nothing speaks against it. */
export type Candidate = { readonly checkpoint: Checkpoint; readonly text: string; readonly note: string };

type WitnessNeeds = {
  readonly logs: readonly NoteKey[];
  /** The newest checkpoint of an origin that was signed; null for none. */
  readonly latest: (origin: string) => Checkpoint | null;
  /** Keeps the candidate in place of the newest of size `old`, on disk; false when that is not the newest any more. */
  readonly keep: (old: number, candidate: Candidate) => boolean;
  /** Signature lines over the candidate. */
  readonly sign: (candidate: Candidate) => string;
};

/** Signs a checkpoint when it goes on from the newest one it has signed. */
export const addCheckpoint = async (text: string, witness: WitnessNeeds): Promise<Answer> => {
  let request: AddCheckpoint;
  let note: Note;
  let checkpoint: Checkpoint;
  try {
    request = readAddCheckpoint(text);
    note = readNote(request.note);
    checkpoint = readCheckpoint(note.text);
  } catch (error) {
    if (error instanceof BadNote) return { status: 400, body: `${error.message}\n` };
    throw error;
  }
  const keys = witness.logs.filter(({ name }) => name === checkpoint.origin);
  if (keys.length === 0) return { status: 404, body: "This witness does not know the log.\n" };
  if (!(await isSigned(note, keys))) return { status: 403, body: "The checkpoint is not signed by the log.\n" };
  if (request.old > checkpoint.size) return { status: 400, body: "The old size is larger than the checkpoint's.\n" };
  const latest = witness.latest(checkpoint.origin);
  const size = latest?.size ?? 0;
  if (request.old !== size) return conflict(size);
  if (!isConsistent(latest ?? emptyTree(), checkpoint, request.proof)) {
    const isOtherTree = size === checkpoint.size;
    return isOtherTree ? conflict(size) : { status: 422, body: "The proof does not show that the log goes on.\n" };
  }
  const candidate = { checkpoint, text: note.text, note: request.note };
  if (!witness.keep(size, candidate)) return conflict(witness.latest(checkpoint.origin)?.size ?? 0);
  return { status: 200, body: witness.sign(candidate) };
};

const conflict = (size: number): Answer => ({ status: 409, body: `${size}\n`, type: "text/x.tlog.size" });

const isSigned = async (note: Note, keys: readonly NoteKey[]): Promise<boolean> => {
  try {
    return (await goodSignatures(note, keys)).length > 0;
  } catch (error) {
    if (error instanceof BadNote) return false;
    throw error;
  }
};

/**
 * The lines of a witness's answer that hold for the checkpoint, by keys that are known; others are left out. Throws
 * `BadNote` when there is none.
 */
export const cosignaturesIn = async (body: string, text: string, keys: readonly NoteKey[]): Promise<string> => {
  const lines = body.split("\n").filter((line) => line !== "");
  const good = new Map<NoteKey, string>();
  for (const line of lines.slice(0, MAX_LINES)) {
    const signature = readSignature(line);
    for (const { key } of await goodSignatures({ text, signatures: [signature] }, keys)) good.set(key, `${line}\n`);
  }
  if (good.size === 0) throw new BadNote("The witness has not signed with the key it is known by.");
  return [...good.values()].join("");
};

const MAX_LINES = 16;
