import { expect, test } from "bun:test";
import { TAXONOMY_NAMES, taxonomyOf } from "#model/taxonomy";
import { DETECTORS } from "#scan/detectors/index";
import { verifies } from "#test/support/verifies";

/** Every type that the scanner can find, and what policies flag. */
const TYPES = [
  ...DETECTORS.flatMap(({ id, type = id, emits = [], types = {} }) => [type, ...emits, ...Object.values(types)]),
  ...["policy.model", "policy.tool", "policy.limit", "policy.human_approval", "policy.server_tool"],
  ...["policy.changed", "policy.provider_state", "egress.url", "egress.image", "tool.tainted_argument"],
];

test("every flag type has its place in OWASP's lists and MITRE ATLAS", () => {
  verifies("evidence.taxonomy");
  const without = TYPES.filter((type) => taxonomyOf(type).length === 0);
  expect(without).toEqual([]);
  const known = new Set(Object.keys(TAXONOMY_NAMES));
  expect(TYPES.flatMap((type) => [...taxonomyOf(type)]).filter((id) => !known.has(id))).toEqual([]);
  expect(TYPES.filter((type) => !taxonomyOf(type).some((id) => id.startsWith("LLM")))).toEqual([]);
});

test("a rule of the operator's own has none", () => {
  expect(taxonomyOf("custom.project")).toEqual([]);
});
