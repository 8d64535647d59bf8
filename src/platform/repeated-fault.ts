/** Fields of the line that is written for the first fault, and for those since, which are counted. */
type Report<Fields> = (fields: Fields & { readonly records?: number }) => void;

/**
 * Reports the first of many faults at once, and of those that follow only how many there were, once a period, for as
 * long as they go on. So that a broken disk, met by every call, does not fill what is left of it with lines of log.
 */
export class RepeatedFault<Fields extends object> {
  private waiting = 0;
  private latest: Fields | null = null;
  private timer: ReturnType<typeof setTimeout> | null = null;

  constructor(
    private readonly report: Report<Fields>,
    private readonly periodMs: number,
  ) {}

  happened(fields: Fields): void {
    if (this.timer !== null) {
      this.waiting += 1;
      this.latest = fields;
      return;
    }
    this.report(fields);
    this.begin();
  }

  /** Reports what was not reported yet: for a process that is about to end. */
  flush(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    if (this.latest !== null) this.report({ ...this.latest, records: this.waiting });
    this.waiting = 0;
    this.latest = null;
  }

  private begin(): void {
    this.timer = setTimeout(() => {
      const isOver = this.latest === null;
      this.flush();
      if (!isOver) this.begin();
    }, this.periodMs);
    this.timer.unref();
  }
}
