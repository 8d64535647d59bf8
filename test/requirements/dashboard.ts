import type { Requirement } from "./requirement";

/** What is promised of the addresses people look at the hub with. */
export const DASHBOARD: readonly Requirement[] = [
  {
    id: "calls.found",
    promise: "A finished call is found at once by any of its filters, alone and together, and page by page.",
    source: "product.md §4.1",
  },
  {
    id: "calls.own",
    promise: "Members find their own calls and their agents' only; to everybody else these do not exist.",
    source: "product.md §4.1",
  },
  {
    id: "calls.explained",
    promise: "One call is shown with its findings masked, its time, and what each layer of its policy said.",
    source: "product.md §4.1",
  },
];
