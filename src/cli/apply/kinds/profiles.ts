import type { Outcome } from "#cli/apply/kind";
import { planned } from "#cli/apply/planned";
import type { World } from "#cli/apply/world";
import { usage } from "#cli/exit";
import { isRecord } from "#core/json/json";
import type { Static } from "#core/schema";
import { ShapeCheck } from "#core/shape-check";
import { withNulls, withoutNulls } from "#features/configuration/file-form";
import { ProfileEntry } from "#features/configuration/schema";
import type { Agent } from "#model/agent";
import { diffProfiles } from "#policy/profile/diff";
import { ProfileBody } from "#policy/profile/profile";
import { agentKey } from "./agents";

type Entry = Static<typeof ProfileEntry>;

const check = new ShapeCheck(ProfileBody);

const bodyOf = (body: Readonly<Record<string, unknown>>): ProfileBody => check.check(withNulls(ProfileBody, body));

const fileBody = (body: ProfileBody): Readonly<Record<string, unknown>> => {
  const plain = withoutNulls(body);
  return isRecord(plain) ? plain : {};
};

/** Whether it is the agent's first, or only narrows the one in force. By what is stored now, not when it was planned. */
const isStricter = async ({ store }: World, { id, profile_version }: Agent, body: ProfileBody): Promise<boolean> => {
  if (profile_version === null) return (await store.profiles.ofAgent(id)).length === 0;
  const inForce = await store.profiles.byVersion(id, profile_version);
  return inForce !== null && diffProfiles(inForce.body, body).every(({ direction }) => direction === "stricter");
};

const put = async (world: World, entry: Entry): Promise<Outcome> => {
  const { by, admin, parts, people } = world;
  if (admin === null) throw usage("A profile needs --as EMAIL: the administrator who approves it");
  const agent = await people.agent(entry);
  const body = bodyOf(entry.body);
  if (!(await isStricter(world, agent, body))) return "awaiting approval";
  await parts.publishedProfiles.publishByHand(by, admin.id, agent, body);
  return "done";
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
  create: put,
  change: (world, _before, entry) => put(world, entry),
  remove: async () => "awaiting approval",
});
