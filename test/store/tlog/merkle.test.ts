import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { GrowingTree } from "#store/tlog/growing-tree";
import {
  consistencyProof,
  type Hash,
  inclusionProof,
  isConsistent,
  isSameHash,
  leafHash,
  nodeHash,
  rootOfInclusion,
  treeRoot,
} from "#store/tlog/merkle";
import { pathOfTile, subtreeRootsOf, type Tile, tileOfPath, widthIn } from "#store/tlog/tile";

/** The leaves of the tests of certificate-transparency, and the roots of their first one to eight. RFC 6962, 2.1.3. */
const LEAVES = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"];
const ROOTS = [
  "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
  "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
  "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
  "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
  "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
  "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
  "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
  "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
];

/** A tree as the store keeps it: full tiles apart, the right edge in memory. */
class Kept {
  readonly tree = new GrowingTree();
  readonly #tiles = new Map<string, Tile>();

  add(leaf: Hash): void {
    this.tree.add(leaf, (tile) => this.#tiles.set(`${tile.level}/${tile.index}`, tile));
  }

  readonly read = ({ level, index }: { level: number; index: number }): Uint8Array =>
    this.#tiles.get(`${level}/${index}`)?.hashes ?? this.tree.edge(level);

  readonly roots = subtreeRootsOf(this.read);

  static of(size: number): Kept {
    const kept = new Kept();
    for (let n = 0; n < size; n += 1) kept.add(leafHash(`record ${n}`));
    return kept;
  }
}

/** By the definition of RFC 6962, 2.1. */
const rootByDefinition = (leaves: readonly Hash[]): Hash => {
  const [first, ...rest] = leaves;
  if (first === undefined) throw new Error("no leaves");
  if (rest.length === 0) return first;
  let k = 1;
  while (k * 2 < leaves.length) k *= 2;
  return nodeHash(rootByDefinition(leaves.slice(0, k)), rootByDefinition(leaves.slice(k)));
};

const size = fc.oneof(
  fc.integer({ min: 1, max: 40 }),
  fc.integer({ min: 250, max: 520 }),
  fc.constantFrom(256, 512, 1024),
);

describe("the tree of RFC 6962", () => {
  test("has the published roots of certificate-transparency's leaves that are text", () => {
    // Leaves are UTF-8 here; of the published ones these are.
    expect(leafHash("").toHex()).toBe(ROOTS[0] ?? "");
    expect(LEAVES.slice(0, 8).every((hex) => /^[0-7][0-9a-f]/.test(hex) || hex === "")).toBe(true);
    const kept = new Kept();
    for (const [at, hex] of LEAVES.entries()) {
      kept.add(leafHash(new TextDecoder().decode(Uint8Array.fromHex(hex))));
      expect(kept.tree.head().root.toHex()).toBe(ROOTS[at] ?? "");
    }
  });

  test("grows to what the definition says", () => {
    fc.assert(
      fc.property(size, (n) => {
        const leaves = Array.from({ length: n }, (_, at) => leafHash(`record ${at}`));
        const { tree, roots } = Kept.of(n);
        expect(tree.head().root.toHex()).toBe(rootByDefinition(leaves).toHex());
        expect(treeRoot(n, roots).toHex()).toBe(tree.head().root.toHex());
      }),
      { numRuns: 30 },
    );
  });

  test("goes on from its tiles as if it had never stopped", () => {
    fc.assert(
      fc.property(size, fc.integer({ min: 1, max: 300 }), (n, more) => {
        const kept = Kept.of(n);
        const again = GrowingTree.of(n, kept.read);
        for (let at = n; at < n + more; at += 1) again.add(leafHash(`record ${at}`), () => {});
        expect(again.head().root.toHex()).toBe(
          Kept.of(n + more)
            .tree.head()
            .root.toHex(),
        );
      }),
      { numRuns: 20 },
    );
  });

  test("large trees: 70,000 leaves have the tiles that the specification counts", () => {
    const kept = Kept.of(70_000);
    expect(widthIn(70_000, { level: 0, index: 272 })).toBe(256);
    expect(widthIn(70_000, { level: 0, index: 273 })).toBe(112);
    expect(widthIn(70_000, { level: 1, index: 1 })).toBe(17);
    expect(widthIn(70_000, { level: 2, index: 0 })).toBe(1);
    expect([0, 1, 2].map((level) => kept.tree.edge(level).length / 32)).toEqual([112, 17, 1]);
    const proof = inclusionProof(69_999, 70_000, kept.roots);
    const root = rootOfInclusion(leafHash("record 69999"), 69_999, 70_000, proof);
    expect(root?.toHex()).toBe(kept.tree.head().root.toHex());
  });
});

describe("proofs", () => {
  test("show that an entry is in the tree, and no other", () => {
    fc.assert(
      fc.property(size, fc.nat(), fc.nat(), (n, some, flip) => {
        const index = some % n;
        const { tree, roots } = Kept.of(n);
        const { root } = tree.head();
        const proof = inclusionProof(index, n, roots);
        const leaf = leafHash(`record ${index}`);
        const reached = rootOfInclusion(leaf, index, n, proof);
        expect(reached !== null && isSameHash(reached, root)).toBe(true);
        const isRoot = (other: Hash | null) => other !== null && isSameHash(other, root);
        expect(isRoot(rootOfInclusion(leafHash("another"), index, n, proof))).toBe(false);
        expect(isRoot(rootOfInclusion(leaf, index, n, [...proof, leaf]))).toBe(false);
        if (proof.length > 0) {
          expect(isRoot(rootOfInclusion(leaf, index, n, proof.slice(1)))).toBe(false);
          expect(
            isRoot(
              rootOfInclusion(
                leaf,
                index,
                n,
                proof.map((hash, at) => (at === flip % proof.length ? leaf : hash)),
              ),
            ),
          ).toBe(false);
        }
        if (n > 1) expect(isRoot(rootOfInclusion(leaf, (index + 1) % n, n, proof))).toBe(false);
      }),
      { numRuns: 60 },
    );
  });

  test("show that one tree begins with another, and refuse one that was rewritten", () => {
    fc.assert(
      fc.property(size, fc.nat(), fc.nat(), (n, some, changed) => {
        const from = 1 + (some % n);
        const { tree, roots } = Kept.of(n);
        const [before, after] = [Kept.of(from).tree.head(), tree.head()];
        const proof = consistencyProof(from, n, roots);
        expect(isConsistent(before, after, proof)).toBe(true);
        const other = new Kept();
        for (let at = 0; at < n; at += 1) other.add(leafHash(at === changed % from ? "rewritten" : `record ${at}`));
        const rewritten = other.tree.head();
        expect(isConsistent(before, rewritten, proof)).toBe(false);
        expect(isConsistent(before, rewritten, consistencyProof(from, n, other.roots))).toBe(false);
        if (from < n) expect(isConsistent(after, before, proof)).toBe(false);
        if (proof.length > 0) expect(isConsistent(before, after, proof.slice(1))).toBe(false);
      }),
      { numRuns: 60 },
    );
  });
});

describe("paths of tiles", () => {
  test("are written one way", () => {
    expect(pathOfTile({ level: 1, index: 1_234_067 }, 8)).toBe("1/x001/x234/067.p/8");
    expect(pathOfTile({ level: 0, index: 0 }, 256)).toBe("0/000");
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 6 }),
        fc.integer({ min: 0, max: 2 ** 40 }),
        fc.integer({ min: 1, max: 256 }),
        (level, index, width) => {
          expect(tileOfPath(pathOfTile({ level, index }, width))).toEqual({ level, index, width });
        },
      ),
    );
  });

  test("other ways are refused", () => {
    const bad = [
      "",
      "0",
      "0/1",
      "0/x000/001",
      "00/001",
      "0/001.p/0",
      "0/001.p/256",
      "0/001.p/08",
      "9/001",
      "0/001/",
      "../0/001",
      "0/x12/001",
    ];
    for (const path of bad) expect([path, tileOfPath(path)]).toEqual([path, null]);
  });
});
