/** So many bytes are drawn at a time: asking the system for each id takes longer than all else of it. */
const POOL_BYTES = 4_096;

/** Random bytes in hexadecimal, from a supply. */
export class RandomHex {
  private readonly pool = Buffer.alloc(POOL_BYTES);
  private at = POOL_BYTES;

  /** At most as many bytes as the supply holds. */
  next(bytes: number): string {
    if (this.at + bytes > POOL_BYTES) {
      crypto.getRandomValues(this.pool);
      this.at = 0;
    }
    this.at += bytes;
    return this.pool.toString("hex", this.at - bytes, this.at);
  }
}
