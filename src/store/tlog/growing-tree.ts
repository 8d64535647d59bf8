import { completeRoot, HASH_BYTES, type Hash, type TreeHead, treeRoot } from "./merkle";
import { BrokenTree, edgeWidth, subtreeRootsOf, TILE_WIDTH, type Tile, type TileReader } from "./tile";

/** The rightmost tile of a level, which is not full. */
type Edge = { readonly hashes: Uint8Array; width: number };

/** The right edge of a tree: what its next leaves and its root need of it, some 8 KB a level. */
export class GrowingTree {
  readonly #edges: Edge[] = [];
  #size = 0;

  /** The tree of `size` leaves whose tiles `read` has. */
  static of(size: number, read: TileReader): GrowingTree {
    const tree = new GrowingTree();
    tree.#size = size;
    for (let level = 0; TILE_WIDTH ** level <= size; level += 1) {
      const width = edgeWidth(level, size);
      const edge = newEdge();
      if (width > 0) {
        const index = Math.floor(size / TILE_WIDTH ** (level + 1));
        const known = read({ level, index });
        if (known.length < width * HASH_BYTES) throw new BrokenTree("A tile of the log is shorter than the tree");
        edge.hashes.set(known.subarray(0, width * HASH_BYTES));
        edge.width = width;
      }
      tree.#edges.push(edge);
    }
    return tree;
  }

  get size(): number {
    return this.#size;
  }

  /** `full` gets each tile that this leaf completes, lowest first. */
  add(leaf: Hash, full: (tile: Tile) => void): void {
    this.#size += 1;
    let hash = leaf;
    for (let level = 0; ; level += 1) {
      const edge = this.#edgeOf(level);
      edge.hashes.set(hash, edge.width * HASH_BYTES);
      edge.width += 1;
      if (edge.width < TILE_WIDTH) return;
      const hashes = new Uint8Array(edge.hashes);
      full({ level, index: this.#size / TILE_WIDTH ** (level + 1) - 1, hashes });
      hash = completeRoot(hashes);
      edge.width = 0;
    }
  }

  /** Of a tree with leaves. */
  head(): TreeHead {
    const roots = subtreeRootsOf(({ level }) => this.edge(level));
    return { size: this.#size, root: treeRoot(this.#size, roots) };
  }

  /** Hashes of the rightmost tile of a level, which may be none. */
  edge(level: number): Uint8Array {
    const edge = this.#edges[level];
    return edge === undefined ? new Uint8Array() : edge.hashes.subarray(0, edge.width * HASH_BYTES);
  }

  #edgeOf(level: number): Edge {
    const known = this.#edges[level];
    if (known !== undefined) return known;
    const edge = newEdge();
    this.#edges.push(edge);
    return edge;
  }
}

const newEdge = (): Edge => ({ hashes: new Uint8Array(TILE_WIDTH * HASH_BYTES), width: 0 });
