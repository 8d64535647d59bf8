/**
 * Values by key, bounded, nearly least-recently-used: two generations, the younger becomes the older when it is full,
 * and what is asked for in between moves over. A look-up costs two Map reads; taking the first of a long map out, one by
 * one, would cost a walk past all that went before it.
 */
export class RecentlyUsed<V> {
  private young = new Map<string, V>();
  private old = new Map<string, V>();
  /** Of the younger generation. */
  private weight = 0;

  /** Holds between `capacity / 2` and `capacity` of the latest, each as heavy as it weighs. */
  constructor(
    private readonly capacity: number,
    /** A value that weighs more than half the capacity is not kept. */
    private readonly weigh: (value: V) => number = () => 1,
  ) {}

  get isEmpty(): boolean {
    return this.young.size === 0 && this.old.size === 0;
  }

  get(key: string): V | undefined {
    const fresh = this.young.get(key);
    if (fresh !== undefined) return fresh;
    const aged = this.old.get(key);
    if (aged !== undefined) this.set(key, aged);
    return aged;
  }

  set(key: string, value: V): void {
    const weight = this.weigh(value);
    const most = Math.max(1, Math.ceil(this.capacity / 2));
    this.deleteYoung(key);
    if (weight > most) {
      this.old.delete(key);
      return;
    }
    if (this.weight + weight > most) {
      this.old = this.young;
      this.young = new Map();
      this.weight = 0;
    }
    this.young.set(key, value);
    this.weight += weight;
  }

  delete(key: string): void {
    this.deleteYoung(key);
    this.old.delete(key);
  }

  private deleteYoung(key: string): void {
    const fresh = this.young.get(key);
    if (fresh === undefined) return;
    this.weight -= this.weigh(fresh);
    this.young.delete(key);
  }

  clear(): void {
    this.young.clear();
    this.old.clear();
    this.weight = 0;
  }
}
