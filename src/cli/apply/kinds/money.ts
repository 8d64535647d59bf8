import { said } from "#cli/apply/kind";
import { planned } from "#cli/apply/planned";
import type { World } from "#cli/apply/world";
import { GuardError } from "#core/errors";
import type { Static } from "#core/schema";
import { BudgetEntry, PriceEntry } from "#features/configuration/schema";
import { rowOf } from "#features/money/price-service";
import type { BudgetName } from "#model/budget";
import { usdOf } from "#model/money";
import { priceProblem } from "#model/price";
import { agentKey } from "./agents";

const setPrice = async ({ by, parts }: World, entry: Static<typeof PriceEntry>): Promise<undefined> => {
  await parts.priceService.set(by, rowOf(entry));
};

export const prices = planned({
  kind: "price",
  section: "prices",
  schema: PriceEntry,
  nameOf: ({ model, provider }) => (provider === undefined ? model : `${model} at ${provider}`),
  normal: (entry) => said(entry),
  check: (entry) => {
    const problem = priceProblem(rowOf(entry));
    if (problem !== null) throw new GuardError("invalid_value", `The ${problem.param} ${problem.problem}`);
  },
  isLater: ({ prices }) => prices !== null,
  stored: async ({ store }) =>
    (await store.prices.list()).map(({ model, provider, prices }) => ({
      id: model,
      entry: { model, ...(provider !== null && { provider }), ...prices },
    })),
  create: setPrice,
  change: (world, _before, entry) => setPrice(world, entry),
  remove: async ({ by, parts }, { entry: { model, provider = null } }) => {
    await parts.priceService.remove(by, { model, provider });
  },
});

type Budget = Static<typeof BudgetEntry>;

const whose = ({ user, agent, owner }: Budget): string => {
  if (agent !== undefined && owner !== undefined) return `of agent ${agentKey({ agent, owner })}`;
  return user === undefined ? "of the hub" : `of user ${user}`;
};

const checkSubject = ({ user, agent, owner }: Budget): void => {
  if (user !== undefined && (agent !== undefined || owner !== undefined)) throw bad("Give user, or agent and owner.");
  if ((agent === undefined) !== (owner === undefined)) throw bad("Give both agent and owner.");
};

const nameIn = async ({ people }: World, { period, user, agent, owner }: Budget): Promise<BudgetName> => {
  if (user !== undefined) return { scope: "user", subject_id: (await people.user(user)).id, period };
  if (agent === undefined || owner === undefined) return { scope: "hub", subject_id: "", period };
  return { scope: "agent", subject_id: (await people.agent({ agent, owner })).id, period };
};

const bad = (message: string): GuardError => new GuardError("invalid_value", message, { param: "user" });

const subjectOf = (
  { people }: World,
  { scope, subject_id }: BudgetName,
): Omit<Budget, "period" | "limit_usd"> | null => {
  if (scope === "hub") return {};
  return scope === "user" ? { user: people.emailOf(subject_id) } : people.agentOf(subject_id);
};

const setBudget = async (world: World, entry: Budget): Promise<undefined> => {
  await world.parts.budgetService.set(world.by, await nameIn(world, entry), entry.limit_usd);
};

export const budgets = planned({
  kind: "budget",
  section: "budgets",
  schema: BudgetEntry,
  nameOf: (entry) => `${entry.period} ${whose(entry)}`,
  normal: (entry) => said(entry),
  references: ({ user, agent, owner }) => [
    ...(user === undefined ? [] : [{ kind: "user", name: user }]),
    ...(agent === undefined || owner === undefined ? [] : [{ kind: "agent", name: agentKey({ agent, owner }) }]),
  ],
  check: checkSubject,
  turn: (before, after) =>
    after && (before === undefined || after.limit_usd < before.limit_usd) ? "narrows" : "usual",
  isLater: ({ budgets }) => budgets !== null,
  stored: async (world) =>
    (await world.store.budgets.list()).flatMap((budget) => {
      const subject = subjectOf(world, budget);
      const { period, limit } = budget;
      return subject === null ? [] : [{ id: period, entry: { period, ...subject, limit_usd: usdOf(limit) } }];
    }),
  create: setBudget,
  change: (world, _before, entry) => setBudget(world, entry),
  remove: async (world, { entry }) => {
    await world.parts.budgetService.remove(world.by, await nameIn(world, entry));
  },
});
