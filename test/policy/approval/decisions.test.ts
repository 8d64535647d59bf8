import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { approvalsOf, approversOf, counts, decisionOf, isEnough, type UserDecision } from "#policy/approval/decisions";
import { verifies } from "#test/support/verifies";

const decision: fc.Arbitrary<UserDecision> = fc.record({
  by: fc.constantFrom("ann", "bob", "cid"),
  decision: fc.constantFrom("approve", "deny"),
  comment: fc.constant(null),
  content_hash: fc.constantFrom("now", "before"),
  alone: fc.boolean(),
  at: fc.integer({ min: 0, max: 10 }),
});
const decisions = fc.array(decision, { maxLength: 12 });
const asked_at = fc.integer({ min: 0, max: 10 });

describe("approvals: what counts", () => {
  test("only approvals of this version, given since it was asked for", () => {
    verifies("review.edit-voids", "tuning.edit-revokes");
    fc.assert(
      fc.property(decisions, asked_at, (given, asked_at) => {
        const found = approvalsOf(given, { content_hash: "now", asked_at });
        for (const one of given) {
          const isOne = one.decision === "approve" && one.content_hash === "now" && one.at >= asked_at;
          expect(found.includes(one)).toBe(isOne);
        }
      }),
    );
  });

  test("an edit or a new request voids all earlier approvals", () => {
    verifies("review.edit-voids", "tuning.edit-revokes");
    fc.assert(
      fc.property(decisions, (given) => {
        expect(approvalsOf(given, { content_hash: "edited", asked_at: 0 })).toEqual([]);
        expect(approvalsOf(given, { content_hash: "now", asked_at: 11 })).toEqual([]);
        expect(approvalsOf(given, { content_hash: "now", asked_at: null })).toEqual([]);
      }),
    );
  });

  test("users are counted, not approvals, and more approvals are never fewer", () => {
    verifies("review.approvals");
    fc.assert(
      fc.property(decisions, decision, fc.integer({ min: 1, max: 3 }), (given, one, required) => {
        const users = new Set(given.map(({ by }) => by));
        expect(isEnough(given, required)).toBe(users.size >= required);
        expect(isEnough([...given, ...given], required)).toBe(isEnough(given, required));
        if (isEnough(given, required)) expect(isEnough([...given, one], required)).toBe(true);
      }),
    );
  });
});

describe("approvals: a decision", () => {
  const given = { by: "ann", decision: "approve", comment: null, alone: false, at: 5 } as const;
  const codeOf = (work: () => unknown): unknown => {
    try {
      work();
    } catch (error) {
      return error instanceof Error && "code" in error ? error.code : error;
    }
    return null;
  };

  test("is of what was read, or of whatever there is where nobody says what they read", () => {
    verifies("review.edit-voids");
    const read = decisionOf({ ...given, read: "now" }, "now", "comment");
    expect(read).toEqual({ ...given, content_hash: "now" });
    expect(counts(read, { content_hash: "now", asked_at: 5 })).toBe(true);
    expect(decisionOf({ ...given, read: null }, "now", "comment")).toEqual(read);
    expect(codeOf(() => decisionOf({ ...given, read: "before" }, "now", "comment"))).toBe("stale_base");
    expect(codeOf(() => decisionOf({ ...given, read: null }, null, "comment"))).toBe("stale_base");
  });

  test("of who decides alone takes a reason", () => {
    verifies("review.separation-of-duties");
    const alone = { ...given, alone: true, read: "now" };
    expect(codeOf(() => decisionOf(alone, "now", "comment"))).toBe("invalid_value");
    expect(decisionOf({ ...alone, comment: "Nobody else." }, "now", "comment").alone).toBe(true);
  });

  test("can be asked for while somebody can give it: an approver, or an active administrator alone", () => {
    verifies("review.separation-of-duties");
    const parties = { requesters: ["root"] };
    const root = { id: "root", role: "admin", state: "active" } as const;
    const ann = { id: "ann", role: "reviewer", state: "active" } as const;
    expect(approversOf([root, ann], parties)).toEqual(["ann"]);
    expect(approversOf([root, { ...ann, state: "disabled" }], parties)).toEqual([]);
    expect(codeOf(() => approversOf([{ ...root, state: "disabled" }], parties))).toBe("no_eligible_approver");
  });
});
