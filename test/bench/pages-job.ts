/** What a page shows that is open: where it asks again when calls have been made. */
export type OpenPage = { readonly key: string; readonly asks: readonly string[] };

/** What the process of pages is asked to do. */
export type PagesJob =
  | { readonly kind: "open"; readonly url: string; readonly pages: readonly OpenPage[] }
  | { readonly kind: "close" };

/** What pages heard and asked since they were opened. */
export type PagesResult = {
  /** Of each page's stream of events. */
  readonly bytes: readonly number[];
  readonly questions: number;
  /** Of the answers to questions, in milliseconds. */
  readonly slowestMs: number;
  readonly cpuMicros: number;
};
