import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { says } from "#test/support/fake-provider";
import { verifies } from "#test/support/verifies";
import { ADMIN, RestrictedWorld, until } from "./restricted-world";

/** Three keys of a made-up provider's form that no detector takes for an example. */
const KEYS = ["QZ7NR2WKMD4XVTBP", "HT5LC9YGFS3JRZQA", "BW8XK6VDNP2MEUCH"].map((rest) => `AKIA${rest}`);
const LEAK = `Take ${KEYS.join(" or ")} for it. Mail jane.doe@example.org.`;

const inForce = async (world: RestrictedWorld, key: string) =>
  (await world.api(key, "GET", `/agents/${world.ids.agent}/restrictions?in_force=true`)).json.data;

describe("an agent that leaks", () => {
  let world: RestrictedWorld;
  let admin: string;
  beforeAll(async () => {
    world = await RestrictedWorld.open({ processes: "hub" });
    admin = await world.session(ADMIN);
  });
  afterAll(() => world?.[Symbol.asyncDispose]());

  test("is restricted within a second, with evidence, until a person lifts it", async () => {
    verifies("restriction.automatic");
    const answers = async () => {
      world.provider.next(says(LEAK));
      return world.ask();
    };
    const first = await answers();
    expect(await first.text()).toContain("jane.doe");
    await until(async () => (await inForce(world, admin)).length === 1);
    const [made] = await inForce(world, admin);
    // By the hub's own clock: how late this process looks is not the hub's.
    const calls = await world.records("chat.completion");
    const call = calls.find(({ call_id }) => call_id === first.headers.get("x-request-id"));
    expect(Date.parse(made.starts_at) - Date.parse(call.at)).toBeLessThan(1_000);
    expect(made).toMatchObject({
      kind: "output_redaction",
      source: "automatic",
      set_by: null,
      trigger: { rule: "secret_egress", evidence_event_ids: [first.headers.get("x-guard-event-id")] },
    });
    expect(JSON.stringify(made)).not.toContain("AKIA");
    expect(Date.parse(made.expires_at) - Date.parse(made.starts_at)).toBe(86_400_000);
    expect(await (await answers()).text()).not.toContain("jane.doe");
    expect((await inForce(world, admin)).length).toBe(1);
    const [record] = await world.records("restriction.set");
    expect([record.actor.via, record.change.detail.trigger.rule]).toEqual(["system", "secret_egress"]);
    expect((await world.lift(admin, made)).status).toBe(200);
    expect(await (await world.ask()).text()).not.toContain("[pii");
  });

  test("and one that tries tools it was not given may only read for a while", async () => {
    verifies("restriction.automatic");
    for (let call = 0; call < 10; call += 1) expect((await world.call(`files__try_${call}`)).status).toBe(404);
    await until(async () => (await inForce(world, admin)).length === 1);
    const [made] = await inForce(world, admin);
    expect([made.kind, made.params, made.trigger.rule]).toEqual(["tool_restricted", { read_only: true }, "tool_probe"]);
    expect(made.trigger.evidence_event_ids).toHaveLength(10);
  });
});

test("where an operator has switched it off, only people restrict", async () => {
  verifies("restriction.automatic-off");
  await using world = await RestrictedWorld.open({ env: { GUARDHOUSE_GUARD__AUTOMATIC_RESTRICTIONS: "off" } });
  const admin = await world.session(ADMIN);
  world.provider.next(says(LEAK));
  await (await world.ask()).text();
  for (let call = 0; call < 10; call += 1) await world.call(`files__try_${call}`);
  await Bun.sleep(500);
  expect(await inForce(world, admin)).toEqual([]);
});
