import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { ROLES, type Role, USER_STATES } from "#model/person";
import {
  canDecide,
  canDecideNow,
  type Decidable,
  type Decider,
  eligibleFor,
  type Refusal,
  type Ruling,
} from "#policy/approval/ruling";
import { verifies } from "#test/support/verifies";

const ME = "me";
const nobody: Decidable = {
  requesters: ["requester", null],
  owner_id: "owner",
  sponsor_id: "sponsor",
  evidence_by: [],
  eligible: ["other"],
};

/** What I have to do with the thing. */
const RELATIONS: Readonly<Record<string, Partial<Decidable>>> = {
  none: {},
  requester: { requesters: [ME] },
  author: { requesters: ["requester", ME] },
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

type Verdict = "yes" | "alone" | Refusal;
const verdictOf = (ruling: Ruling): Verdict => (ruling.ok ? (ruling.alone ? "alone" : "yes") : ruling.why);

/** What must come out: written out by hand, not computed by the code under test. */
const INVOLVED: Readonly<Record<string, Refusal | null>> = {
  none: null,
  requester: "requester",
  author: "requester",
  owner: "owner",
  sponsor: "sponsor",
  "only reporter": "only_reporter",
  "only reporter, twice": "only_reporter",
  "one of two reporters": null,
};
const expected = (role: Role, relation: string, list: string): Verdict => {
  if (role === "member" || role === "analyst" || role === "auditor") return "role";
  const part = INVOLVED[relation] ?? null;
  if (list === "nobody") {
    if (role === "admin") return part === null ? "yes" : "alone";
    return part ?? "not_eligible";
  }
  if (part !== null) return part;
  return list === "me among others" ? "yes" : "not_eligible";
};

describe("separation of duties: who may decide", () => {
  for (const role of ROLES) {
    for (const [relation, part] of Object.entries(RELATIONS)) {
      for (const [list, eligible] of Object.entries(LISTS)) {
        test(`${role}, ${relation}, eligible: ${list}`, () => {
          verifies("review.separation-of-duties");
          const item: Decidable = { ...nobody, ...part, eligible };
          const me = { id: ME, role, state: "active" } as const;
          expect(verdictOf(canDecide(me, item))).toBe(expected(role, relation, list));
          expect(verdictOf(canDecide({ ...me, state: "disabled" }, item))).toBe("disabled");
          // Nobody on record as having asked: nobody decides, not even alone.
          for (const requesters of [[], [null], [null, null]]) {
            expect(verdictOf(canDecide(me, { ...item, requesters }))).toBe("no_requester");
          }
        });
      }
    }
  }

  const anyone = fc.constantFrom("a", "b", "c", "d", "e");
  const someone = fc.option(anyone, { nil: null });
  const people: fc.Arbitrary<Decider[]> = fc.uniqueArray(
    fc.record({ id: anyone, role: fc.constantFrom(...ROLES), state: fc.constantFrom(...USER_STATES) }),
    { selector: ({ id }) => id, minLength: 1 },
  );
  const parties = fc.record({
    requesters: fc.tuple(anyone, someone),
    owner_id: someone,
    sponsor_id: someone,
    evidence_by: fc.array(fc.constantFrom("a", "b", "c")),
  });

  test("separation of duties: only approvers eligible at submission decide, while there is one", () => {
    verifies("review.separation-of-duties");
    fc.assert(
      fc.property(people, parties, (all, item) => {
        const eligible = eligibleFor(all, item);
        const may: string[] = all.filter((actor) => canDecide(actor, { ...item, eligible }).ok).map(({ id }) => id);
        const admins: string[] = all
          .filter(({ role, state }) => role === "admin" && state === "active")
          .map(({ id }) => id);
        expect(may.toSorted()).toEqual(eligible.length > 0 ? eligible : admins.toSorted());
        const involved: (string | null)[] = [...item.requesters, item.owner_id, item.sponsor_id];
        expect(eligible.filter((id) => involved.includes(id))).toEqual([]);
        const disabled = all.filter(({ state }) => state === "disabled").map(({ id }) => id);
        expect(eligible.filter((id) => disabled.includes(id))).toEqual([]);
      }),
    );
  });

  test("decisions nobody asks for: the same as if it had been asked for now", () => {
    verifies("review.separation-of-duties");
    fc.assert(
      fc.property(people, parties, (all, item) => {
        const asked = { ...item, eligible: eligibleFor(all, item) };
        for (const actor of all) expect(canDecideNow(actor, all, item)).toEqual(canDecide(actor, asked));
      }),
    );
  });

  test("shutting colleagues out afterwards does not make anybody alone", () => {
    verifies("review.separation-of-duties");
    const item = { requesters: [ME], owner_id: ME };
    const me = { id: ME, role: "admin", state: "active" } as const;
    const frozen = eligibleFor([me, { id: "other", role: "reviewer", state: "active" }], item);
    expect(frozen).toEqual(["other"]);
    expect(verdictOf(canDecide(me, { ...item, eligible: frozen }))).toBe("requester");
  });
});
