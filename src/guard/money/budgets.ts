import { COMMANDS, commandLine } from "#core/command-line";
import { GuardError } from "#core/errors";
import type { Agent } from "#model/agent";
import { type Budget, type BudgetScope, lowestBudgets, type ProfileBudget, warnedAt, windowEnd } from "#model/budget";
import { changeRecord, HUB_ACTOR } from "#model/change";
import { nanoOf, shownUsd, usdOf } from "#model/money";
import type { User } from "#model/person";
import type { Clock } from "#platform/clock";
import type { Ids } from "#platform/ids";
import type { BudgetStore, Window } from "#store/money-port";
import { Ledger, type OverBudget, type Share } from "./ledger";

/** What a call may cost, taken off its budgets. It is settled exactly once, however the call ends. */
export type Spending = {
  /** Headers of its answer; empty while little of its budgets is spent. */
  readonly headers: Readonly<Record<string, string>>;
  /** `cost` in nano-dollars. Later calls of this do nothing. */
  settle(cost: number): void;
};

type Caller = { readonly user: Pick<User, "id">; readonly agent: Pick<Agent, "id"> | null };

type BudgetsNeeds = {
  readonly budgets: Pick<BudgetStore, "spend" | "warn" | "forget">;
  readonly now: Clock;
  readonly ids: Ids;
  readonly onFault: (error: unknown) => void;
};

/** How long windows are kept that are over: as long as records are by default. */
const KEPT_MS = 400 * 86_400_000;

/** Holds calls to the budgets that people set. Calls under none cost nothing. */
export class BudgetLimiter {
  private bySubject: ReadonlyMap<string, readonly Budget[]> = new Map();
  private readonly ledger: Ledger;
  private readonly warning = new Set<Promise<unknown>>();

  constructor(private readonly deps: BudgetsNeeds) {
    const { budgets, onFault } = deps;
    const onShare = (budget: Budget, window: Window, percent: number) => this.warn(budget, window, percent);
    this.ledger = new Ledger({ budgets, onFault, onShare });
  }

  apply({ budgets }: { readonly budgets: readonly Budget[] | null }): void {
    if (budgets) this.bySubject = Map.groupBy(budgets, ({ scope, subject_id }) => `${scope} ${subject_id}`);
  }

  get isUnused(): boolean {
    return this.bySubject.size === 0;
  }

  /**
   * The budgets that a caller's calls are under, in an order that is the same for all. `own`: what the agent's profile says;
   * it spends of the same windows as a budget that is set for the agent, and the lower of both limits it.
   */
  of({ user, agent }: Caller, own: readonly ProfileBudget[] = []): readonly Budget[] {
    const of = (scope: BudgetScope, id: string) => this.bySubject.get(`${scope} ${id}`) ?? [];
    const ofAgent = (id: string): readonly Budget[] => {
      const set = of("agent", id);
      if (own.length === 0) return set;
      const said = own.map(({ period, limit_usd }): Budget => {
        return { scope: "agent", subject_id: id, period, limit: nanoOf(limit_usd) };
      });
      return lowestBudgets([...set, ...said]);
    };
    return [...(agent ? ofAgent(agent.id) : []), ...of("user", user.id), ...of("hub", "")];
  }

  /**
   * `amount`: the most the call may cost, in nano-dollars, as far as can be said before. Rejects with
   * `insufficient_quota`, and with `guard_unavailable` when nobody can say what is spent; then nothing is held.
   */
  async reserve(budgets: readonly Budget[], amount: number): Promise<Spending> {
    const decision = await this.ledger.reserve(budgets, amount).catch((error: unknown) => {
      this.deps.onFault(error);
      throw new GuardError(
        "guard_unavailable",
        "What is spent of the budgets cannot be counted at the moment. Try again.",
      );
    });
    if ("over" in decision) throw overBudget(decision.over);
    const { held } = decision;
    let isSettled = false;
    return {
      headers: headersOf(held.shares),
      settle: (cost) => {
        if (isSettled) return;
        isSettled = true;
        this.ledger.settle(held, cost);
      },
    };
  }

  /** Writes what was not; to be called now and then, and when the process stops. */
  async write(): Promise<void> {
    await this.ledger.write();
    await Promise.all(this.warning);
  }

  async forget(): Promise<void> {
    await this.deps.budgets.forget(this.deps.now() - KEPT_MS);
  }

  private warn({ scope, subject_id, period, limit }: Budget, window: Window, percent: number): void {
    const { budgets, ids, now, onFault } = this.deps;
    const detail = {
      scope,
      ...(scope === "agent" && { agent_id: subject_id }),
      ...(scope === "user" && { user_id: subject_id }),
      period,
      percent,
      limit_usd: usdOf(limit),
      window_start: new Date(window.start).toISOString(),
    };
    const change = { kind: "budget.warn", by: HUB_ACTOR, subject: "budget", subject_id: window.name, detail };
    const warned = budgets
      .warn(window, percent, changeRecord(change, { id: ids(), at: now() }))
      .catch(onFault)
      .finally(() => this.warning.delete(warned));
    this.warning.add(warned);
  }
}

/** `agent-day;used=78`, of budgets of which most is spent. */
const headersOf = (shares: readonly Share[]): Readonly<Record<string, string>> => {
  const warned = shares.filter(({ budget, spent }) => warnedAt(spent, budget.limit) > 0);
  if (warned.length === 0) return NONE;
  const said = warned.map(
    ({ budget: { scope, period, limit }, spent }) => `${scope}-${period};used=${Math.floor((spent / limit) * 100)}`,
  );
  return { "x-guard-budget-warning": said.join(", ") };
};

const NONE = {};

const WHOSE: Readonly<Record<BudgetScope, string>> = { agent: "The agent's", user: "The user's", hub: "The hub's" };

/** What all of the hub may spend is not for everybody to know. */
const overBudget = ({ budget: { scope, period, limit }, start, now }: OverBudget): GuardError => {
  const amount = scope === "hub" ? "budget" : `budget of ${shownUsd(limit)} USD`;
  const end = windowEnd(period, start);
  return new GuardError(
    "insufficient_quota",
    `${WHOSE[scope]} ${amount} for the ${period} is spent, or this call would exceed it. It is renewed at ${new Date(end).toISOString()}; an administrator can raise it.`,
    {
      extra: {
        guard: { layer: "budget", rule: `${scope}.${period}`, ...(scope !== "hub" && { limit_usd: usdOf(limit) }) },
      },
      headers: { "retry-after": String(Math.max(1, Math.ceil((end - now) / 1_000))) },
    },
  );
};

/** A call that nobody can say the price of is no way around a budget. */
export const unpriced = (model: string | null, provider: string): GuardError =>
  new GuardError(
    "model_not_allowed",
    `The model ${model ?? "asked for"} has no price at the provider ${provider}, so it cannot be counted against a budget. An administrator can set one: ${commandLine(COMMANDS.setPrice("MODEL"))}.`,
    { param: "model", extra: { guard: { layer: "budget", rule: "unpriced" } } },
  );
