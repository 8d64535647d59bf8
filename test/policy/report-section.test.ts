import { expect, test } from "bun:test";
import fc from "fast-check";
import { sectionOf } from "#model/report";
import { SECTIONS } from "#policy/review/questionnaire";
import { verifies } from "#test/support/verifies";

/** In order of severity. */
const TABLE = [
  ["secret.aws_access_key", "secrets_security"],
  ["egress.url", "secrets_security"],
  ["injection.indirect", "input_trust"],
  ["tool.not_allowed", "tools"],
  ["pii.email", "data_privacy"],
  ["policy.model", "models"],
  ["policy.limit", "oversight"],
] as const;

test("each kind of flag has its section, and whatever is none of them is monitoring", () => {
  verifies("reports.section");
  for (const [type, section] of TABLE) expect([type, sectionOf([type])]).toEqual([type, section]);
  expect(sectionOf(["pii"])).toBe("data_privacy");
  for (const type of ["custom.x", "piis.email", "policy", "policy.models", "tools.x", "secretive"]) {
    expect([type, sectionOf([type])]).toEqual([type, "monitoring"]);
  }
  expect(sectionOf([])).toBe("monitoring");
});

test("of several the most severe one decides, in whatever order they come", () => {
  verifies("reports.section");
  const some = fc.shuffledSubarray([...TABLE.map(([type]) => type), "custom.x"], { minLength: 1 });
  fc.assert(
    fc.property(some, (types) => {
      const worst = TABLE.find(([type]) => types.includes(type))?.[1] ?? "monitoring";
      expect(sectionOf(types)).toBe(worst);
      expect(Object.keys(SECTIONS)).toContain(sectionOf(types));
    }),
  );
});
