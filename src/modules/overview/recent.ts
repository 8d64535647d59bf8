import type { Clock } from "#platform/clock";

type Answer<T> = { readonly at: number; readonly value: Promise<T> };

/** Questions remembered at once; a person asks few. */
const MOST = 256;

/**
 * Answers that many ask for at the same time are worked out once: pages that show the same ask in step, for the same
 * news tells them to. An answer is as old as `ms` at most.
 */
export class Recent<T> {
  private readonly answers = new Map<string, Answer<T>>();

  constructor(
    private readonly ms: number,
    private readonly now: Clock,
  ) {}

  async of(question: string, work: () => Promise<T>): Promise<T> {
    const now = this.now();
    const known = this.answers.get(question);
    // A clock that was set back makes no answer last longer.
    if (known && now >= known.at && now - known.at < this.ms) return known.value;
    if (this.answers.size >= MOST) this.answers.clear();
    const value = work();
    this.answers.set(question, { at: now, value });
    // What failed is asked again by the next.
    value.catch(() => this.answers.delete(question));
    return value;
  }
}
