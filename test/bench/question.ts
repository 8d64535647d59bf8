/** What is asked over and over, and how a right answer is told from a wrong one. */
export type Question = {
  /** Further lines of the request's head, each with its line end. */
  readonly head: string;
  /** ASCII; no two markers give the same. */
  body(marker: string): string;
  /** Whether text has come in yet; null for answers that are not streams. */
  readonly hasText: ((answer: string) => boolean) | null;
  /** What is wrong with a complete answer, if anything. `closely`: at some expense. */
  wrong(marker: string, answer: string, closely: boolean): string | undefined;
};
