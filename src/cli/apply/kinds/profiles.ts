import { planned } from "#cli/apply/planned";
import type { World } from "#cli/apply/world";
import { usage } from "#cli/exit";
import { isRecord } from "#core/json/json";
import { ShapeCheck } from "#core/shape-check";
import { withNulls, withoutNulls } from "#features/configuration/file-form";
import { ProfileEntry } from "#features/configuration/schema";
import { diffProfiles } from "#policy/profile/diff";
import { ProfileBody } from "#policy/profile/profile";
import { agentKey } from "./agents";

const check = new ShapeCheck(ProfileBody);

const bodyOf = (body: Readonly<Record<string, unknown>>): ProfileBody => check.check(withNulls(ProfileBody, body));

const fileBody = (body: ProfileBody): Readonly<Record<string, unknown>> => {
  const plain = withoutNulls(body);
  return isRecord(plain) ? plain : {};
};

const publish = async (
  { by, admin, parts, people }: World,
  entry: { agent: string; owner: string; body: Readonly<Record<string, unknown>> },
) => {
  if (admin === null) throw usage("A profile needs --as EMAIL: the administrator who approves it");
  await parts.publishedProfiles.publishByHand(by, admin.id, await people.agent(entry), bodyOf(entry.body));
};

/** What only narrows is published; what may widen is left to who approves it: `profile set`, or a review of the agent. */
export const profiles = planned({
  kind: "profile",
  section: "profiles",
  schema: ProfileEntry,
  nameOf: agentKey,
  normal: (entry) => ({ ...entry, body: fileBody(bodyOf(entry.body)) }),
  references: (entry) => [{ kind: "agent", name: agentKey(entry) }],
  belongs: true,
  needsAdmin: true,
  // A change is made only where it narrows.
  turn: (before, after) => (before && after ? "narrows" : "usual"),
  isLater: ({ profiles, agents }, { id }) =>
    profiles.some(({ agent_id }) => agent_id === id) || agents.some((one) => one.id === id),
  stored: async ({ store, people }) => {
    const found = (await store.agents.list()).map(async ({ id, profile_version }) => {
      const named = people.agentOf(id);
      const row = named && profile_version !== null ? await store.profiles.byVersion(id, profile_version) : null;
      return named && row ? [{ id, entry: { ...named, body: fileBody(row.body) } }] : [];
    });
    return (await Promise.all(found)).flat();
  },
  create: async (world, entry) => publish(world, entry).then(() => "done" as const),
  change: async (world, { entry: before }, entry) => {
    const differences = diffProfiles(bodyOf(before.body), bodyOf(entry.body));
    if (differences.some(({ direction }) => direction !== "stricter")) return "awaiting approval";
    await publish(world, entry);
    return "done";
  },
  remove: async () => "awaiting approval",
});
