/**
 * Values by key, bounded, nearly least-recently-used: two generations, the younger becomes the older when it is full,
 * and what is asked for in between moves over. A look-up costs two Map reads; taking the first of a long map out, one by
 * one, would cost a walk past all that went before it.
 */
export class RecentlyUsed<V> {
  private young = new Map<string, V>();
  private old = new Map<string, V>();

  /** Holds between `entries / 2` and `entries` of the latest. */
  constructor(private readonly entries: number) {}

  get(key: string): V | undefined {
    const fresh = this.young.get(key);
    if (fresh !== undefined) return fresh;
    const aged = this.old.get(key);
    if (aged !== undefined) this.set(key, aged);
    return aged;
  }

  set(key: string, value: V): void {
    if (this.young.size >= this.entries / 2 && !this.young.has(key)) {
      this.old = this.young;
      this.young = new Map();
    }
    this.young.set(key, value);
  }

  delete(key: string): void {
    this.young.delete(key);
    this.old.delete(key);
  }

  clear(): void {
    this.young.clear();
    this.old.clear();
  }
}
