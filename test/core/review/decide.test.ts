import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { ROLES, type Role } from "#core/person";
import { canDecide, type Decidable, eligibleFor, type Ruling } from "#core/review/decide";
import { verifies } from "#test/support/verifies";

const ME = "me";
const nobody: Decidable = {
  requested_by: "requester",
  owner_id: "owner",
  sponsor_id: "sponsor",
  evidence_by: [],
  eligible: ["other"],
};

/** What I have to do with the thing. */
const RELATIONS: Readonly<Record<string, Partial<Decidable>>> = {
  none: {},
  requester: { requested_by: ME },
  owner: { owner_id: ME },
  sponsor: { sponsor_id: ME },
  "only reporter": { evidence_by: [ME] },
  "only reporter, twice": { evidence_by: [ME, ME] },
  "one of two reporters": { evidence_by: [ME, "other"] },
};
/** Who could decide when it was asked for. */
const LISTS: Readonly<Record<string, readonly string[]>> = {
  nobody: [],
  "somebody else": ["other"],
  "me among others": ["other", ME],
};

const no = (why: Extract<Ruling, { ok: false }>["why"]): Ruling => ({ ok: false, why });
const yes: Ruling = { ok: true, alone: false };
const alone: Ruling = { ok: true, alone: true };

/** What must come out: written out by hand, not computed by the code under test. */
const HAND: Readonly<Record<string, Ruling | null>> = {
  none: null,
  requester: no("requester"),
  owner: no("owner"),
  sponsor: no("sponsor"),
  "only reporter": no("only_reporter"),
  "only reporter, twice": no("only_reporter"),
  "one of two reporters": null,
};
const expected = (role: Role, relation: string, list: string): Ruling => {
  if (role === "member" || role === "analyst" || role === "auditor") return no("role");
  const hand = HAND[relation] ?? null;
  if (list === "nobody") {
    if (role === "admin") return hand === null ? yes : alone;
    return hand ?? no("not_eligible");
  }
  if (hand !== null) return hand;
  return list === "me among others" ? yes : no("not_eligible");
};

describe("who may decide", () => {
  for (const role of ROLES) {
    for (const [relation, part] of Object.entries(RELATIONS)) {
      for (const [list, eligible] of Object.entries(LISTS)) {
        test(`${role}, ${relation}, eligible: ${list}`, () => {
          verifies("review.separation-of-duties");
          const item: Decidable = { ...nobody, ...part, eligible };
          expect(canDecide({ id: ME, role }, item)).toEqual(expected(role, relation, list));
          // Nobody on record as having asked: nobody decides, not even alone.
          expect(canDecide({ id: ME, role }, { ...item, requested_by: null })).toEqual(no("no_requester"));
        });
      }
    }
  }

  const people = fc.uniqueArray(
    fc.record({ id: fc.constantFrom("a", "b", "c", "d", "e"), role: fc.constantFrom(...ROLES) }),
    { selector: ({ id }) => id, minLength: 1 },
  );
  const someone = fc.option(fc.constantFrom("a", "b", "c", "d", "e"), { nil: null });

  test("whoever is eligible when it is asked for can decide; nobody else can while there is one", () => {
    verifies("review.separation-of-duties");
    const hands = fc.record({
      requested_by: fc.constantFrom("a", "b", "c", "d", "e"),
      owner_id: someone,
      sponsor_id: someone,
      evidence_by: fc.array(fc.constantFrom("a", "b", "c")),
    });
    fc.assert(
      fc.property(people, hands, (all, item) => {
        const eligible = eligibleFor(all, item);
        const may: string[] = all.filter((actor) => canDecide(actor, { ...item, eligible }).ok).map(({ id }) => id);
        const admins: string[] = all.filter(({ role }) => role === "admin").map(({ id }) => id);
        expect(may.toSorted()).toEqual(eligible.length > 0 ? eligible : admins.toSorted());
        const hands: (string | null)[] = [item.requested_by, item.owner_id, item.sponsor_id];
        expect(eligible.filter((id) => hands.includes(id))).toEqual([]);
      }),
    );
  });

  test("shutting colleagues out afterwards does not make anybody alone", () => {
    verifies("review.separation-of-duties");
    const item = { requested_by: ME, owner_id: ME, sponsor_id: null, evidence_by: [] };
    const frozen = eligibleFor(
      [
        { id: ME, role: "admin" },
        { id: "other", role: "reviewer" },
      ],
      item,
    );
    expect(frozen).toEqual(["other"]);
    expect(canDecide({ id: ME, role: "admin" }, { ...item, eligible: frozen })).toEqual(no("requester"));
  });
});
