import { closeSync, fstatSync, fsyncSync, openSync, readSync, writeSync } from "node:fs";

/*
 * The file of a backup: a POSIX tar (ustar), so that it can be opened anywhere without this program. Written and read
 * in one canonical form: any other byte in a header or in the padding is damage, so that no changed byte goes unseen.
 */

/** Not what we wrote: damaged, cut off, or another kind of file. */
export class DamagedArchive extends Error {
  override readonly name = "DamagedArchive";
}

const BLOCK = 512;
const CHUNK = 1_048_576;
/** What eleven octal digits can say; from there on the size is written in base 256, as GNU tar has it. */
const OCTAL_LIMIT = 8 ** 11;

export type Entry = { readonly name: string; readonly bytes: number; readonly offset: number };
/** Bytes from a file, or a text. */
export type ArchiveSource = {
  readonly name: string;
  readonly from: { readonly file: string } | { readonly text: string };
};
export type WrittenArchive = { readonly name: string; readonly bytes: number; readonly sha256: string };

const octal = (value: number, length: number): string => `${value.toString(8).padStart(length - 1, "0")}\0`;

const sizeField = (bytes: number): Buffer => {
  if (bytes < OCTAL_LIMIT) return Buffer.from(octal(bytes, 12), "latin1");
  const field = Buffer.alloc(12);
  field.writeBigUInt64BE(BigInt(bytes), 4);
  field[0] = 0x80;
  return field;
};

/** Modes say that it is its owner's alone; nothing else in it depends on where it was made. */
const header = (name: string, bytes: number, seconds: number): Buffer => {
  const block = Buffer.alloc(BLOCK);
  block.write(name, 0, 100, "latin1");
  block.write(octal(0o600, 8) + octal(0, 8) + octal(0, 8), 100, "latin1");
  sizeField(bytes).copy(block, 124);
  block.write(octal(seconds, 12), 136, "latin1");
  block.write("        0", 148, "latin1"); // the checksum counts as spaces; a regular file
  block.write("ustar\x0000", 257, "latin1");
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return block;
};

const padding = (bytes: number): number => (BLOCK - (bytes % BLOCK)) % BLOCK;

/** Writes an archive into an open, empty file, part by part. */
export class ArchiveWriter {
  readonly #whole = new Bun.CryptoHasher("sha256");
  #bytes = 0;

  constructor(
    private readonly handle: number,
    /** Unix seconds that all parts are dated with. */
    private readonly seconds: number,
  ) {}

  add({ name, from }: ArchiveSource): WrittenArchive {
    const hasher = new Bun.CryptoHasher("sha256");
    const put = (piece: Uint8Array): void => {
      hasher.update(piece);
      this.#write(piece);
    };
    const bytes = "text" in from ? this.#text(name, from.text, put) : this.#file(name, from.file, put);
    this.#write(Buffer.alloc(padding(bytes)));
    return { name, bytes, sha256: hasher.digest("hex") };
  }

  /** The whole is on disk when this returns. */
  end(): { readonly bytes: number; readonly sha256: string } {
    this.#write(Buffer.alloc(2 * BLOCK));
    fsyncSync(this.handle);
    return { bytes: this.#bytes, sha256: this.#whole.digest("hex") };
  }

  #text(name: string, text: string, put: (piece: Uint8Array) => void): number {
    const content = Buffer.from(text);
    this.#write(header(name, content.length, this.seconds));
    put(content);
    return content.length;
  }

  #file(name: string, file: string, put: (piece: Uint8Array) => void): number {
    const handle = openSync(file, "r");
    try {
      const { size } = fstatSync(handle);
      this.#write(header(name, size, this.seconds));
      const read = eachPiece(handle, 0, size, put);
      if (read !== size) throw new Error(`${file} became shorter while it was read`);
      return size;
    } finally {
      closeSync(handle);
    }
  }

  #write(piece: Uint8Array): void {
    for (let done = 0; done < piece.length; ) done += writeSync(this.handle, piece, done);
    this.#whole.update(piece);
    this.#bytes += piece.length;
  }
}

/** Hands over `bytes` from `offset` on, a piece at a time; returns how many there were. */
const eachPiece = (handle: number, offset: number, bytes: number, take: (piece: Uint8Array) => void): number => {
  const buffer = Buffer.alloc(Math.min(CHUNK, Math.max(bytes, 1)));
  let done = 0;
  while (done < bytes) {
    const read = readSync(handle, buffer, 0, Math.min(buffer.length, bytes - done), offset + done);
    if (read === 0) break;
    take(buffer.subarray(0, read));
    done += read;
  }
  return done;
};

const blockAt = (handle: number, offset: number): Buffer => {
  const block = Buffer.alloc(BLOCK);
  if (readSync(handle, block, 0, BLOCK, offset) !== BLOCK) throw new DamagedArchive("the file ends too soon");
  return block;
};

const sizeIn = (block: Buffer): number => {
  if (block[124] === 0x80) return Number(block.readBigUInt64BE(128));
  return Number.parseInt(block.toString("latin1", 124, 135), 8);
};

/** The parts, by the headers alone: what is in them is not read. Throws `DamagedArchive`. */
export const entriesOf = (handle: number): readonly Entry[] => {
  const { size } = fstatSync(handle);
  const entries: Entry[] = [];
  for (let at = 0; ; ) {
    const block = blockAt(handle, at);
    if (block.every((byte) => byte === 0)) {
      const rest = Buffer.alloc(BLOCK);
      if (size !== at + 2 * BLOCK || !blockAt(handle, at + BLOCK).equals(rest))
        throw new DamagedArchive("data after the end of the archive");
      return entries;
    }
    const entry = entryIn(block, at);
    const next = entry.offset + entry.bytes + padding(entry.bytes);
    if (next > size) throw new DamagedArchive("the file ends too soon");
    entries.push(entry);
    if (entries.length > MAX_ENTRIES) throw new DamagedArchive("it has more parts than a backup");
    at = next;
  }
};

/** Five, and one for each log of a node. */
const MAX_ENTRIES = 1_024;

const entryIn = (block: Buffer, at: number): Entry => {
  const name = block.toString("latin1", 0, block.indexOf(0));
  const bytes = sizeIn(block);
  const seconds = Number.parseInt(block.toString("latin1", 136, 147), 8);
  const isPlain = /^[a-z][a-z0-9.-]{0,60}$/.test(name) && Number.isSafeInteger(bytes) && Number.isSafeInteger(seconds);
  if (!isPlain || !header(name, bytes, seconds).equals(block))
    throw new DamagedArchive(`the header at ${at} is damaged`);
  return { name, bytes, offset: at + BLOCK };
};

/** Reads one part and its padding; returns its SHA-256. Throws `DamagedArchive`. */
export const readEntry = (handle: number, entry: Entry, take: (piece: Uint8Array) => void): string => {
  const hasher = new Bun.CryptoHasher("sha256");
  const read = eachPiece(handle, entry.offset, entry.bytes, (piece) => {
    hasher.update(piece);
    take(piece);
  });
  if (read !== entry.bytes) throw new DamagedArchive("the file ends too soon");
  eachPiece(handle, entry.offset + entry.bytes, padding(entry.bytes), (piece) => {
    if (piece.some((byte) => byte !== 0)) throw new DamagedArchive(`something stands behind ${entry.name}`);
  });
  return hasher.digest("hex");
};
