import type { Role, User } from "#model/person";

/** Users who take part in what is decided. Who has no part in it is absent or null there. */
export type Parties = {
  /** Who asked for it, and who wrote it. */
  readonly requesters?: readonly (string | null)[];
  readonly owner_id?: string | null;
  readonly sponsor_id?: string | null;
  /** Whose reports it rests on. The only reporter cannot decide; one of several can. */
  readonly evidence_by?: readonly string[];
};

/** Something that one person asked for and another decides: a review, a looser rule, a looser baseline. */
export type Decidable = Parties & {
  /** All null or empty when nobody is on record, or the account is gone: then nobody can decide. */
  readonly requesters: readonly (string | null)[];
  /** Who could decide when it was asked for. Frozen then, so that shutting out colleagues opens nothing. */
  readonly eligible: readonly string[];
};

export type Decider = Pick<User, "id" | "role" | "state">;

/** Who decides: nobody else, however close to the matter. */
export const DECIDING_ROLES: readonly Role[] = ["admin", "reviewer"];
/** Who reads what was reported, and says what it is. */
export const REPORT_ROLES: readonly Role[] = ["admin", "reviewer", "analyst"];

/** Why a user cannot decide. */
export type Refusal =
  | "no_requester"
  | "disabled"
  | "role"
  | "requester"
  | "owner"
  | "sponsor"
  | "only_reporter"
  | "not_eligible";
/** `alone`: an administrator decides on what they had a hand in, because nobody else could. It takes a reason. */
export type Ruling =
  | { readonly ok: true; readonly alone: boolean }
  | { readonly ok: false; readonly why: Refusal; readonly message: string };

/** Separation of duties, in one place: users involved in a change do not decide on it. */
export const canDecide = (actor: Decider, item: Decidable): Ruling =>
  item.requesters.every((id) => id === null) ? no("no_requester") : rulingAmong(actor, item, DECIDING_ROLES);

/** The same for what needs no request for approval: those who may decide now may decide. */
export const canDecideNow = (
  actor: Decider,
  people: readonly Decider[],
  parties: Parties,
  roles = DECIDING_ROLES,
): Ruling => rulingAmong(actor, { ...parties, eligible: eligibleFor(people, parties, roles) }, roles);

/** Who could decide, of everybody there is: what is frozen when a decision is asked for. */
export const eligibleFor = (people: readonly Decider[], parties: Parties, roles = DECIDING_ROLES): string[] =>
  people
    .filter(({ id, role, state }) => state === "active" && roles.includes(role) && involvement(id, parties) === null)
    .map(({ id }) => id)
    .sort();

/** What the reader is told of it. */
export const decidingOf = (ruling: Ruling) =>
  ruling.ok ? { allowed: true, alone: ruling.alone, why: null } : { allowed: false, alone: false, why: ruling.message };

type Eligible = Pick<Decidable, "eligible">;

const rulingAmong = (actor: Decider, item: Parties & Eligible, roles: readonly Role[]): Ruling => {
  if (actor.state !== "active") return no("disabled");
  if (!roles.includes(actor.role)) return no("role", roles);
  const part = involvement(actor.id, item);
  if (item.eligible.length === 0 && actor.role === "admin") return { ok: true, alone: part !== null };
  if (part !== null) return no(part);
  return item.eligible.includes(actor.id) ? { ok: true, alone: false } : no("not_eligible");
};

/** What somebody has to do with a thing; null for nothing. */
const involvement = (id: string, { requesters = [], owner_id, sponsor_id, evidence_by = [] }: Parties) => {
  if (requesters.includes(id)) return "requester";
  if (id === owner_id) return "owner";
  if (id === sponsor_id) return "sponsor";
  return evidence_by.length > 0 && evidence_by.every((one) => one === id) ? "only_reporter" : null;
};

const no = (why: Refusal, roles = DECIDING_ROLES): Ruling => ({ ok: false, why, message: messageOf(why, roles) });

const messageOf = (why: Refusal, roles: readonly Role[]): string => {
  switch (why) {
    case "no_requester":
      return "It has no recorded requester, so nobody can decide on it. Submit it again.";
    case "disabled":
      return "This user is disabled and cannot decide.";
    case "role":
      return `This requires the role ${roles.join(" or ")}.`;
    case "not_eligible":
      return "You are not among the approvers recorded when it was requested.";
    case "requester":
    case "only_reporter":
      return `The ${why.replaceAll("_", " ")} does not decide on it. Ask another reviewer.`;
    case "owner":
    case "sponsor":
      return `The agent's ${why} does not decide on it. Ask another reviewer.`;
  }
};
