import { GuardError } from "#core/errors";
import type { AuditRow } from "#store/port";
import type { NoProof, TreeLog } from "#store/proof-port";
import { type Checkpoint, readCheckpoint } from "#store/tlog/checkpoint";
import { isConsistent, isSameHash } from "#store/tlog/merkle";
import { BadNote, goodSignatures, readKey, readNote } from "#store/tlog/note";
import { readHashes, readProof } from "#store/tlog/proof";
import { callOf } from "./calls";
import { CliExit, EXIT } from "./exit";
import { readTextFile } from "./input";
import { type CliSession, reading } from "./session";
import type { RunVerb } from "./verb";

const WHY_NOT: Readonly<Record<NoProof, string>> = {
  before_tree: "The record is from before this log had a tree: audit verify covers it, a proof cannot",
  unsigned: "The record is not under a checkpoint yet; the log signs one each minute",
  elsewhere: "The record is in the log of another hub, or a change in PostgreSQL. Prove calls where they were recorded",
};

/** `audit prove`: the proof on stdout, as C2SP `tlog-proof`, with the record in it. */
export const prove: RunVerb = async (invocation) => {
  const { args, out } = invocation;
  const id = args.needOperand(0).toLowerCase();
  const proof = await reading(invocation, async (session) => {
    const row = await callOf(session, id);
    if (row === null) throw new GuardError("not_found", `There is no call ${id}`, { param: "id" });
    return proofOf(session, row);
  });
  if (proof === "before_tree" || proof === "unsigned" || proof === "elsewhere")
    throw new CliExit(EXIT.failure, WHY_NOT[proof]);
  await out.result({ proof }, proof.trimEnd());
  return EXIT.ok;
};

/** Signs a checkpoint where none covers the record yet, which a hub that runs does each minute. */
const proofOf = async ({ store }: CliSession, row: AuditRow): Promise<string | NoProof> => {
  const record = { node: row.node ?? null, seq: row.seq, body: row.body };
  const proof = await store.proofs.prove(record);
  if (proof !== "unsigned") return proof;
  await store.audit.flush();
  return store.proofs.prove(record);
};

/** `audit key`: what `audit check --key` takes. */
export const key: RunVerb = async (invocation) => {
  const logs = await reading(invocation, ({ store }) => store.proofs.logs());
  const [main] = logs;
  if (main === undefined) throw new CliExit(EXIT.notFound, "The audit log has no records yet");
  const shown = logs.map(({ node, key }) => ({ node, key }));
  await invocation.out.result({ key: main.key, logs: shown }, logs.map((log) => log.key).join("\n"));
  return EXIT.ok;
};

/** `audit consistency`: whether the log still begins with what a checkpoint said, kept by somebody else. */
export const consistency: RunVerb = async (invocation) => {
  const { args, out } = invocation;
  const from = checkpointIn(await readTextFile(invocation, args.need("from")));
  const file = args.text("to");
  const later = file === undefined ? null : checkpointIn(await readTextFile(invocation, file));
  const result = await reading(invocation, (session) => compare(session, from, later));
  const { problem, hashes, to } = result;
  const sizes = `${from.checkpoint.size} to ${to.size}`;
  await out.result(
    { ok: problem === null, origin: to.origin, from: from.checkpoint.size, to: to.size, problem, proof: hashes },
    problem === null ? `ok: the log ${to.origin} goes on from what was kept, ${sizes} records` : `BROKEN: ${problem}`,
  );
  return problem === null ? EXIT.ok : EXIT.integrity;
};

type Kept = { readonly checkpoint: Checkpoint; readonly note: string };
type Compared = { readonly problem: string | null; readonly hashes: readonly string[]; readonly to: Checkpoint };

const compare = async ({ store }: CliSession, from: Kept, later: Kept | null): Promise<Compared> => {
  // What was recorded since the last checkpoint counts, too.
  if (later === null) await store.audit.flush();
  const log = (await store.proofs.logs()).find(({ origin }) => origin === from.checkpoint.origin);
  const to = later ?? (log?.head ? checkpointIn(log.head.note) : null);
  if (log === undefined || to === null) return broken(from.checkpoint, "there is no log of this name here");
  const [earlier, end] = [from.checkpoint, to.checkpoint];
  const areSigned = (await isSigned(from, log)) && (await isSigned(to, log));
  if (!areSigned) return broken(end, "a checkpoint was not signed by this log");
  if (earlier.size > end.size) return broken(end, `the log has ${end.size} records, and had ${earlier.size}`);
  if (earlier.size === end.size && !isSameHash(earlier.root, end.root))
    return broken(end, "two trees of one size were signed");
  const hashes = await store.proofs.consistency(log.node, earlier.size, end.size);
  if (hashes === null) return broken(end, "the log is shorter than a checkpoint it has signed");
  if (!isConsistent(earlier, end, readHashes(hashes))) return broken(end, "records that were there have been changed");
  return { problem: null, hashes, to: end };
};

const broken = (to: Checkpoint, problem: string): Compared => ({ problem, hashes: [], to });

const isSigned = async ({ note, checkpoint }: Kept, { key: text }: TreeLog): Promise<boolean> => {
  const own = readKey(text);
  try {
    return checkpoint.origin === own.name && (await goodSignatures(readNote(note), [own])).length > 0;
  } catch (error) {
    if (error instanceof BadNote) return false;
    throw error;
  }
};

/** In a checkpoint, or in a proof that has one. Throws a `CliExit` that says what the file is not. */
const checkpointIn = (text: string): Kept => {
  try {
    const note = text.startsWith("c2sp.org/tlog-proof") ? readProof(text).checkpoint : text;
    return { checkpoint: readCheckpoint(readNote(note).text), note };
  } catch (error) {
    if (error instanceof BadNote) throw new CliExit(EXIT.usage, error.message);
    throw error;
  }
};
