import { expect, test } from "bun:test";
import { DEFAULT_POLICY } from "#core/scan/defaults";
import type { TuningRule } from "#core/tuning/rule";
import type { Suggestion } from "#core/tuning/suggestion";
import { systemIds } from "#platform/ids";
import { ruleOf } from "#test/core/tuning/rules";
import { suggestionOf } from "#test/core/tuning/suggestions";
import { someRecord } from "#test/store/records";
import { verifies } from "#test/support/verifies";
import { House } from "./house";

test("rules and approvals that have run out are ended on record, and nothing else is", async () => {
  verifies("tuning.lapse", "tuning.approval-expires");
  await using house = await House.open();
  const { suggestions, tuning, policies, users, audit } = house.store;
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
  expect(await house.app.tuning.tend()).toBe(2);
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
  expect(await house.app.tuning.tend()).toBe(0);
});
