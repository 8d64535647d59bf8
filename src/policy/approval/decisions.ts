import { GuardError } from "#core/errors";
import { type Decider, eligibleFor, type Parties, type Ruling } from "./ruling";

/** What a user said of a version of something. */
export type UserDecision<Kind extends string = string> = {
  readonly by: string;
  readonly decision: Kind;
  readonly comment: string | null;
  /** Of what was decided on. A decision on another version counts for nothing. */
  readonly content_hash: string;
  /** Given by a sole administrator who is involved. */
  readonly alone: boolean;
  /** Unix milliseconds. */
  readonly at: number;
};

/** What is decided on, as it is now. */
export type Version = {
  /** Null for what was never submitted. */
  readonly content_hash: string | null;
  /** When it was last asked for, Unix milliseconds; null for never. */
  readonly asked_at: number | null;
};

type Dated = Pick<UserDecision, "content_hash" | "at">;

/** Whether a decision counts: it is of this version, and was given since it was last asked for. */
export const counts = ({ content_hash, at }: Dated, version: Version): boolean =>
  content_hash === version.content_hash && version.asked_at !== null && at >= version.asked_at;

/** Approvals that count. */
export const approvalsOf = <Given extends UserDecision>(decisions: readonly Given[], version: Version): Given[] =>
  decisions.filter((one) => one.decision === "approve" && counts(one, version));

/** Whether so many different users have approved. */
export const isEnough = (approvals: readonly UserDecision[], required: number): boolean =>
  new Set(approvals.map(({ by }) => by)).size >= required;

export const hasApproved = (userId: string, approvals: readonly UserDecision[]): boolean =>
  approvals.some(({ by }) => by === userId);

/** Who is asked. Throws `no_eligible_approver` where not even an administrator could decide alone. */
export const approversOf = (people: readonly Decider[], parties: Parties): string[] => {
  const eligible = eligibleFor(people, parties);
  if (eligible.length > 0 || people.some(({ role, state }) => role === "admin" && state === "active")) return eligible;
  throw new GuardError(
    "no_eligible_approver",
    "No eligible approver: give a user who is neither owner, sponsor nor requester the role reviewer or admin.",
  );
};

/** Whether they decide alone. Throws `insufficient_scope`. */
export const assertMayDecide = (ruling: Ruling): boolean => {
  if (ruling.ok) return ruling.alone;
  throw new GuardError("insufficient_scope", ruling.message);
};

type Deciding<Kind extends string> = Omit<UserDecision<Kind>, "content_hash"> & {
  /** The hash of what was read; null for whatever it is now. */
  readonly read: string | null;
};

/**
 * A decision on what was read. Throws `stale_base` when that is no longer what there is, `invalid_value` for `param` when
 * somebody who decides alone gives no reason.
 */
export const decisionOf = <Kind extends string>(
  { read, ...deciding }: Deciding<Kind>,
  content_hash: string | null,
  param: string,
): UserDecision<Kind> => {
  if (content_hash === null || (read !== null && read !== content_hash)) throw changedSinceRead();
  if (deciding.alone && deciding.comment === null) {
    throw new GuardError("invalid_value", "A decision on a change you are involved in requires a reason.", { param });
  }
  return { ...deciding, content_hash };
};

export const changedSinceRead = (): GuardError =>
  new GuardError("stale_base", "It has changed since you read it. Read it again, then decide.");

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
