const HEAD_END = Buffer.from("\r\n\r\n");

/** Where a response stands after some bytes. */
export type Progress = "head" | "body" | "complete";

/**
 * Reads one HTTP/1.1 response after the other from the bytes of a connection, as cheaply as a load generator
 * needs: Latin-1 (the bench's texts are ASCII), content-length or chunked, no trailers.
 */
export class ResponseReader {
  status = 0;
  /** The body so far. */
  body = "";
  #rest: Buffer | undefined;
  #progress: Progress = "head";
  #chunked = false;
  /** Bytes of body (or of the current chunk) still to come. */
  #left = 0;
  /** True while the next bytes are a chunk's size line. */
  #atSize = false;

  /** Makes ready for the next response. */
  reset(): void {
    this.status = 0;
    this.body = "";
    this.#rest = undefined;
    this.#progress = "head";
    this.#atSize = false;
  }

  /** Throws on what is not HTTP, and on bytes after the end of the response. */
  push(bytes: Buffer): Progress {
    const all = this.#rest === undefined ? bytes : Buffer.concat([this.#rest, bytes]);
    this.#rest = undefined;
    const start = this.#progress === "head" ? this.#readHead(all) : 0;
    if (this.#progress === "head") return this.#progress;
    const end = this.#chunked ? this.#readChunks(all, start) : this.#readLength(all, start);
    if (end < all.length) {
      if (this.#progress === "complete") throw new Error("bytes after the response");
      this.#rest = Buffer.from(all.subarray(end));
    }
    return this.#progress;
  }

  #readHead(bytes: Buffer): number {
    const end = bytes.indexOf(HEAD_END);
    if (end < 0) {
      this.#rest = Buffer.from(bytes);
      return 0;
    }
    const head = bytes.toString("latin1", 0, end).toLowerCase();
    this.status = Number(head.slice(9, 12));
    const length = /\r\ncontent-length: *(\d+)/.exec(head)?.[1];
    this.#chunked = /\r\ntransfer-encoding: *chunked/.test(head);
    if (!this.#chunked && length === undefined) throw new Error("no length in the response");
    this.#left = this.#chunked ? 0 : Number(length);
    this.#atSize = this.#chunked;
    this.#progress = "body";
    return end + HEAD_END.length;
  }

  #readLength(bytes: Buffer, start: number): number {
    const end = Math.min(bytes.length, start + this.#left);
    this.body += bytes.toString("latin1", start, end);
    this.#left -= end - start;
    if (this.#left === 0) this.#progress = "complete";
    return end;
  }

  #readChunks(bytes: Buffer, start: number): number {
    let at = start;
    while (at < bytes.length) {
      if (this.#atSize) {
        const next = this.#readSize(bytes, at);
        if (next === at || this.#progress === "complete") return next;
        at = next;
      }
      const end = Math.min(bytes.length, at + this.#left);
      this.body += bytes.toString("latin1", at, Math.min(end, at + this.#left - 2));
      this.#left -= end - at;
      this.#atSize = this.#left === 0;
      at = end;
    }
    return at;
  }

  /** Gives where the chunk's content begins; the same place while the size line is not whole. */
  #readSize(bytes: Buffer, at: number): number {
    const line = bytes.indexOf("\r\n", at, "latin1");
    if (line < 0) return at;
    const size = Number.parseInt(bytes.toString("latin1", at, line), 16);
    if (Number.isNaN(size)) throw new Error("bad chunk size");
    if (size === 0) {
      if (bytes.length < line + 4) return at;
      this.#progress = "complete";
      return line + 4;
    }
    this.#left = size + 2; // and its line end
    this.#atSize = false;
    return line + 2;
  }
}
