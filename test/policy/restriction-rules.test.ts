import { expect, test } from "bun:test";
import { ROLES, type Role } from "#model/person";
import { isInForce, RESTRICTION_KINDS, type RestrictionKind } from "#policy/restrictions/restriction";
import { objection, type RestrictionActor, SHORT_MS } from "#policy/restrictions/restriction-rules";
import { verifies } from "#test/support/verifies";

const person = (role: Role, isOwner: boolean): RestrictionActor => ({ by: "person", id: "me", role, isOwner });
const OPERATOR: RestrictionActor = { by: "operator" };
const HUB: RestrictionActor = { by: "hub", maySuspend: false };
const OPTED_IN: RestrictionActor = { by: "hub", maySuspend: true };

/** For ever, longer than a day, a day, a moment. */
const SPANS = [null, SHORT_MS + 1, SHORT_MS, 1] as const;
const may = (acting: RestrictionActor, kind: RestrictionKind): string =>
  SPANS.map((lasts) => (objection(acting, { do: "set", kind, lasts }) === null ? "y" : "-")).join("");

test("restriction rules: who may set what, and for how long", () => {
  verifies("restriction.who");
  const rows: [RestrictionActor, suspended: string, others: string][] = [
    [person("admin", false), "yyyy", "-yyy"],
    [person("admin", true), "yyyy", "-yyy"],
    [person("analyst", false), "--yy", "--yy"],
    [person("analyst", true), "yyyy", "-yyy"],
    [person("member", true), "yyyy", "-yyy"],
    [person("member", false), "----", "----"],
    [person("reviewer", true), "yyyy", "-yyy"],
    [person("reviewer", false), "----", "----"],
    [person("auditor", true), "yyyy", "-yyy"],
    [person("auditor", false), "----", "----"],
    [OPERATOR, "yyyy", "-yyy"],
    [HUB, "----", "--yy"],
    [OPTED_IN, "--yy", "--yy"],
  ];
  for (const [acting, suspended, others] of rows) {
    for (const kind of RESTRICTION_KINDS) {
      expect([acting, kind, may(acting, kind)]).toEqual([acting, kind, kind === "suspended" ? suspended : others]);
    }
  }
  // Every role is in the table, as owner and as none.
  expect(rows.filter(([{ by }]) => by === "person")).toHaveLength(ROLES.length * 2);
});

test("restriction rules: an end in the past is refused", () => {
  for (const acting of [person("admin", true), OPERATOR, OPTED_IN]) {
    for (const lasts of [0, -1]) expect(objection(acting, { do: "set", kind: "suspended", lasts })).not.toBeNull();
  }
});

test("restriction rules: who may lift", () => {
  verifies("restriction.who");
  const WHOSE = [
    { source: "manual", set_by: "me" },
    { source: "manual", set_by: "somebody" },
    { source: "manual", set_by: null },
    { source: "automatic", set_by: null },
  ] as const;
  const lifts = (acting: RestrictionActor): string =>
    WHOSE.map((whose) => (objection(acting, { do: "lift", ...whose }) === null ? "y" : "-")).join("");
  for (const isOwner of [true, false]) {
    expect(lifts(person("admin", isOwner))).toBe("yyyy");
    expect(lifts(person("analyst", isOwner))).toBe("y--y");
    for (const role of ["member", "reviewer", "auditor"] as const) {
      expect([role, isOwner, lifts(person(role, isOwner))]).toEqual([role, isOwner, isOwner ? "y---" : "----"]);
    }
  }
  expect(lifts(OPERATOR)).toBe("yyyy");
  expect(lifts(OPTED_IN)).toBe("----");
});

test("a restriction is in force from when it is known, also where the clock is behind that of the hub that set it", () => {
  const ahead = { starts_at: 31_000, expires_at: 90_000, lifted_at: null };
  expect([1_000, 31_000, 89_999, 90_000].map((now) => isInForce(ahead, now))).toEqual([true, true, true, false]);
  expect(isInForce({ ...ahead, lifted_at: 500 }, 1_000)).toBe(false);
});
