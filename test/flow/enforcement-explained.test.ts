import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { verifies } from "#test/support/verifies";
import { detectorsOf, EnforcementHouse, LOOSE, limitsOf, toolsOf } from "./enforcement-house";
import { ADMIN, BOB, EVE } from "./restricted-house";

setDefaultTimeout(120_000);

const AUD = "aud@example.com";
let house: EnforcementHouse;
const keys = { eve: "", bob: "", aud: "", admin: "" };
beforeAll(async () => {
  house = await EnforcementHouse.open({
    env: { GUARDHOUSE_GUARD__CUSTOM: JSON.stringify([{ id: "falcon", words: ["Project Falcon"], action: "block" }]) },
    before: (hub) => hub.createUser(AUD, "--role", "auditor"),
  });
  for (const [name, email] of [
    ["eve", EVE],
    ["bob", BOB],
    ["aud", AUD],
    ["admin", ADMIN],
  ] as const) {
    keys[name] = await house.house.session(email);
  }
});
afterAll(() => house?.[Symbol.asyncDispose]());

const asked = (key: string) => house.house.api(key, "GET", `/agents/${house.agent}/effective`);

test("an agent without a profile: the baseline's rules, and who says so", async () => {
  verifies("enforce.effective");
  const { status, json } = await asked(keys.eve);
  expect(status).toBe(200);
  expect(json).toMatchObject({ governed: false, profile: null, restrictions: [] });
  expect(json.explain).toContainEqual({ field: "fail_mode", value: "closed", from: "baseline" });
  expect(JSON.stringify(json)).not.toContain("Project Falcon");
});

test("a governed one: each value with the profile, the floor or the restriction that says it", async () => {
  verifies("enforce.effective");
  const version = await house.govern({
    detectors: detectorsOf(LOOSE),
    models: { allow: ["fake-*"], deny: [], max_output_tokens: 50 },
    tools: toolsOf({ default: "deny", allow: ["files__read"], require_human: ["files__write"] }),
    limits: limitsOf({ requests_per_minute: 60, tokens_per_day: 1_000 }),
    egress: { url_allow: ["acme.example"], urls: "redact", images: "block" },
  });
  const from = `profile v${version}`;
  const limited = await house.house.restrict(keys.eve, "rate_limited", { params: { requests_per_minute: 5 } });
  const redacted = await house.house.restrict(keys.eve, "output_redaction");
  const { json } = await asked(keys.eve);
  expect(json).toMatchObject({ governed: true, profile: { version }, effective: { profile_version: version } });
  expect(json.restrictions.map(({ id }: { id: string }) => id)).toEqual([limited.id, redacted.id]);
  for (const wanted of [
    { field: "models.allow", value: ["fake-*"], from },
    { field: "models.max_output_tokens", value: 50, from },
    { field: "tools.allow", value: ["files__read"], from },
    { field: "tools.require_human", value: ["files__write"], from },
    { field: "limits.requests_per_minute", value: 5, from: `restriction ${limited.id}` },
    { field: "limits.tokens_per_day", value: 1_000, from },
    { field: "egress.url_allow", value: ["acme.example"], from },
    { field: "detectors.egress.image", value: { origins: ["output"], thresholds: { block: 0.5 } }, from },
    { field: "detectors.secret", value: { origins: ["output"], thresholds: { redact: 0.9 } }, from: "floor" },
    {
      field: "detectors.pii",
      value: { origins: ["output"], thresholds: { redact: 0.3 } },
      from: `restriction ${redacted.id}`,
    },
  ]) {
    expect(json.explain).toContainEqual(wanted);
  }
  await house.house.lift(keys.eve, limited);
  expect((await asked(keys.eve)).json.explain).toContainEqual({ field: "limits.requests_per_minute", value: 60, from });
});

test("an agent is meant however its id is written", async () => {
  verifies("enforce.effective");
  const { json } = await asked(keys.eve);
  expect(json).toMatchObject({ governed: true });
  expect((await house.house.api(keys.eve, "GET", `/agents/${house.agent.toUpperCase()}/effective`)).json).toEqual(json);
});

test("who may see the agent may ask, and nobody else", async () => {
  verifies("enforce.effective");
  expect([(await asked(keys.aud)).status, (await asked(keys.admin)).status]).toEqual([200, 200]);
  expect([(await asked(keys.bob)).status, (await asked(keys.bob)).json.error.code]).toEqual([404, "not_found"]);
  expect((await asked(house.house.tokens.agent)).status).toBe(403);
});
