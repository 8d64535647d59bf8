import { expect, test } from "bun:test";
import { systemIds } from "#platform/ids";
import type { TuningRule } from "#policy/tuning/rule";
import type { Suggestion } from "#policy/tuning/suggestion";
import { DEFAULT_POLICY } from "#scan/defaults";
import { ruleOf } from "#test/policy/tuning/rules";
import { suggestionOf } from "#test/policy/tuning/suggestions";
import { someRecord } from "#test/store/records";
import { verifies } from "#test/support/verifies";
import { AppWorld } from "./app-world";

test("rules and approvals that have run out are ended on record, and nothing else is", async () => {
  verifies("tuning.lapse", "tuning.approval-expires");
  await using world = await AppWorld.open();
  const { suggestions, tuning, policies, users, audit } = world.store;
  const [user] = await users.list();
  if (!user) throw new Error("nobody lives here");
  const now = Date.now();
  const own = { agent_id: null, user_id: user.id };
  await policies.append(0, JSON.stringify(DEFAULT_POLICY), now, someRecord());
  const rule = async (expires_at: number | null): Promise<TuningRule | null> => {
    const made = { ...ruleOf({ ...own, id: systemIds(), created_at: now, expires_at }), revision: undefined };
    const base = (await policies.latest())?.revision ?? 0;
    return tuning.apply(made, null, base, () => someRecord());
  };
  const suggestion = async (more: Partial<Suggestion>): Promise<string> => {
    const made = suggestionOf({ ...own, id: systemIds(), ...more });
    await suggestions.create(made, someRecord());
    return made.id;
  };
  const rules = [await rule(now - 1), await rule(now + 60_000), await rule(null)];
  const ids = [
    await suggestion({ status: "approved", expires_at: now - 1 }),
    await suggestion({ status: "approved", expires_at: now + 60_000 }),
    await suggestion({ status: "proposed" }),
  ];
  expect(await world.app.parts.suggestionApplications.runOnce(Date.now())).toBe(2);
  const states = await Promise.all(rules.map(async (one) => (await tuning.byId(one?.id ?? ""))?.status));
  expect(states).toEqual(["lapsed", "active", "active"]);
  const standing = await Promise.all(ids.map(async (id) => (await suggestions.byId(id))?.status));
  expect(standing).toEqual(["expired", "approved", "proposed"]);
  const lapses = (await audit.tail(50))
    .map(({ body }) => JSON.parse(body))
    .filter(({ kind }) => kind === "tuning.lapse");
  expect(lapses.map(({ change, actor }) => [change.subject, actor.via])).toEqual([
    ["suggestion", "system"],
    ["tuning_rule", "system"],
  ]);
  expect(await world.app.parts.suggestionApplications.runOnce(Date.now())).toBe(0);
});
