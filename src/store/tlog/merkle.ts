/*
 * Merkle trees of RFC 6962, section 2.1, and their proofs. Sizes and indexes are integers below 2^53, so bits are taken
 * by division. Hashes are SHA-256, 32 bytes.
 */

export const HASH_BYTES = 32;

/** The most hashes a proof has: one for each level. */
export const MAX_PROOF_HASHES = 63;

export type Hash = Uint8Array<ArrayBuffer>;

/** Root of the complete subtree with `2^level` leaves that is the `index`-th of its size. */
export type SubtreeRoots = (level: number, index: number) => Hash;

const digest = (data: string | Uint8Array): Hash => {
  const hash = new Uint8Array(HASH_BYTES);
  Bun.SHA256.hash(data, hash);
  return hash;
};

/** The tree without leaves: SHA-256 of nothing. */
export const emptyTree = (): TreeHead => ({ size: 0, root: digest("") });

/** `text` is hashed as UTF-8. The first byte tells leaves from nodes, so that no node can be shown as a leaf. */
export const leafHash = (text: string): Hash => digest(`\0${text}`);

export const nodeHash = (left: Uint8Array, right: Uint8Array): Hash => {
  const both = new Uint8Array(1 + 2 * HASH_BYTES);
  both[0] = 1;
  both.set(left, 1);
  both.set(right, 1 + HASH_BYTES);
  return digest(both);
};

/** Root over hashes, a power of two of them. Level by level in one buffer: a full tile has 255 nodes. */
export const completeRoot = (hashes: Uint8Array): Hash => {
  const nodes = new Uint8Array(hashes);
  const both = new Uint8Array(1 + 2 * HASH_BYTES);
  const root = new Uint8Array(HASH_BYTES);
  both[0] = 1;
  for (let count = hashes.length / HASH_BYTES / 2; count >= 1; count /= 2) {
    for (let node = 0; node < count; node += 1) {
      const from = node * 2 * HASH_BYTES;
      both.set(nodes.subarray(from, from + 2 * HASH_BYTES), 1);
      Bun.SHA256.hash(both, root);
      nodes.set(root, node * HASH_BYTES);
    }
  }
  return nodes.slice(0, HASH_BYTES);
};

export const isSameHash = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && one.every((byte, at) => byte === other[at]);

/** The largest power of two below `n`, which is at least 2, and its exponent. */
const split = (n: number): { readonly level: number; readonly size: number } => {
  let [level, size] = [0, 1];
  while (size * 2 < n) {
    size *= 2;
    level += 1;
  }
  return { level, size };
};

/** Root of the leaves from `from` up to, not including, `to`, which begin where the tree divides. */
const rangeRoot = (from: number, to: number, roots: SubtreeRoots): Hash => {
  const size = to - from;
  if (size === 1) return roots(0, from);
  const left = split(size);
  // A power of two: its halves are equal.
  if (left.size * 2 === size) return roots(left.level + 1, from / size);
  return nodeHash(roots(left.level, from / left.size), rangeRoot(from + left.size, to, roots));
};

/** Root of the first `size` leaves, at least one. */
export const treeRoot = (size: number, roots: SubtreeRoots): Hash => rangeRoot(0, size, roots);

/** Proves that a leaf is in the tree of `size` leaves: its siblings from the leaf to the root. RFC 6962, 2.1.1. */
export const inclusionProof = (index: number, size: number, roots: SubtreeRoots): Hash[] => {
  const proof: Hash[] = [];
  let [from, to] = [0, size];
  while (to - from > 1) {
    const middle = from + split(to - from).size;
    if (index < middle) {
      proof.push(rangeRoot(middle, to, roots));
      to = middle;
    } else {
      proof.push(rangeRoot(from, middle, roots));
      from = middle;
    }
  }
  return proof.reverse();
};

/** Proves that the tree of `to` leaves begins with that of `from`, at least one and at most `to`. RFC 6962, 2.1.2. */
export const consistencyProof = (from: number, to: number, roots: SubtreeRoots): Hash[] => {
  const proof: Hash[] = [];
  let [left, right] = [0, to];
  let isWhole = true;
  while (from !== right) {
    const middle = left + split(right - left).size;
    if (from <= middle) {
      proof.push(rangeRoot(middle, right, roots));
      right = middle;
    } else {
      proof.push(rangeRoot(left, middle, roots));
      left = middle;
      isWhole = false;
    }
  }
  if (!isWhole) proof.push(rangeRoot(left, right, roots));
  return proof.reverse();
};

/** The root that a leaf and its proof lead to; null when the proof has not the form of one. RFC 9162, 2.1.3.2. */
export const rootOfInclusion = (leaf: Hash, index: number, size: number, proof: readonly Hash[]): Hash | null => {
  if (index < 0 || index >= size) return null;
  let [node, last, root] = [index, size - 1, leaf];
  for (const sibling of proof) {
    if (last === 0) return null;
    if (node % 2 === 1 || node === last) {
      root = nodeHash(sibling, root);
      while (node % 2 === 0 && node !== 0) [node, last] = [node / 2, Math.floor(last / 2)];
    } else root = nodeHash(root, sibling);
    [node, last] = [Math.floor(node / 2), Math.floor(last / 2)];
  }
  return last === 0 ? root : null;
};

export type TreeHead = { readonly size: number; readonly root: Hash };

/** Whether `proof` shows that `to` begins with `from`. RFC 9162, 2.1.4.2. */
export const isConsistent = (from: TreeHead, to: TreeHead, proof: readonly Hash[]): boolean => {
  if (from.size > to.size) return false;
  if (from.size === to.size) return proof.length === 0 && isSameHash(from.root, to.root);
  if (from.size === 0) return proof.length === 0;
  let [node, last] = [from.size - 1, to.size - 1];
  while (node % 2 === 1) [node, last] = [(node - 1) / 2, Math.floor(last / 2)];
  // A power of two is a subtree of the later tree, so its root is no part of the proof.
  const [first, ...rest] = node === 0 ? [from.root, ...proof] : proof;
  if (first === undefined) return false;
  let [before, after] = [first, first];
  for (const hash of rest) {
    if (last === 0) return false;
    if (node % 2 === 1 || node === last) {
      [before, after] = [nodeHash(hash, before), nodeHash(hash, after)];
      while (node % 2 === 0 && node !== 0) [node, last] = [node / 2, Math.floor(last / 2)];
    } else after = nodeHash(after, hash);
    [node, last] = [Math.floor(node / 2), Math.floor(last / 2)];
  }
  return last === 0 && isSameHash(before, from.root) && isSameHash(after, to.root);
};
