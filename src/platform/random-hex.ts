/** So many bytes are drawn at a time: asking the system for each id takes longer than all else of it. */
const POOL_BYTES = 4_096;

/** Random bytes in hexadecimal, from a supply. */
export class RandomHex {
  private readonly bytes = Buffer.alloc(POOL_BYTES);
  private pool = "";
  private at = 0;

  /** At most as many bytes as the supply holds. */
  next(bytes: number): string {
    const end = this.at + 2 * bytes;
    if (end > this.pool.length) return this.drawn(bytes);
    const text = this.pool.slice(this.at, end);
    this.at = end;
    return text;
  }

  private drawn(bytes: number): string {
    crypto.getRandomValues(this.bytes);
    this.pool = this.bytes.toString("hex");
    this.at = 2 * bytes;
    return this.pool.slice(0, this.at);
  }
}
