import { said } from "#cli/apply/kind";
import { planned } from "#cli/apply/planned";
import type { World } from "#cli/apply/world";
import { AgentEntry } from "#features/configuration/schema";
import type { ActorContext } from "#model/suspension";

/** As references name it. */
export const agentKey = ({ agent, owner }: { readonly agent: string; readonly owner: string }): string =>
  `${agent} (${owner})`;

const operator = ({ by }: World): ActorContext => ({ by, right: "operator", isAdmin: true });

const REASON = "by the configuration file";

/** Who is removed is retired. */
export const agents = planned({
  kind: "agent",
  section: "agents",
  schema: AgentEntry,
  nameOf: ({ name, owner }) => agentKey({ agent: name, owner }),
  normal: (entry) => said(entry),
  // One that was suspended by hand stays so.
  kept: ["suspended"],
  usual: { suspended: false },
  lifts: (before, after) => before.suspended === true && after.suspended === false,
  references: ({ owner, sponsor }) =>
    [owner, ...(sponsor === undefined ? [] : [sponsor])].map((name) => ({ kind: "user", name })),
  turn: (before, after) => (before && !before.suspended && after?.suspended ? "narrows" : "usual"),
  isLater: ({ agents }, { id }) => agents.some((one) => one.id === id),
  stored: async ({ store, people }) =>
    (await store.agents.list())
      .filter(({ lifecycle }) => lifecycle !== "retired")
      .map(({ id, name, owner_id, sponsor_id, description, environment, lifecycle }) => ({
        id,
        entry: {
          name,
          owner: people.emailOf(owner_id),
          ...(sponsor_id !== null && { sponsor: people.emailOf(sponsor_id) }),
          ...(description !== null && { description }),
          ...(environment !== null && { environment }),
          suspended: lifecycle === "suspended",
        },
      })),
  create: async (world, { owner, suspended, ...about }) => {
    const { by, parts, people } = world;
    const agent = await parts.agentService.create(by, await people.user(owner), about);
    if (suspended) await parts.agentService.suspend(operator(world), agent, REASON);
  },
  change: async (
    world,
    _before,
    { name, owner, sponsor = null, description = null, environment = null, suspended },
    fields,
  ) => {
    const { by, parts, people } = world;
    const agent = await people.agent({ agent: name, owner });
    if (["sponsor", "description", "environment"].some((field) => fields.has(field))) {
      await parts.agentService.update(by, agent, { sponsor, description, environment });
    }
    if (!fields.has("suspended")) return;
    if (suspended) await parts.agentService.suspend(operator(world), agent, REASON);
    else await parts.agentService.resume(operator(world), agent, REASON);
  },
  remove: async ({ by, parts, people }, { entry: { name, owner } }) => {
    await parts.agentService.retire(by, await people.agent({ agent: name, owner }), name);
  },
});
