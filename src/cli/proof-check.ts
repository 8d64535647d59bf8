import { isRecord, parseJson } from "#core/json/json";
import { type Checkpoint, readCheckpoint } from "#store/tlog/checkpoint";
import { isSameHash, leafHash, rootOfInclusion } from "#store/tlog/merkle";
import { BadNote, type GoodSignature, goodSignatures, readNote } from "#store/tlog/note";
import { readProof } from "#store/tlog/proof";
import { isWitnessed, readTrust, type TrustPolicy } from "#store/tlog/trust";
import { EXIT, usage } from "./exit";
import { readTextFile } from "./input";
import type { Invocation, RunVerb } from "./verb";

/** What a proof shows. Times in RFC 3339. */
type Shown = {
  readonly origin: string;
  readonly index: number;
  readonly size: number;
  readonly witnesses: readonly { readonly name: string; readonly at: string }[];
  readonly record: unknown;
};

/** `audit check`: reads two files and nothing else. Exit code 8 when the proof does not hold. */
export const check: RunVerb = async (invocation) => {
  const { args, out } = invocation;
  const keyFile = args.text("key");
  if (keyFile === undefined) throw usage("--key: the log's public key, which its operator prints with audit key");
  const file = args.needOperand(0);
  const [text, trust] = [await readTextFile(invocation, file), await readTextFile(invocation, keyFile)];
  if (text.startsWith(EVIDENCE)) return checkEvidence(invocation, { file, note: text, trust: trusted(trust) });
  const result = await checked(text, trust);
  if ("problem" in result) {
    await out.result({ ok: false, problem: result.problem }, `BROKEN: ${result.problem}`);
    return EXIT.integrity;
  }
  await out.result({ ok: true, ...result }, textOf(result));
  return EXIT.ok;
};

/** What the signed note of an evidence report begins with. */
const EVIDENCE = "guardhouse evidence v1\n";

type EvidenceFile = { readonly file: string; readonly note: string; readonly trust: TrustPolicy };

/** The note of a report, the files it names, which lie beside it, and the proofs of the calls that are cited. */
const checkEvidence = async ({ out, ...io }: Invocation, { file, note, trust }: EvidenceFile): Promise<number> => {
  const beside = (kind: string) => readTextFile({ out, ...io }, `${file.replace(/\.note$/, "")}.${kind}`);
  const [json, html] = [await beside("json"), await beside("html")];
  const problem = await evidenceProblem({ note, json, html }, trust);
  const proofs = proofsIn(json);
  await out.result(
    { ok: problem === null, problem, proofs: proofs.length },
    problem === null
      ? `ok: the report and its page are as they were signed, and ${proofs.length} cited calls are in the log`
      : `BROKEN: ${problem}`,
  );
  return problem === null ? EXIT.ok : EXIT.integrity;
};

type ReportTexts = { readonly note: string; readonly json: string; readonly html: string };

/** Null when all of it holds. */
const evidenceProblem = async ({ note, json, html }: ReportTexts, trust: TrustPolicy): Promise<string | null> => {
  try {
    const read = readNote(note);
    const signed = await goodSignatures(read, trust.logs);
    if (signed.length === 0) return "The report is not signed by a log that --key names.";
    const lines = read.text.split("\n");
    if (!lines.includes(`json ${Bun.SHA256.hash(json, "hex")}`)) return "The JSON file is not the one that was signed.";
    if (!lines.includes(`html ${Bun.SHA256.hash(html, "hex")}`)) return "The page is not the one that was signed.";
    for (const proof of proofsIn(json)) await shownBy(proof, trust);
    return null;
  } catch (error) {
    if (error instanceof BadNote) return error.message;
    throw error;
  }
};

/** Those of the calls that a report cites. */
const proofsIn = (json: string): string[] => {
  const shown: unknown = Object(Object(parseJson(json)).cited).shown;
  return Array.isArray(shown) ? shown.flatMap(({ proof }) => (typeof proof === "string" ? [proof] : [])) : [];
};

const checked = async (proof: string, trust: string): Promise<Shown | { readonly problem: string }> => {
  const policy = trusted(trust);
  try {
    return await shownBy(proof, policy);
  } catch (error) {
    if (error instanceof BadNote) return { problem: error.message };
    throw error;
  }
};

/** A file of keys that cannot be read is the caller's mistake, and says nothing of the proof. */
const trusted = (text: string): TrustPolicy => {
  try {
    return readTrust(text);
  } catch (error) {
    if (error instanceof BadNote) throw usage(`--key: ${error.message}`);
    throw error;
  }
};

/** Throws `BadNote` when it does not hold. */
const shownBy = async (text: string, policy: TrustPolicy): Promise<Shown> => {
  const { extra, index, hashes, checkpoint: noteText } = readProof(text);
  if (extra === null) throw new BadNote("The proof lacks the record it is about.");
  const note = readNote(noteText);
  const checkpoint = readCheckpoint(note.text);
  const signed = await goodSignatures(note, [...policy.logs, ...policy.witnesses.values()]);
  assertTrusted(checkpoint, signed, policy);
  const root = rootOfInclusion(leafHash(extra), index, checkpoint.size, hashes);
  if (root === null || !isSameHash(root, checkpoint.root)) {
    throw new BadNote("The record is not the one that the log has at this place.");
  }
  const witnesses = signed.flatMap(({ key, time }) =>
    time === null ? [] : [{ name: key.name, at: new Date(time * 1_000).toISOString() }],
  );
  return { origin: checkpoint.origin, index, size: checkpoint.size, witnesses, record: parseJson(extra) };
};

const assertTrusted = ({ origin }: Checkpoint, signed: readonly GoodSignature[], policy: TrustPolicy): void => {
  if (!signed.some(({ key }) => policy.logs.includes(key) && key.name === origin)) {
    throw new BadNote(`The checkpoint of ${origin} is not signed by a log that --key names.`);
  }
  if (!isWitnessed(policy, signed)) throw new BadNote("Fewer witnesses have signed than --key asks for.");
};

const textOf = ({ origin, index, size, witnesses, record }: Shown): string => {
  const { kind, at, outcome, call_id } = isRecord(record) ? record : {};
  return [
    `ok: this record is in the log ${origin}, number ${index} of ${size}`,
    `call       ${String(call_id)}`,
    `kind       ${String(kind)}`,
    `time       ${String(at)}`,
    `outcome    ${String(outcome)}`,
    ...witnesses.map(({ name, at: time }) => `witness    ${name}, ${time}`),
    ...(isRecord(record) ? ["", JSON.stringify(record, null, 2)] : []),
  ].join("\n");
};
