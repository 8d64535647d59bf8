import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { verifies } from "#test/support/verifies";
import { detectorsOf, EnforcementWorld, LOOSE, limitsOf, toolsOf } from "./enforcement-world";
import { ADMIN, BOB, EVE } from "./restricted-world";

setDefaultTimeout(120_000);

const AUD = "aud@example.com";
let world: EnforcementWorld;
const keys = { eve: "", bob: "", aud: "", admin: "" };
beforeAll(async () => {
  world = await EnforcementWorld.open({
    env: { GUARDHOUSE_GUARD__CUSTOM: JSON.stringify([{ id: "falcon", words: ["Project Falcon"], action: "block" }]) },
    before: (hub) => hub.createUser(AUD, "--role", "auditor"),
  });
  for (const [name, email] of [
    ["eve", EVE],
    ["bob", BOB],
    ["aud", AUD],
    ["admin", ADMIN],
  ] as const) {
    keys[name] = await world.world.session(email);
  }
});
afterAll(() => world?.[Symbol.asyncDispose]());

const asked = (key: string) => world.world.api(key, "GET", `/agents/${world.agent}/effective`);

test("an agent without a profile: baseline rules and their source", async () => {
  verifies("enforce.effective");
  const { status, json } = await asked(keys.eve);
  expect(status).toBe(200);
  expect(json).toMatchObject({ governed: false, profile: null, restrictions: [] });
  expect(json.explain).toContainEqual({ field: "fail_mode", value: "closed", from: "baseline" });
  expect(JSON.stringify(json)).not.toContain("Project Falcon");
});

test("a governed one: each value with the profile, the floor or the restriction that says it", async () => {
  verifies("enforce.effective");
  const version = await world.govern({
    detectors: detectorsOf(LOOSE),
    models: { allow: ["fake-*"], deny: [], max_output_tokens: 50 },
    tools: toolsOf({ default: "deny", allow: ["files__read"], require_human: ["files__write"] }),
    limits: limitsOf({ requests_per_minute: 60, tokens_per_day: 1_000 }),
    egress: { url_allow: ["acme.example"], urls: "redact", images: "block" },
  });
  const from = `profile v${version}`;
  const limited = await world.world.restrict(keys.eve, "rate_limited", { params: { requests_per_minute: 5 } });
  const redacted = await world.world.restrict(keys.eve, "output_redaction");
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
  await world.world.lift(keys.eve, limited);
  expect((await asked(keys.eve)).json.explain).toContainEqual({ field: "limits.requests_per_minute", value: 60, from });
});

test("an agent is meant however its id is written", async () => {
  verifies("enforce.effective");
  const { json } = await asked(keys.eve);
  expect(json).toMatchObject({ governed: true });
  expect((await world.world.api(keys.eve, "GET", `/agents/${world.agent.toUpperCase()}/effective`)).json).toEqual(json);
});

test("effective policy is shown only to users who may see the agent", async () => {
  verifies("enforce.effective");
  expect([(await asked(keys.aud)).status, (await asked(keys.admin)).status]).toEqual([200, 200]);
  expect([(await asked(keys.bob)).status, (await asked(keys.bob)).json.error.code]).toEqual([404, "not_found"]);
  expect((await asked(world.world.tokens.agent)).status).toBe(403);
});
