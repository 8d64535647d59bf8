import { isRecord, type JsonRecord, parseJson } from "#core/json/json";
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
  const found = await evidenceIn({ note, json, html }, trust);
  if ("problem" in found) {
    await out.result({ ok: false, problem: found.problem }, `BROKEN: ${found.problem}`);
    return EXIT.integrity;
  }
  const { proofs } = found;
  const words = `ok: the report and its page are as they were signed, and ${proofs} cited calls are in the log`;
  await out.result({ ok: true, problem: null, proofs }, words);
  return EXIT.ok;
};

type ReportTexts = { readonly note: string; readonly json: string; readonly html: string };

/** How many cited calls are proved. */
const evidenceIn = async (
  { note, json, html }: ReportTexts,
  trust: TrustPolicy,
): Promise<{ readonly proofs: number } | { readonly problem: string }> => {
  try {
    const read = readNote(note);
    const signed = await goodSignatures(read, trust.logs);
    if (signed.length === 0) throw new BadNote("The report is not signed by a log that --key names.");
    const lines = read.text.split("\n");
    if (!lines.includes(`json ${Bun.SHA256.hash(json, "hex")}`))
      throw new BadNote("The JSON file is not the one that was signed.");
    if (!lines.includes(`html ${Bun.SHA256.hash(html, "hex")}`))
      throw new BadNote("The page is not the one that was signed.");
    const cited = citedIn(json);
    for (const call of cited) await assertProved(call, trust);
    return { proofs: cited.length };
  } catch (error) {
    if (error instanceof BadNote) return { problem: error.message };
    throw error;
  }
};

type CitedCall = JsonRecord & { readonly proof: string };

/** Calls that a report cites with a proof. */
const citedIn = (json: string): CitedCall[] => {
  const shown: unknown = Object(Object(parseJson(json)).cited).shown;
  return Array.isArray(shown) ? shown.filter(isCited) : [];
};

const isCited = (call: unknown): call is CitedCall => isRecord(call) && typeof call["proof"] === "string";

/** The proof holds, and is of the call that is cited. Throws `BadNote`. */
const assertProved = async (call: CitedCall, trust: TrustPolicy): Promise<void> => {
  const { record } = await shownBy(call.proof, trust);
  const isOf = isRecord(record) && ["call_id", "at", "kind"].every((name) => record[name] === call[name]);
  if (!isOf) throw new BadNote(`The proof of call ${String(call["call_id"])} is that of another record.`);
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
