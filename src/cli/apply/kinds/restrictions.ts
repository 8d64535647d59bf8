import { type Stored, said } from "#cli/apply/kind";
import { planned } from "#cli/apply/planned";
import type { World } from "#cli/apply/world";
import { GuardError } from "#core/errors";
import { canonicalJson } from "#core/json/json";
import type { Static } from "#core/schema";
import { RestrictionEntry } from "#features/configuration/schema";
import { RestrictionScopeCheck } from "#features/restrictions/restriction-scope";
import { systemClock, timestamp } from "#platform/clock";
import { isInForce, type Restriction } from "#policy/restrictions/restriction";
import { agentKey } from "./agents";

type Entry = Static<typeof RestrictionEntry>;

const nameOf = (entry: Entry): string => {
  const { kind, params = {} } = entry;
  const narrowed = Object.keys(params).length === 0 ? "" : ` ${canonicalJson(params)}`;
  return `${kind}${narrowed} of ${agentKey(entry)}`;
};

const endOf = ({ expires_at }: Entry): number =>
  expires_at === undefined ? Number.POSITIVE_INFINITY : Date.parse(expires_at);

const scopeOf = ({ kind, params = {} }: Entry) => new RestrictionScopeCheck().narrowed({ kind, params });

const set = async ({ by, parts, people }: World, entry: Entry): Promise<undefined> => {
  const expires_at = entry.expires_at === undefined ? null : Date.parse(entry.expires_at);
  const { id } = await people.agent(entry);
  await parts.restrictionService.set({ operator: by }, id, { ...scopeOf(entry), reason: entry.reason, expires_at });
};

/** Those in force that people set for an agent. */
const byHand = async ({ store }: World, agentId: string): Promise<Restriction[]> => {
  const now = systemClock();
  return (await store.restrictions.ofAgent(agentId)).filter((one) => one.source === "manual" && isInForce(one, now));
};

const entryOf = (
  { agent, owner }: Pick<Entry, "agent" | "owner">,
  { kind, params, reason, expires_at }: Restriction,
): Entry => ({
  ...{ agent, owner, kind, params, reason },
  ...(expires_at !== null && { expires_at: timestamp(expires_at) }),
});

/** All alike of the same agent: a file knows no more than one. */
const alike = async (world: World, entry: Entry): Promise<Restriction[]> => {
  const { id } = await world.people.agent(entry);
  return (await byHand(world, id)).filter((one) => nameOf(entryOf(entry, one)) === nameOf(entry));
};

const lift = async ({ by, parts }: World, restrictions: readonly Restriction[]): Promise<undefined> => {
  for (const { agent_id, id } of restrictions) {
    await parts.restrictionService.lift({ operator: by }, agent_id, id, "by the configuration file");
  }
};

/** Those that people set. Of several alike the one that lasts longest is in a file. */
export const restrictions = planned({
  kind: "restriction",
  section: "restrictions",
  schema: RestrictionEntry,
  nameOf,
  normal: (entry) => {
    const at = Date.parse(entry.expires_at ?? "");
    return said({ ...entry, ...(!Number.isNaN(at) && { expires_at: timestamp(at) }) }, { params: {} });
  },
  check: (entry) => {
    scopeOf(entry);
    if (entry.kind !== "suspended" && Number.isNaN(Date.parse(entry.expires_at ?? ""))) {
      throw new GuardError(
        "invalid_value",
        "expires_at must be a time in RFC 3339: only a suspension may have no end.",
      );
    }
  },
  counts: (entry, now) => !(endOf(entry) <= now),
  references: (entry) => [{ kind: "agent", name: agentKey(entry) }],
  belongs: true,
  turn: (before, after) => (after && (before === undefined || endOf(before) <= endOf(after)) ? "narrows" : "usual"),
  isLater: ({ restrictions }, { id }) => restrictions.some((one) => one.id === id),
  stored: async (world) => {
    const found = (await world.store.agents.list()).map(async ({ id }): Promise<Stored<Entry>[]> => {
      const named = world.people.agentOf(id);
      if (named === null) return [];
      return (await byHand(world, id)).map((one) => ({ id: one.id, entry: entryOf(named, one) }));
    });
    const lasting = (await Promise.all(found))
      .flat()
      .toSorted((one, other) => Math.sign(endOf(one.entry) - endOf(other.entry)) || 0);
    return [...new Map(lasting.map((one) => [nameOf(one.entry), one])).values()];
  },
  create: set,
  // The new one first: in between nothing is less narrow.
  change: async (world, _before, entry) => {
    const before = await alike(world, entry);
    await set(world, entry);
    return lift(world, before);
  },
  remove: async (world, { entry }) => lift(world, await alike(world, entry)),
});
