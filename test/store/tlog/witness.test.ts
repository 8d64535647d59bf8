import { describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AuditSigner } from "#store/sqlite/audit-signer";
import { logKey, signedNote } from "#store/sqlite/audit-tree";
import { WitnessState } from "#store/sqlite/witness-state";
import { checkpointText, readCheckpoint } from "#store/tlog/checkpoint";
import { GrowingTree } from "#store/tlog/growing-tree";
import { consistencyProof, emptyTree, leafHash, type TreeHead } from "#store/tlog/merkle";
import {
  BadNote,
  type GoodSignature,
  goodSignatures,
  type NoteKey,
  noteKey,
  readKey,
  readNote,
  SIGNS_COSIGNATURES,
} from "#store/tlog/note";
import { subtreeRootsOf } from "#store/tlog/tile";
import { isWitnessed, readTrust } from "#store/tlog/trust";
import { addCheckpoint, addCheckpointText, cosignaturesIn } from "#store/tlog/witness";
import { verifies } from "#test/support/verifies";

const ORIGIN = "guardhouse/test";

/** A log of up to 256 records, and a witness that knows it. */
class Bench implements Disposable {
  readonly #folder = mkdtempSync(join(tmpdir(), "guardhouse-witness-"));
  readonly #signer = new AuditSigner(join(this.#folder, "key.pem"));
  readonly key = logKey(ORIGIN, this.#signer);
  readonly state = new WitnessState(join(this.#folder, "witness"), "w.example.com", () => 1_700_000_000_000);

  note({ size, root }: TreeHead, origin = ORIGIN): string {
    return signedNote(checkpointText({ origin, size, root }), origin, this.#signer);
  }

  ask(old: number, proof: readonly string[], note: string) {
    return addCheckpoint(addCheckpointText(old, proof, note), { logs: [this.key], ...this.state });
  }

  [Symbol.dispose](): void {
    this.state.close();
    rmSync(this.#folder, { recursive: true });
  }
}

const treeOf = (words: readonly string[]): GrowingTree => {
  const tree = new GrowingTree();
  for (const word of words) tree.add(leafHash(word), () => {});
  return tree;
};
const WORDS = Array.from({ length: 40 }, (_, at) => `record ${at}`);
const headOf = (size: number, words = WORDS): TreeHead => treeOf(words.slice(0, size)).head();
const proofOf = (from: number, to: number, words = WORDS): string[] => {
  const tree = treeOf(words.slice(0, to));
  return consistencyProof(
    from,
    to,
    subtreeRootsOf(({ level }) => tree.edge(level)),
  ).map((hash) => hash.toBase64());
};

describe("a witness", () => {
  test("answers as C2SP's tlog-witness says", async () => {
    verifies("proofs.trust");
    using bench = new Bench();
    const status = async (old: number, proof: readonly string[], note: string) =>
      (await bench.ask(old, proof, note)).status;
    expect(await status(0, [], bench.note(headOf(10)))).toBe(200);
    expect(await status(0, [], "no note")).toBe(400);
    expect(await status(11, [], bench.note(headOf(10)))).toBe(400);
    expect(await status(0, [], bench.note(headOf(12), "guardhouse/other"))).toBe(404);
    const foreign = bench.note(headOf(12)).replace(/(— \S+ \S{8})\S{4}/, "$1AAAA");
    expect(await status(10, proofOf(10, 12), foreign)).toBe(403);
    const stale = await bench.ask(0, [], bench.note(headOf(12)));
    expect([stale.status, stale.body, stale.type]).toEqual([409, "10\n", "text/x.tlog.size"]);
    expect(await status(10, proofOf(9, 12), bench.note(headOf(12)))).toBe(422);
    const other = ["rewritten", ...WORDS.slice(1)];
    expect(await status(10, proofOf(10, 12, other), bench.note(headOf(12, other)))).toBe(422);
    expect(await status(10, [], bench.note(headOf(10, other)))).toBe(409);
    expect(await status(10, [], bench.note(headOf(10)))).toBe(200);
    expect(await status(10, proofOf(10, 12), bench.note(headOf(12)))).toBe(200);
    expect(bench.state.signed()).toEqual([{ origin: ORIGIN, size: 12 }]);
  });

  test("signs one of two that go on from the same checkpoint, however they come", async () => {
    verifies("proofs.trust");
    using bench = new Bench();
    await bench.ask(0, [], bench.note(headOf(10)));
    const fork = [...WORDS.slice(0, 10), "another", ...WORDS.slice(11)];
    const both = await Promise.all([
      bench.ask(10, proofOf(10, 12), bench.note(headOf(12))),
      bench.ask(10, proofOf(10, 13, fork), bench.note(headOf(13, fork))),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  test("signs no tree without records but the one there is", async () => {
    verifies("proofs.trust");
    using bench = new Bench();
    expect((await bench.ask(0, [], bench.note({ size: 0, root: new Uint8Array(32) }))).status).toBe(409);
    expect((await bench.ask(0, [], bench.note(emptyTree()))).status).toBe(200);
  });

  test("its signature holds for the checkpoint alone, and one copy of it is kept", async () => {
    verifies("proofs.trust");
    using bench = new Bench();
    const note = bench.note(headOf(10));
    const { body } = await bench.ask(0, [], note);
    const key = readKey(bench.state.key);
    const { text } = readNote(note);
    expect(await cosignaturesIn(body.repeat(5), text, [key])).toBe(body);
    const [signed] = await goodSignatures(readNote(note + body), [key]);
    expect(signed).toMatchObject({ time: 1_700_000_000 });
    const later = checkpointText({ ...readCheckpoint(text), size: 11 });
    expect(cosignaturesIn(body, later, [key])).rejects.toThrow(BadNote);
  });
});

test("groups of witnesses count as C2SP's tlog-policy says", () => {
  verifies("proofs.trust");
  using bench = new Bench();
  const keys = ["a", "b", "c", "d"].map((name, at) =>
    noteKey(name, SIGNS_COSIGNATURES, new Uint8Array(32).fill(at + 1)),
  );
  const vkey = ({ name, id, bytes }: NoteKey) => `${name}+${id}+${Uint8Array.of(4, ...bytes).toBase64()}`;
  const policy = readTrust(
    [
      `log ${bench.key.name}+${bench.key.id}+${Uint8Array.of(1, ...bench.key.bytes).toBase64()}`,
      ...keys.map((key) => `witness ${key.name} ${vkey(key)}`),
      "group two 2 a b c",
      "group all all two d",
      "quorum all",
      "",
    ].join("\n"),
  );
  const signedBy = (names: string): GoodSignature[] =>
    [...policy.witnesses].flatMap(([name, key]) => (names.includes(name) ? [{ key, time: 1 }] : []));
  const met = ["", "d", "ad", "abd", "abc", "bcd", "abcd"].filter((names) => isWitnessed(policy, signedBy(names)));
  expect(met).toEqual(["abd", "bcd", "abcd"]);
});
