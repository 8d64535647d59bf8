import { BUDGET_PERIODS } from "#model/budget";
import type { CliFlag } from "./arguments";
import type { Verb } from "./verb";

const PROVIDER: CliFlag = { value: "NAME", about: "only at this provider; default: at all" };
const AGENT: CliFlag = { value: "AGENT", about: "agent: id or name" };
const OWNER: CliFlag = { value: "EMAIL", about: "owner of the agent, when AGENT is a name" };
const USER: CliFlag = { value: "EMAIL", about: "user, with all calls of their tokens" };
const HUB: CliFlag = { about: "all calls of the hub" };
const PERIOD: CliFlag = {
  value: "PERIOD",
  about: "UTC; weeks begin on Monday",
  values: BUDGET_PERIODS,
  required: true,
};
const price = (about: string): CliFlag => ({ value: "USD", about });

export const MONEY_VERBS: readonly Verb[] = [
  {
    name: "price list",
    summary: "List prices that were set or configured, or what one model costs",
    flags: { model: { value: "MODEL", about: "what this model costs at each provider" } },
    load: () => import("./prices").then((module) => module.listPrices),
  },
  {
    name: "price set",
    summary: "Set the price of a model, in US dollars per million tokens",
    operands: ["MODEL"],
    form: "MODEL --input USD --output USD [--cached-input USD] [--cache-write USD] [--cache-write-1h USD] [--reasoning USD] [--provider NAME]",
    flags: {
      input: { ...price("tokens of the prompt"), required: true },
      output: { ...price("tokens of the answer; 0 for embeddings"), required: true },
      "cached-input": price("tokens of the prompt that are read from a cache; default: as input"),
      "cache-write": price("tokens of the prompt that are written into a cache; default: as input"),
      "cache-write-1h": price("of these, those kept for an hour; default: as cache-write"),
      reasoning: price("tokens of reasoning; default: as output"),
      provider: PROVIDER,
    },
    load: () => import("./prices").then((module) => module.setPrice),
  },
  {
    name: "price remove",
    summary: "Remove a price that was set; the built-in one counts again",
    operands: ["MODEL"],
    flags: { provider: PROVIDER },
    load: () => import("./prices").then((module) => module.removePrice),
  },
  {
    name: "budget list",
    summary: "List budgets and what is spent",
    load: () => import("./budgets").then((module) => module.listBudgets),
  },
  {
    name: "budget set",
    summary: "Set what may be spent in a day, week or month, in US dollars",
    form: "--limit USD --period PERIOD (--hub | --user EMAIL | --agent AGENT [--owner EMAIL])",
    flags: {
      limit: { value: "USD", about: "e.g. 12.50", required: true },
      period: PERIOD,
      hub: HUB,
      user: USER,
      agent: AGENT,
      owner: OWNER,
    },
    load: () => import("./budgets").then((module) => module.setBudget),
  },
  {
    name: "budget remove",
    summary: "Remove a budget",
    form: "--period PERIOD (--hub | --user EMAIL | --agent AGENT [--owner EMAIL])",
    flags: { period: PERIOD, hub: HUB, user: USER, agent: AGENT, owner: OWNER },
    load: () => import("./budgets").then((module) => module.removeBudget),
  },
];
