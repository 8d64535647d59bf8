import { GuardError } from "#core/errors";
import type { Agent } from "#model/agent";
import { type Budget, type BudgetName, windowEnd, windowName, windowStart } from "#model/budget";
import { type Actor, changeRecord } from "#model/change";
import { nanoOf, usdOf } from "#model/money";
import { maySee, READING_ROLES } from "#model/ownership";
import type { User } from "#model/person";
import { type Clock, timestamp } from "#platform/clock";
import type { Ids } from "#platform/ids";
import type { BudgetStore } from "#store/money-port";
import type { BudgetView } from "./schema";
import type { SpendService } from "./spend-service";

type BudgetServiceNeeds = {
  readonly budgets: BudgetStore;
  readonly agent: (id: string) => Promise<Agent | null>;
  readonly user: (id: string) => Promise<User | null>;
  readonly spend: SpendService;
  readonly now: Clock;
  readonly ids: Ids;
};

const MAX_BUDGETS = 20_000;

/** Budgets as people look after them. */
export class BudgetService {
  constructor(private readonly deps: BudgetServiceNeeds) {}

  /** All of them, with what is spent. */
  async list(): Promise<BudgetView[]> {
    return this.shown(await this.deps.budgets.list());
  }

  /** Members see their own, and those of their agents. */
  async seenBy(user: User): Promise<BudgetView[]> {
    const all = await this.deps.budgets.list();
    if (READING_ROLES.includes(user.role)) return this.shown(all);
    const seen = await Promise.all(all.map((budget) => this.isSeen(user, budget)));
    return this.shown(all.filter((_, at) => seen[at]));
  }

  private async isSeen(user: User, { scope, subject_id }: Budget): Promise<boolean> {
    if (scope === "user") return subject_id === user.id;
    const agent = scope === "agent" ? await this.deps.agent(subject_id) : null;
    return agent !== null && maySee(user, agent);
  }

  /** Throws `invalid_value`, `not_found`; `state_conflict` when there are too many. */
  async set(by: Actor, name: BudgetName, limitUsd: number): Promise<BudgetView> {
    await this.subjectOf(name);
    const limit = nanoOf(limitUsd);
    if (!(limitUsd >= 0 && limit <= MAX_LIMIT)) {
      throw new GuardError("invalid_value", "The limit must be 0 to 1000000 US dollars.", { param: "limit_usd" });
    }
    const budget = { ...name, limit };
    const record = this.record(by, "budget.set", name, { ...detailOf(name), limit_usd: usdOf(limit) });
    if (!(await this.deps.budgets.put(budget, record, MAX_BUDGETS))) {
      throw new GuardError("state_conflict", `The limit of ${MAX_BUDGETS} budgets is reached. Remove one first.`);
    }
    return this.one(budget);
  }

  /** What is spent stays noted, and counts again when one is set in the same window. Throws `not_found`. */
  async remove(by: Actor, name: BudgetName): Promise<BudgetView> {
    const budget = (await this.deps.budgets.list()).find((one) => idOf(one) === idOf(name));
    if (!budget) throw noBudget();
    const view = await this.one(budget);
    if (!(await this.deps.budgets.remove(name, this.record(by, "budget.remove", name, detailOf(name)))))
      throw noBudget();
    return view;
  }

  private async one(budget: Budget): Promise<BudgetView> {
    const [view] = await this.shown([budget]);
    if (!view) throw noBudget();
    return view;
  }

  private async shown(all: readonly Budget[]): Promise<BudgetView[]> {
    // Windows begin by the store's clock; what is shown may be a moment old.
    let at = this.deps.now();
    const spent = await this.deps.budgets.spent((now) => {
      at = now;
      return all.map((budget) => {
        const start = windowStart(budget.period, now);
        return { name: windowName(budget, start), start };
      });
    });
    return Promise.all(
      all.map(async (budget) => {
        const { scope, subject_id, period, limit } = budget;
        const start = windowStart(period, at);
        const end = windowEnd(period, start);
        const sums = spent.get(windowName({ scope, subject_id, period }, start)) ?? { spent: 0, reserved: 0 };
        const expected = await this.deps.spend.expectedOf(budget, sums.spent, end);
        return {
          object: "budget" as const,
          scope,
          subject_id: scope === "hub" ? null : subject_id,
          subject: await this.nameOf({ scope, subject_id, period }),
          period,
          limit_usd: usdOf(limit),
          spent_usd: usdOf(sums.spent),
          reserved_usd: usdOf(sums.reserved),
          expected_usd: expected === null ? null : usdOf(expected),
          window_start: timestamp(start),
          window_end: timestamp(end),
        };
      }),
    );
  }

  private async nameOf({ scope, subject_id }: BudgetName): Promise<string | null> {
    if (scope === "hub") return null;
    if (scope === "agent") return (await this.deps.agent(subject_id))?.name ?? null;
    return (await this.deps.user(subject_id))?.email ?? null;
  }

  /** Throws `invalid_value`, `not_found`. */
  private async subjectOf(name: BudgetName): Promise<void> {
    const { scope, subject_id } = name;
    if (scope === "hub" && subject_id !== "") throw noSubject("The hub's budget has no subject.");
    if (scope !== "hub" && subject_id === "") throw noSubject(`Say whose budget it is: the id of the ${scope}.`);
    if (scope !== "hub" && (await this.nameOf(name)) === null) {
      throw new GuardError("not_found", `There is no such ${scope}.`, { param: "subject_id" });
    }
  }

  private record(by: Actor, kind: string, name: BudgetName, detail: Readonly<Record<string, unknown>>): string {
    const change = { kind, by, subject: "budget", subject_id: idOf(name), detail };
    return changeRecord(change, { id: this.deps.ids(), at: this.deps.now() });
  }
}

const MAX_LIMIT = nanoOf(1_000_000);

const idOf = ({ scope, subject_id, period }: BudgetName): string => `${scope}/${subject_id}/${period}`;

const detailOf = ({ scope, subject_id, period }: BudgetName) => ({
  scope,
  ...(scope === "agent" && { agent_id: subject_id }),
  ...(scope === "user" && { user_id: subject_id }),
  period,
});

const noSubject = (message: string): GuardError => new GuardError("invalid_value", message, { param: "subject_id" });

const noBudget = (): GuardError => new GuardError("not_found", "There is no such budget.");
