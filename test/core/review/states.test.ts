import { expect, test } from "bun:test";
import fc from "fast-check";
import { OPEN_STATES, REVIEW_STATES, type ReviewState } from "#core/review/review";
import { MOVES, type Move, movesFrom, stateAfter } from "#core/review/states";
import { verifies } from "#test/support/verifies";

const MOVE_NAMES: readonly Move[] = [
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
      expect([state, move, stateAfter(state, move)]).toEqual([state, move, entry?.[1] ?? null]);
      expect(movesFrom(state).includes(move)).toBe(entry !== undefined);
    }
  }
  expect(Object.keys(MOVES).toSorted()).toEqual([...MOVE_NAMES].toSorted());
});

test("what is over stays over, and nothing is approved that was not submitted", () => {
  verifies("review.states");
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...MOVE_NAMES), { maxLength: 12 }), (moves) => {
      let state: ReviewState = "draft";
      let wasSubmitted = false;
      for (const move of moves) {
        const after = stateAfter(state, move);
        expect(after === null).toBe(!movesFrom(state).includes(move));
        if (!OPEN_STATES.includes(state)) expect(after).toBeNull();
        if (after === "approved") expect(wasSubmitted).toBe(true);
        wasSubmitted = (wasSubmitted && after !== "changes_requested") || after === "submitted";
        state = after ?? state;
      }
    }),
  );
});
