import type { Requirement } from "./requirement";

/** What is promised of questionnaires and their review. */
export const REVIEWS: readonly Requirement[] = [
  {
    id: "review.risk",
    promise: "The tier comes from a published sum of answers; a riskier answer never lowers it.",
    source: "docs/spec/reviews.md#answers-and-risk-tier",
  },
  {
    id: "review.states",
    promise: "A review moves by one table only; what is over stays over.",
    source: "docs/spec/reviews.md#states",
  },
  {
    id: "review.separation-of-duties",
    promise:
      "Nobody decides on what they own, sponsor or submitted; a sole administrator may, with a reason, on record.",
    source: "docs/spec/reviews.md#who-decides",
  },
  {
    id: "review.approvals",
    promise: "Low and medium take one approval, high two, critical two of which one is an administrator's.",
    source: "docs/spec/reviews.md#who-decides",
  },
  {
    id: "review.edit-voids",
    promise: "An approval is of the answers as they were read: any change after it voids it.",
    source: "docs/spec/reviews.md#states",
  },
  {
    id: "review.material",
    promise:
      "What changed against the approved answers is shown, and whether it matters; the old profile holds meanwhile.",
    source: "docs/spec/reviews.md#what-reviewers-see",
  },
  {
    id: "review.due",
    promise: "An approved agent is reviewed again after 24, 12, 6 or 3 months by its tier.",
    source: "docs/spec/reviews.md#publication",
  },
  {
    id: "review.answers",
    promise: "Answers are checked question by question: an unknown name or wrong value is pointed at by its JSON path.",
    source: "docs/spec/reviews.md#answers-and-risk-tier",
  },
  {
    id: "review.observed",
    promise: "Reviewers see which models and tools the agent really used, and which of them it declares.",
    source: "docs/spec/reviews.md#what-reviewers-see",
  },
  {
    id: "review.publishes",
    promise: "The last approval puts the compiled profile in force in the same step.",
    source: "docs/spec/reviews.md#publication",
  },
  {
    id: "review.idle",
    promise: "A review nobody touches for 30 days is withdrawn.",
    source: "docs/spec/reviews.md#states",
  },
];
