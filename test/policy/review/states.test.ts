import { expect, test } from "bun:test";
import fc from "fast-check";
import { REVIEW_STATES, type ReviewState } from "#model/agent";
import { nextState } from "#policy/approval/decisions";
import { OPEN_STATES } from "#policy/review/review";
import { MOVES, movesFrom, type ReviewMove } from "#policy/review/states";
import { verifies } from "#test/support/verifies";

const MOVE_NAMES: readonly ReviewMove[] = [
  "edit",
  "submit",
  "start",
  "endorse",
  "approve",
  "request_changes",
  "reject",
  "withdraw",
];

test("only the table's moves can be made, and they lead where it says", () => {
  verifies("review.states");
  for (const state of REVIEW_STATES) {
    for (const move of MOVE_NAMES) {
      const entry = Object.entries(MOVES[move]).find(([from]) => from === state);
      expect([state, move, nextState(MOVES, state, move)]).toEqual([state, move, entry?.[1] ?? null]);
      expect(movesFrom(state).includes(move)).toBe(entry !== undefined);
    }
  }
  expect(Object.keys(MOVES).toSorted()).toEqual([...MOVE_NAMES].toSorted());
});

test("review states: final states stay, only submitted reviews are approved", () => {
  verifies("review.states");
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...MOVE_NAMES), { maxLength: 12 }), (moves) => {
      let state: ReviewState = "draft";
      let wasSubmitted = false;
      for (const move of moves) {
        const after: ReviewState | null = nextState(MOVES, state, move);
        expect(after === null).toBe(!movesFrom(state).includes(move));
        if (!OPEN_STATES.includes(state)) expect(after).toBeNull();
        if (after === "approved") expect(wasSubmitted).toBe(true);
        wasSubmitted = (wasSubmitted && after !== "changes_requested") || after === "submitted";
        state = after ?? state;
      }
    }),
  );
});
