/** Tells its listeners, in the order they were added. Also what two parts share that would need each other otherwise. */
export class Listeners<T> {
  private readonly all: ((value: T) => void)[] = [];

  add(listener: (value: T) => void): void {
    this.all.push(listener);
  }

  tell(value: T): void {
    for (const listener of this.all) listener(value);
  }
}
