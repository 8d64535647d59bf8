import { completeRoot, HASH_BYTES, type SubtreeRoots } from "./merkle";

/*
 * The tree in pieces: a tile holds up to 256 consecutive hashes of one level, and each hash of the next level is the root
 * of a full tile of this one. https://c2sp.org/tlog-tiles
 */

export const TILE_WIDTH = 256;
const TILE_LEVELS = 8;
/** 256^level hashes stay below 2^53 leaves up to this level. */
const MAX_LEVEL = 6;

export type TilePlace = { readonly level: number; readonly index: number };
/** `width` hashes, one after the other. */
export type Tile = TilePlace & { readonly hashes: Uint8Array };

/** A tile, or a record that one is made of, is not there or not whole. */
export class BrokenTree extends Error {
  override readonly name = "BrokenTree";
}

/** Hashes of a tile, which may be partial; throws `BrokenTree` when there are none. */
export type TileReader = (place: TilePlace) => Uint8Array;

/** Leaves below one hash of a tile of this level. */
const leavesOf = (level: number): number => TILE_WIDTH ** level;

/** How many hashes of its rightmost tile of a level, which is not full, a tree has. */
export const edgeWidth = (level: number, size: number): number => Math.floor(size / leavesOf(level)) % TILE_WIDTH;

/** How many hashes of a tile a tree of `size` leaves has: 0 when it has none of it. */
export const widthIn = (size: number, { level, index }: TilePlace): number =>
  Math.max(0, Math.min(TILE_WIDTH, Math.floor(size / leavesOf(level)) - index * TILE_WIDTH));

/** Roots of subtrees by the tiles they are in or above. */
export const subtreeRootsOf =
  (read: TileReader): SubtreeRoots =>
  (level, index) => {
    const tileLevel = Math.floor(level / TILE_LEVELS);
    const count = 2 ** (level % TILE_LEVELS);
    const first = index * count;
    const place = { level: tileLevel, index: Math.floor(first / TILE_WIDTH) };
    const hashes = read(place);
    const from = (first % TILE_WIDTH) * HASH_BYTES;
    const to = from + count * HASH_BYTES;
    if (hashes.length < to) throw new BrokenTree("A tile of the log is shorter than the tree");
    return completeRoot(hashes.subarray(from, to));
  };

const PATH = /^(0|[1-9]\d?)\/((?:x\d{3}\/)*\d{3})(?:\.p\/([1-9]\d{0,2}))?$/;

/** `1/x001/x234/067.p/8` → its place and width; null for what is not the one way to write it. */
export const tileOfPath = (path: string): (TilePlace & { readonly width: number }) | null => {
  const [, level, index, width] = PATH.exec(path) ?? [];
  if (level === undefined || index === undefined) return null;
  const place = { level: Number(level), index: Number(index.replace(/[x/]/g, "")) };
  const tile = { ...place, width: width === undefined ? TILE_WIDTH : Number(width) };
  if (place.level > MAX_LEVEL || !Number.isSafeInteger(place.index) || tile.width > TILE_WIDTH) return null;
  return pathOfTile(place, tile.width) === path ? tile : null;
};

export const pathOfTile = ({ level, index }: TilePlace, width: number): string => {
  const digits = String(index);
  const padded = digits.padStart(Math.ceil(digits.length / 3) * 3, "0");
  const groups = padded.match(/\d{3}/g) ?? [];
  const name = groups.map((group, at) => (at === groups.length - 1 ? group : `x${group}`)).join("/");
  return `${level}/${name}${width === TILE_WIDTH ? "" : `.p/${width}`}`;
};
