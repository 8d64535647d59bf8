import type { Requirement } from "./requirement";

/** What is promised of questionnaires and their review. */
export const REVIEWS: readonly Requirement[] = [
  {
    id: "review.risk",
    promise: "The tier comes from a published sum of answers; a riskier answer never lowers it.",
    source: "product.md §2.1",
  },
  {
    id: "review.states",
    promise: "A review moves by one table only; what is over stays over.",
    source: "product.md §2.1",
  },
  {
    id: "review.separation-of-duties",
    promise: "Whoever has a hand in a thing does not decide on it; a sole administrator may, with a reason, on record.",
    source: "product.md §2.8",
  },
  {
    id: "review.approvals",
    promise: "Low and medium take one approval, high two, critical two of which one is an administrator's.",
    source: "product.md §2.1",
  },
  {
    id: "review.edit-voids",
    promise: "An approval is of the answers as they were read: any change after it voids it.",
    source: "product.md §2.1",
  },
  {
    id: "review.material",
    promise:
      "What changed against the approved answers is shown, and whether it matters; the old profile holds meanwhile.",
    source: "product.md §2.1",
  },
  {
    id: "review.due",
    promise: "An approved agent is reviewed again after 24, 12, 6 or 3 months by its tier.",
    source: "product.md §2.1",
  },
  {
    id: "review.answers",
    promise: "Answers are checked question by question: an unknown name or wrong value is pointed at by its JSON path.",
    source: "decisions.md §5",
  },
  {
    id: "review.observed",
    promise: "Reviewers see which models and tools the agent really used, and which of them it declares.",
    source: "product.md §2.1",
  },
  {
    id: "review.publishes",
    promise: "The last approval puts the compiled profile in force in the same step.",
    source: "product.md §2.2",
  },
  {
    id: "review.idle",
    promise: "A review nobody touches for 30 days is withdrawn.",
    source: "product.md §2.1",
  },
];
