import { expect, test } from "bun:test";
import { labelSecret, redactionLabels } from "#guard/redaction-labels";
import { KeyRotator } from "#hub/key-rotation";
import { CLI_ACTOR } from "#model/change";
import { systemIds } from "#platform/ids";
import { MasterKeys, newMasterKey } from "#platform/master-keys";
import type { SqliteStore } from "#store/sqlite/index";
import { Place } from "#test/store/directory";
import { verifies } from "#test/support/verifies";

const secretOf = ({ secrets, directory }: SqliteStore): Promise<Uint8Array> => {
  const { seal, unseal } = new MasterKeys(directory, null);
  return labelSecret({ secrets, seal, unseal });
};

const rotate = async ({ sealed, directory }: SqliteStore): Promise<void> => {
  const keys = new MasterKeys(directory, null);
  const { seal, unseal } = keys;
  const rotator = new KeyRotator({ values: sealed, seal, unseal, now: () => 7, ids: systemIds, by: CLI_ACTOR });
  const change = keys.beginChange(newMasterKey());
  await rotator.begin(change);
  await rotator.finish(change, await rotator.reseal(change));
  keys.endChange(change);
};

test("labels are the same in every process, and after a change of the master key", async () => {
  verifies("scan.labels");
  await using place = new Place();
  const store = await place.open();
  const [one, other] = await Promise.all([secretOf(store), secretOf(store)]);
  expect(one).toEqual(other);
  expect(one.length).toBe(32);
  await rotate(store);
  expect(await secretOf(store)).toEqual(one);
});

test("every agent has its own labels, and so has a person who calls without one, and the hub", () => {
  verifies("scan.labels");
  const labelsOf = redactionLabels(new Uint8Array(32));
  const [user, agent] = [{ id: "u" }, { id: "a" }];
  // A person whose id is that of an agent is not that agent.
  const callers = [{ user, agent }, { user, agent: { id: "b" } }, { user: agent, agent: null }, null];
  const labels = callers.map((caller) => labelsOf(caller)("pii.email", "a@x.org"));
  expect(new Set(labels).size).toBe(callers.length);
  // Whoever owns the agent by now.
  expect(labelsOf({ agent, user: { id: "v" } })("pii.email", "a@x.org")).toBe(labels[0] ?? "");
});
