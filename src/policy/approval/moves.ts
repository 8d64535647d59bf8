import { GuardError } from "#core/errors";

/** What can be done, from which state, and where it leads. */
export type MoveTable<Move extends string, State extends string> = Readonly<
  Record<Move, Readonly<Partial<Record<State, State>>>>
>;

/** The state after a move; null when it cannot be made from there. */
export const nextState = <Move extends string, State extends string>(
  moves: MoveTable<Move, State>,
  state: State,
  move: Move,
): State | null => moves[move][state] ?? null;

/** The same. Throws `state_conflict`. */
export const mustMove = <Move extends string, State extends string>(
  noun: string,
  moves: MoveTable<Move, State>,
  state: State,
  move: Move,
): State => {
  const next = nextState(moves, state, move);
  if (next !== null) return next;
  throw new GuardError("state_conflict", `This ${noun} is ${state}: ${move} is not possible.`, {
    extra: { current_status: state },
  });
};
