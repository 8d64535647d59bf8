import type { BudgetView } from "#features/money/schema";
import { BUDGET_PERIODS, type BudgetName } from "#model/budget";
import { CLI_ACTOR } from "#model/change";
import { nanoOf, parsedUsd, shownUsd, usdOf } from "#model/money";
import type { Arguments } from "./arguments";
import { EXIT, usage } from "./exit";
import { shortTime } from "./moments";
import { card } from "./output";
import { type CliSession, changing, reading } from "./session";
import type { RunVerb } from "./verb";

const periodIn = (args: Arguments): BudgetName["period"] => {
  const text = args.need("period");
  const period = BUDGET_PERIODS.find((one) => one === text);
  if (period === undefined) throw usage(`--period: one of ${BUDGET_PERIODS.join(", ")}, got "${text}"`);
  return period;
};

const named = async (session: CliSession, args: Arguments): Promise<BudgetName> => {
  const period = periodIn(args);
  const email = args.text("user");
  const given = [args.on("hub"), email !== undefined, args.text("agent") !== undefined].filter(Boolean);
  if (given.length !== 1) throw usage("Say whose budget: --hub, --user EMAIL or --agent AGENT");
  if (args.on("hub")) return { scope: "hub", subject_id: "", period };
  if (email !== undefined) return { scope: "user", subject_id: (await session.access.userByEmail(email)).id, period };
  const agent = await session.access.agent(args.need("agent"), args.text("owner") ?? null);
  return { scope: "agent", subject_id: agent.id, period };
};

const shown = (usd: number): string => shownUsd(nanoOf(usd));

const whose = ({ scope, subject, subject_id }: BudgetView): string =>
  scope === "hub" ? "hub" : `${scope} ${subject ?? subject_id ?? ""}`;

const shareOf = ({ spent_usd, limit_usd }: BudgetView): string =>
  limit_usd > 0 ? `${Math.floor((spent_usd / limit_usd) * 100)} %` : "-";

const cardOf = (view: BudgetView): string =>
  card({
    budget: whose(view),
    period: view.period,
    limit: `${shown(view.limit_usd)} USD`,
    spent: `${shown(view.spent_usd)} USD`,
    window: `${view.window_start} to ${view.window_end}`,
  });

export const listBudgets: RunVerb = async (invocation) => {
  const all = await reading(invocation, ({ parts }) => parts.budgetService.list());
  const rows = all.map((one) => [
    whose(one),
    one.period,
    shown(one.limit_usd),
    shown(one.spent_usd),
    shown(one.reserved_usd),
    shareOf(one),
    shortTime(Date.parse(one.window_end)),
  ]);
  const headings = ["BUDGET", "PERIOD", "LIMIT USD", "SPENT USD", "RESERVED USD", "USED", "RENEWED (UTC)"];
  await invocation.out.result(all, rows.length === 0 ? "No budgets." : invocation.out.table(headings, rows));
  return EXIT.ok;
};

export const setBudget: RunVerb = async (invocation) => {
  const { args, out } = invocation;
  const limit = parsedUsd(args.need("limit"));
  if (limit === null) throw usage(`--limit: US dollars up to 1000000, e.g. 12.50, got "${args.need("limit")}"`);
  const view = await changing(invocation, async (session) =>
    session.parts.budgetService.set(CLI_ACTOR, await named(session, args), usdOf(limit)),
  );
  await out.result(view, cardOf(view));
  return EXIT.ok;
};

export const removeBudget: RunVerb = async (invocation) => {
  const { args, out } = invocation;
  const view = await changing(invocation, async (session) =>
    session.parts.budgetService.remove(CLI_ACTOR, await named(session, args)),
  );
  await out.result({ ...view, removed: true }, `Removed the budget of ${whose(view)} for the ${view.period}.`);
  return EXIT.ok;
};
