import type { Outcome } from "#cli/apply/kind";
import { planned } from "#cli/apply/planned";
import type { World } from "#cli/apply/world";
import { usage } from "#cli/exit";
import { canonicalJson } from "#core/json/json";
import { PolicyEntry } from "#features/configuration/schema";
import { editedBy, type PolicyChange, type PolicyEdits } from "#policy/baseline/edits";

const REASON = "by the configuration file";

const current = async ({ store }: World): Promise<PolicyEdits> => {
  const latest = await store.policies.latest();
  return latest === null ? [] : ((await store.policies.editsAt(latest.revision))?.edits ?? []);
};

/** Puts these rules in the place of those set by hand. What is looser waits for somebody else, if there is anybody. */
const put = async (world: World, wanted: PolicyEdits): Promise<Outcome> => {
  const { admin, by, policy, store, beginPolicy } = world;
  if (admin === null) throw usage("The policy needs --as EMAIL: the administrator who changes it");
  await beginPolicy();
  const waiting = await store.policies.waiting();
  if (waiting.some(({ edits }) => canonicalJson(edits) === canonicalJson(wanted))) return "awaiting approval";
  const resets: PolicyChange[] = (await current(world)).map(({ type, origins }) => ({ type, origins, reset: true }));
  const latest = await store.policies.latest();
  const outcome = await policy.put({ user: admin, by }, latest?.revision ?? 0, [...resets, ...wanted], REASON);
  return outcome.kind === "waiting" ? "awaiting approval" : "done";
};

export const policy = planned({
  kind: "policy",
  section: "policy",
  schema: PolicyEntry,
  nameOf: () => "rules",
  normal: ({ rules }) => ({ rules: editedBy([], rules) }),
  needsAdmin: true,
  turn: () => "decides",
  isLater: ({ policy }) => policy !== null,
  stored: async (world) => {
    const rules = await current(world);
    return rules.length === 0 ? [] : [{ id: "rules", entry: { rules } }];
  },
  create: (world, { rules }) => put(world, rules),
  change: (world, _before, { rules }) => put(world, rules),
  remove: (world) => put(world, []),
});
