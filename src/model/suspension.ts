import { GuardError } from "#core/errors";
import { type Static, Type } from "#core/schema";
import { type Actor, CLI_ACTOR, personActor } from "#model/change";
import type { Person } from "#model/session";

/**
 * By what right somebody stopped a thing that can go on again: as its owner, as an administrator, or at the machine.
 * `unknown` is what was stopped before this was kept.
 */
export const SUSPENSION_RIGHTS = ["owner", "administrator", "operator", "unknown"] as const;
export const SuspensionRight = Type.Union(SUSPENSION_RIGHTS.map((right) => Type.Literal(right)));
export type SuspensionRight = Static<typeof SuspensionRight>;

/** Who stopped it, and when (Unix milliseconds). `by` is null for who has no account, both where it is not known. */
export const Suspension = Type.Object({
  right: SuspensionRight,
  by: Type.Union([Type.String(), Type.Null()]),
  at: Type.Union([Type.Integer(), Type.Null()]),
});
export type Suspension = Static<typeof Suspension>;

/** Who stops a thing or lets it go on: by what right, and whether they are above its owner. */
export type ActorContext = { readonly by: Actor; readonly right: SuspensionRight; readonly isAdmin: boolean };

/** Somebody who acts on what is `ownerId`'s. Only administrators may act on others' things, which is not asked here. */
export const actorContextOf = (person: Person, ownerId: string): ActorContext => ({
  by: personActor(person),
  right: person.user.id === ownerId ? "owner" : "administrator",
  isAdmin: person.user.role === "admin",
});

/** The command line is above all roles. */
export const OPERATOR: ActorContext = { by: CLI_ACTOR, right: "operator", isAdmin: true };

/** An owner resumes what the owner stopped; anything else requires an administrator or the command line. */
export const rightsLifted = ({ isAdmin }: ActorContext): readonly SuspensionRight[] =>
  isAdmin ? SUSPENSION_RIGHTS : ["owner"];

/** For an owner who would undo what was done above them. */
export const notTheirsToLift = (what: string): GuardError =>
  new GuardError("insufficient_scope", `${what} was not done by its owner: only an administrator undoes it.`);
