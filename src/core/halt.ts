import { type Actor, CLI_ACTOR, personActor } from "#core/change";
import { GuardError } from "#core/errors";
import { type Static, Type } from "#core/schema";
import type { Person } from "#core/session";

/**
 * By what right somebody stopped a thing that can go on again: as its owner, as an administrator, or at the machine.
 * `unknown` is what was stopped before this was kept.
 */
export const HALT_RIGHTS = ["owner", "administrator", "operator", "unknown"] as const;
export const HaltRight = Type.Union(HALT_RIGHTS.map((right) => Type.Literal(right)));
export type HaltRight = Static<typeof HaltRight>;

/** Who stopped it, and when (Unix milliseconds). `by` is null for who has no account, both where it is not known. */
export const Halt = Type.Object({
  right: HaltRight,
  by: Type.Union([Type.String(), Type.Null()]),
  at: Type.Union([Type.Integer(), Type.Null()]),
});
export type Halt = Static<typeof Halt>;

/** Who stops a thing or lets it go on: by what right, and whether they are above its owner. */
export type Mover = { readonly by: Actor; readonly right: HaltRight; readonly isAdmin: boolean };

/** Somebody who acts on what is `ownerId`'s. Only administrators may act on others' things, which is not asked here. */
export const moverOf = (person: Person, ownerId: string): Mover => ({
  by: personActor(person),
  right: person.user.id === ownerId ? "owner" : "administrator",
  isAdmin: person.user.role === "admin",
});

/** Whoever is at the machine stands above everybody. */
export const OPERATOR: Mover = { by: CLI_ACTOR, right: "operator", isAdmin: true };

/** What an owner stopped they let go on again; all else takes an administrator, or whoever is at the machine. */
export const rightsLifted = ({ isAdmin }: Mover): readonly HaltRight[] => (isAdmin ? HALT_RIGHTS : ["owner"]);

/** For an owner who would undo what was done above them. */
export const notTheirsToLift = (what: string): GuardError =>
  new GuardError("insufficient_scope", `${what} was not done by its owner: only an administrator undoes it.`);
