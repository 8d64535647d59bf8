import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { nextState } from "#policy/approval/decisions";
import {
  APPROVAL_MS,
  approvalsGiven,
  currentState,
  endOf,
  hasBaseChanged,
  isUnused,
  LOOSENING_DAYS,
  MOVES,
  OPEN_STATES,
  type SuggestionMove,
} from "#policy/tuning/states";
import { SUGGESTION_STATES, type Suggestion, type SuggestionState } from "#policy/tuning/suggestion";
import { verifies } from "#test/support/verifies";
import { ruleOf } from "./rules";
import { suggestionOf } from "./suggestions";

const MOVE_NAMES: readonly SuggestionMove[] = [
  "edit",
  "request",
  "approve",
  "deny",
  "apply",
  "tighten",
  "reject",
  "outdate",
  "lapse",
  "revert",
];
const DAY_MS = 86_400_000;

describe("states", () => {
  test("only the table's moves can be made, and they lead where it says", () => {
    verifies("tuning.states");
    for (const state of SUGGESTION_STATES) {
      for (const move of MOVE_NAMES) {
        const entry = Object.entries(MOVES[move]).find(([from]) => from === state);
        expect([state, move, nextState(MOVES, state, move)]).toEqual([state, move, entry?.[1] ?? null]);
      }
    }
    expect(Object.keys(MOVES).toSorted()).toEqual(MOVE_NAMES.toSorted());
  });

  test("whatever is done, nothing loosening is applied without an approval since it was last changed", () => {
    verifies("tuning.states", "tuning.edit-revokes");
    const loosening = MOVE_NAMES.filter((move) => move !== "tighten");
    const revoking: readonly SuggestionMove[] = ["edit", "request", "deny", "outdate", "lapse"];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...loosening), { maxLength: 30 }), (moves) => {
        let state: SuggestionState = "proposed";
        let isApproved = false;
        for (const move of moves) {
          const after: SuggestionState | null = nextState(MOVES, state, move);
          if (after === null) continue;
          isApproved = move === "approve" || (isApproved && !revoking.includes(move));
          if (after === "applied" || after === "approved") expect(isApproved).toBe(true);
          state = after;
        }
      }),
    );
  });

  test("tuning states: rejected and reverted are final, only applied can be reverted", () => {
    verifies("tuning.states");
    for (const move of MOVE_NAMES) {
      expect(nextState(MOVES, "rejected", move)).toBeNull();
      expect(nextState(MOVES, "reverted", move)).toBeNull();
      expect(nextState(MOVES, "applied", move)).toBe(move === "revert" ? "reverted" : null);
    }
    expect(OPEN_STATES.every((state) => nextState(MOVES, state, "reject") === "rejected")).toBe(true);
  });
});

describe("tuning states: changes by time and by others", () => {
  test("an approval runs out after seven days by itself", () => {
    verifies("tuning.approval-expires");
    expect(APPROVAL_MS).toBe(7 * DAY_MS);
    const approved = { status: "approved", expires_at: 5_000 } as const;
    expect([4_999, 5_000, 9_000].map((now) => currentState(approved, now))).toEqual(["approved", "expired", "expired"]);
    expect(currentState({ status: "applied", expires_at: null }, 9_000)).toBe("applied");
  });

  test("only approvals of the change as it is, since it was last asked for, count", () => {
    verifies("tuning.edit-revokes");
    const approval = {
      by: "ann",
      decision: "approve",
      comment: null,
      content_hash: "h",
      alone: false,
      at: 20,
    } as const;
    const asked: Suggestion = suggestionOf({ content_hash: "h", requested_at: 10, approvals: [approval] });
    expect(approvalsGiven(asked)).toHaveLength(1);
    expect(approvalsGiven({ ...asked, content_hash: "other" })).toHaveLength(0);
    expect(approvalsGiven({ ...asked, requested_at: 21 })).toHaveLength(0);
    expect(approvalsGiven({ ...asked, requested_at: null })).toHaveLength(0);
    expect(approvalsGiven({ ...asked, approvals: [{ ...approval, decision: "deny" }] })).toHaveLength(0);
  });

  test("tuning or a profile of the same subject since then makes it stale, and nothing before", () => {
    verifies("tuning.stale-base");
    const made = suggestionOf({ base_revision: 7, updated_at: 1_000 });
    fc.assert(
      fc.property(fc.option(fc.nat(14)), fc.option(fc.nat(2_000)), (tuning_revision, profile_from) => {
        const moved = (tuning_revision ?? 0) > 7 || (profile_from ?? 0) > 1_000;
        expect(hasBaseChanged(made, { tuning_revision, profile_from })).toBe(moved);
      }),
    );
  });

  test("tuning: loosening rules expire after 90 days by default, tightening ones do not", () => {
    verifies("tuning.lapse");
    expect(LOOSENING_DAYS).toBe(90);
    expect(endOf("loosen", undefined, 0)).toBe(90 * DAY_MS);
    expect(endOf("loosen", 3, 100)).toBe(100 + 3 * DAY_MS);
    expect(endOf("tighten", undefined, 0)).toBeNull();
    expect(endOf("tighten", 3, 0)).toBe(3 * DAY_MS);
  });

  test("a rule in force that nothing met for 60 days is of no use", () => {
    verifies("tuning.unused");
    const rule = ruleOf({ created_at: 0, last_hit_at: null });
    expect([59, 60].map((days) => isUnused(rule, days * DAY_MS))).toEqual([false, true]);
    expect(isUnused({ ...rule, last_hit_at: DAY_MS }, 60 * DAY_MS)).toBe(false);
    expect(isUnused({ ...rule, status: "reverted" }, 90 * DAY_MS)).toBe(false);
  });
});
