/** A number that only grows, for metrics. */
export class Total {
  private count = 0;

  readonly add = (): void => {
    this.count += 1;
  };

  get value(): number {
    return this.count;
  }
}
