import type { Role } from "#model/person";
import type { Restriction, RestrictionKind } from "#policy/restrictions/restriction";

/** The longest that an analyst or the hub itself restricts an agent, in milliseconds. */
export const SHORT_MS = 24 * 3_600_000;

/** Who acts on an agent's restrictions: somebody signed in, the command line of the machine, or the hub itself. */
export type RestrictionActor =
  | {
      readonly by: "person";
      readonly id: string;
      readonly role: Role;
      /** Whether the agent is theirs. */
      readonly isOwner: boolean;
    }
  | { readonly by: "operator" }
  /** `maySuspend`: an administrator has opted in. */
  | { readonly by: "hub"; readonly maySuspend: boolean };

export type Deed =
  /** `lasts` in milliseconds, null for until it is lifted. */
  | { readonly do: "set"; readonly kind: RestrictionKind; readonly lasts: number | null }
  | ({ readonly do: "lift" } & Pick<Restriction, "source" | "set_by">);

/**
 * The reason for a refusal, for the user; null if it is allowed. A suspension alone needs no end.
 * Administrators do anything, owners what concerns their own agent, analysts what is short: a false alarm of theirs is
 * over in a day. A restriction is lifted by who set it or stands above: an agent's owner cannot undo an administrator.
 */
export const objection = (acting: RestrictionActor, deed: Deed): string | null => {
  if (deed.do === "lift") return mayLift(acting, deed) ? null : "Only the user who set it and administrators lift it.";
  const { kind, lasts } = deed;
  if (lasts !== null && lasts <= 0) return "Its end is in the past.";
  if (lasts === null && kind !== "suspended") return "Only a suspension may have no end.";
  if (acting.by === "hub" && kind === "suspended" && !acting.maySuspend)
    return "Automatic suspension is off (guard.automatic_suspension).";
  if (acting.by === "operator" || isAboveTime(acting)) return null;
  if (acting.by === "person" && acting.role !== "analyst") {
    return "Only the agent's owner, analysts and administrators may do this.";
  }
  return lasts !== null && lasts <= SHORT_MS ? null : "Analysts may only set restrictions that end within 24 hours.";
};

/** Who may restrict this agent for as long as they like. */
const isAboveTime = (acting: RestrictionActor): boolean =>
  acting.by === "person" && (acting.role === "admin" || acting.isOwner);

const mayLift = (acting: RestrictionActor, { source, set_by }: Pick<Restriction, "source" | "set_by">): boolean => {
  if (acting.by === "operator") return true;
  // What it set ends by itself; only people end it early.
  if (acting.by === "hub") return false;
  if (acting.role === "admin") return true;
  if (acting.role === "analyst" && source === "automatic") return true;
  return (acting.isOwner || acting.role === "analyst") && set_by === acting.id;
};
