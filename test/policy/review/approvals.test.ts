import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { changesBetween, isMaterial } from "#policy/review/answers";
import { dueAfter, progressOf, requiredApprovals } from "#policy/review/approvals";
import { type Review, type ReviewDecision, TIERS, type Tier } from "#policy/review/review";
import { riskOf } from "#policy/review/risk";
import { answers, anyAnswers } from "#test/support/answers";
import { verifies } from "#test/support/verifies";

const review = (tier: Tier, eligible: readonly string[]): Review => ({
  id: "r",
  agent_id: "a",
  number: 1,
  status: "in_review",
  answers: answers(),
  content_hash: "hash",
  risk: { ...riskOf(answers()), tier },
  changes: [],
  submitted_by: "owner",
  submitted_at: 1_000,
  required: requiredApprovals(tier, eligible.length),
  eligible,
  created_at: 0,
  updated_at: 0,
  revision: 1,
});
const approval = (by: string, more: Partial<ReviewDecision> = {}): ReviewDecision => ({
  id: by,
  review_id: "r",
  by,
  decision: "approve",
  comment: null,
  content_hash: "hash",
  alone: false,
  at: 1_000,
  ...more,
});
const isAdmin = (id: string): boolean => id.startsWith("admin");

describe("how far a review is", () => {
  test("low and medium take one approval, high and critical two, as far as there are people", () => {
    verifies("review.approvals");
    const required = TIERS.map((tier) => [0, 1, 2, 3].map((eligible) => requiredApprovals(tier, eligible)));
    expect(required).toEqual([
      [1, 1, 1, 1],
      [1, 1, 1, 1],
      [1, 1, 2, 2],
      [1, 1, 2, 2],
    ]);
  });

  test("one person twice is one approval", () => {
    verifies("review.approvals");
    const it = review("high", ["ann", "bob"]);
    expect(progressOf(it, [approval("ann"), approval("ann")], isAdmin).complete).toBe(false);
    expect(progressOf(it, [approval("ann"), approval("bob")], isAdmin).complete).toBe(true);
  });

  test("a critical agent takes an administrator's, if one could decide", () => {
    verifies("review.approvals");
    const it = review("critical", ["ann", "bob", "admin"]);
    expect(progressOf(it, [approval("ann"), approval("bob")], isAdmin)).toMatchObject({
      complete: false,
      needs_admin: true,
    });
    expect(progressOf(it, [approval("ann"), approval("admin")], isAdmin).complete).toBe(true);
    expect(progressOf(review("critical", ["ann", "bob"]), [approval("ann"), approval("bob")], isAdmin).complete).toBe(
      true,
    );
  });

  test("approvals of other answers, or from before they were submitted, count for nothing", () => {
    verifies("review.edit-voids");
    const it = review("low", ["ann"]);
    const given = (one: ReviewDecision) => progressOf(it, [one], isAdmin).given.length;
    expect(given(approval("ann"))).toBe(1);
    expect(given(approval("ann", { content_hash: "other" }))).toBe(0);
    expect(given(approval("ann", { at: 999 }))).toBe(0);
    expect(given(approval("ann", { decision: "reject" }))).toBe(0);
    expect(progressOf({ ...it, submitted_at: null }, [approval("ann")], isAdmin).given).toEqual([]);
  });
});

test("reviewed again after 24, 12, 6 and 3 months, at the same day or the month's last", () => {
  verifies("review.due");
  const from = Date.parse("2026-11-30T10:00:00.000Z");
  expect(TIERS.map((tier) => new Date(dueAfter(tier, from)).toISOString())).toEqual([
    "2028-11-30T10:00:00.000Z",
    "2027-11-30T10:00:00.000Z",
    "2027-05-30T10:00:00.000Z",
    "2027-02-28T10:00:00.000Z",
  ]);
});

describe("approvals: changed sections", () => {
  test("models, tools, data classes, autonomy, audience and egress matter; the rest does not", () => {
    verifies("review.material");
    const before = answers();
    const after = answers({
      ownership: { team: "Sales" },
      purpose: { ...before.purpose, audience: "public", intended_use: "Sells." },
      models: { models: ["gpt-5*"], max_tokens: 5 },
      oversight: { autonomy: "suggest", requests_per_minute: 5 },
    });
    expect(changesBetween(before, after).map(({ pointer, material }) => [pointer, material])).toEqual([
      ["/models/max_tokens", false],
      ["/models/models", true],
      ["/oversight/autonomy", true],
      ["/oversight/requests_per_minute", false],
      ["/ownership/team", false],
      ["/purpose/audience", true],
      ["/purpose/intended_use", false],
    ]);
    expect(["/tools/approval_needed", "/data_privacy/data_classes", "/secrets_security/egress"].every(isMaterial)).toBe(
      true,
    );
    expect(isMaterial("/monitoring/slo")).toBe(false);
  });

  test("equal answers have no changes, whatever the order in which things are listed", () => {
    verifies("review.material");
    fc.assert(
      fc.property(anyAnswers, (given) => {
        expect(changesBetween(given, structuredClone(given))).toEqual([]);
        const turned = { ...given, tools: { ...given.tools, tools: given.tools.tools.toReversed() } };
        expect(changesBetween(given, turned)).toEqual([]);
      }),
    );
  });
});
