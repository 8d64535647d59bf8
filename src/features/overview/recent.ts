import type { Clock } from "#platform/clock";

type Answer<T> = { readonly at: number; readonly value: Promise<T> };

/**
 * Answers that many ask for at the same time are worked out once: pages that show the same ask in step, for the same
 * news tells them to. An answer is as old as `ms` at most, and the next question that has to be worked out lets go of
 * all that are older: what is held is what was asked for within `ms`.
 */
export class Recent<T> {
  private readonly answers = new Map<string, Answer<T>>();

  constructor(
    private readonly ms: number,
    private readonly now: Clock,
  ) {}

  /** How many are held. */
  get size(): number {
    return this.answers.size;
  }

  async of(question: string, work: () => Promise<T>): Promise<T> {
    const now = this.now();
    const known = this.answers.get(question);
    if (known && this.isFresh(known, now)) return known.value;
    for (const [other, answer] of this.answers) if (!this.isFresh(answer, now)) this.answers.delete(other);
    const answer = { at: now, value: work() };
    this.answers.set(question, answer);
    // What failed is asked again by the next; a newer answer stays.
    answer.value.catch(() => {
      if (this.answers.get(question) === answer) this.answers.delete(question);
    });
    return answer.value;
  }

  /** A clock that was set back makes no answer last longer. */
  private isFresh({ at }: Answer<T>, now: number): boolean {
    return now >= at && now - at < this.ms;
  }
}
