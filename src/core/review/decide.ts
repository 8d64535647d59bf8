import type { Role, User } from "#core/person";

/**
 * Something that one person asked for and another decides: a review, a looser rule, a new baseline, the end of a
 * restriction. Who has no part in it has null there, or an empty list.
 */
export type Decidable = {
  /** Null when nobody is on record, or the account is gone: then nobody can decide. */
  readonly requested_by: string | null;
  readonly owner_id: string | null;
  readonly sponsor_id: string | null;
  /** Whose reports it rests on. The only reporter cannot decide; one of several can. */
  readonly evidence_by: readonly string[];
  /** Who could decide when it was asked for. Frozen then, so that shutting out colleagues opens nothing. */
  readonly eligible: readonly string[];
};

export type Decider = Pick<User, "id" | "role">;

/** Who decides: nobody else, however close to the matter. */
export const DECIDING_ROLES: readonly Role[] = ["admin", "reviewer"];

export type Refusal = "no_requester" | "role" | "requester" | "owner" | "sponsor" | "only_reporter" | "not_eligible";
/** `alone`: an administrator decides on what they had a hand in, because nobody else could. It takes a reason. */
export type Ruling = { readonly ok: true; readonly alone: boolean } | { readonly ok: false; readonly why: Refusal };

/** Separation of duties, in one place: whoever has a hand in a thing does not decide on it. */
export const canDecide = (actor: Decider, item: Decidable): Ruling => {
  if (item.requested_by === null) return no("no_requester");
  if (!DECIDING_ROLES.includes(actor.role)) return no("role");
  const hand = handIn(actor.id, item);
  if (item.eligible.length === 0) {
    if (actor.role === "admin") return { ok: true, alone: hand !== null };
    return no(hand ?? "not_eligible");
  }
  if (hand !== null) return no(hand);
  return item.eligible.includes(actor.id) ? { ok: true, alone: false } : no("not_eligible");
};

/** Who could decide, of everybody there is: what is frozen when a decision is asked for. */
export const eligibleFor = (people: readonly Decider[], item: Omit<Decidable, "eligible">): string[] =>
  people
    .filter(({ id, role }) => DECIDING_ROLES.includes(role) && handIn(id, item) === null)
    .map(({ id }) => id)
    .sort();

/** What somebody has to do with a thing; null for nothing. */
const handIn = (id: string, item: Omit<Decidable, "eligible">): Refusal | null => {
  if (id === item.requested_by) return "requester";
  if (id === item.owner_id) return "owner";
  if (id === item.sponsor_id) return "sponsor";
  const reporters = new Set(item.evidence_by);
  return reporters.size === 1 && reporters.has(id) ? "only_reporter" : null;
};

const no = (why: Refusal): Ruling => ({ ok: false, why });

/** For people: why somebody cannot decide. */
export const REFUSALS: Readonly<Record<Refusal, string>> = {
  no_requester: "Nobody is on record as having asked for this, so nobody can decide on it.",
  role: "Deciding takes the role admin or reviewer.",
  requester: "Who asked for it does not decide on it.",
  owner: "An agent's owner does not decide on it.",
  sponsor: "An agent's sponsor does not decide on it.",
  only_reporter: "The only one who reported it does not decide on it.",
  not_eligible: "Those who can decide were set down when it was asked for; this is none of them.",
};
