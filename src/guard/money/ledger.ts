import { type Budget, warnedAt, windowName, windowStart } from "#model/budget";
import type { BudgetStore, Spent, SpentBefore, Window } from "#store/money-port";

/** Reservations that are decided in one step. */
const MAX_TOGETHER = 64;
/** Windows that are kept in memory although nothing of them is held. */
const MAX_ACCOUNTS = 2_000;

/** A window of a budget that this process spends of. */
type Account = {
  readonly window: Window;
  budget: Budget;
  spent: number;
  reserved: number;
  /** The share that people were warned of, in percent. */
  warned: number;
};

/** What of a budget was spent when a call began, in nano-dollars. */
export type Share = { readonly budget: Budget; readonly start: number; readonly spent: number };

/** What a call holds of the budgets it is under, from its begin to its end. */
export type Held = {
  readonly amount: number;
  readonly accounts: readonly Account[];
  readonly shares: readonly Share[];
};

/** A budget that a call would be over. `now`: by the store's clock. */
export type OverBudget = Share & { readonly now: number };

export type Decision = { readonly held: Held } | { readonly over: OverBudget };

type Failure = { readonly error: unknown };

type Asked = {
  readonly budgets: readonly Budget[];
  readonly amount: number;
  decision: Decision | null;
  readonly done: (failure: Failure | null) => void;
};

type LedgerNeeds = {
  readonly budgets: Pick<BudgetStore, "spend">;
  /** Told of each share of a window that its spending reaches, as far as this process sees it. */
  readonly onShare: (budget: Budget, window: Window, percent: number) => void;
  /** What calls have cost was not written; it is tried again with the next. */
  readonly onFault: (error: unknown) => void;
};

/**
 * What this process has spent of budgets, and holds for its calls under way. Each process writes its own: all of it, and
 * not how much more, so that what is written twice counts once. Whether a call fits is decided in one step over all
 * processes. Writes go one after the other: a later one never comes before an earlier.
 */
export class Ledger {
  private readonly accounts = new Map<string, Account>();
  private readonly changed = new Set<Account>();
  private waiting: Asked[] = [];
  private isWriting = false;
  private written: Promise<void> = Promise.resolve();

  constructor(private readonly deps: LedgerNeeds) {}

  /** Rejects when it could not be decided; then nothing is held. */
  async reserve(budgets: readonly Budget[], amount: number): Promise<Decision> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const done = (failure: Failure | null) => (failure === null ? resolve() : reject(failure.error));
    const asked: Asked = { budgets, amount, decision: null, done };
    this.waiting.push(asked);
    this.write().catch(() => {
      // Told to each call that waits for it.
    });
    await promise;
    if (asked.decision === null) throw new Error("A reservation was not decided");
    return asked.decision;
  }

  /** What the call really cost takes the place of what it held; to be called once. */
  settle({ amount, accounts }: Held, cost: number): void {
    for (const account of accounts) {
      account.reserved -= amount;
      account.spent += cost;
      this.changed.add(account);
    }
    this.write().catch(this.deps.onFault);
  }

  /** Writes what was not, and waits for it. */
  write(): Promise<void> {
    if (!this.isWriting) this.written = this.writeAll();
    return this.written;
  }

  private async writeAll(): Promise<void> {
    this.isWriting = true;
    try {
      while (this.waiting.length > 0 || this.changed.size > 0)
        await this.writeSome(this.waiting.splice(0, MAX_TOGETHER));
      if (this.accounts.size > MAX_ACCOUNTS) this.forgetIdle();
    } finally {
      this.isWriting = false;
    }
  }

  private forgetIdle(): void {
    for (const [name, { reserved }] of this.accounts) if (reserved === 0) this.accounts.delete(name);
  }

  private async writeSome(some: readonly Asked[]): Promise<void> {
    let rows: readonly Row[] = [];
    try {
      let changed: readonly Account[] = [];
      const windows = (now: number): Window[] => {
        changed = [...this.changed];
        const wanted = some.flatMap(({ budgets }) => budgets.map((budget) => windowOf(budget, now)));
        return [...changed.map(({ window }) => window), ...wanted];
      };
      await this.deps.budgets.spend(windows, (before) => {
        for (const one of some) this.takeBack(one);
        for (const one of some) one.decision = this.decided(one, before);
        const held = some.flatMap(({ decision }) => heldOf(decision)?.accounts ?? []);
        rows = [...new Set([...changed, ...held])].map((account) => rowOf(account, before));
        return rows;
      });
    } catch (error) {
      for (const one of some) this.takeBack(one);
      // Who waits behind them would wait for a store that does not answer.
      for (const { done } of [...some, ...this.waiting.splice(0)]) done({ error });
      throw error;
    }
    for (const { account, spent, reserved, total } of rows) {
      if (account.spent === spent && account.reserved === reserved) this.changed.delete(account);
      this.warn(account, total);
    }
    for (const { done } of some) done(null);
  }

  /** Of a try that was not written. */
  private takeBack(asked: Asked): void {
    const held = heldOf(asked.decision);
    asked.decision = null;
    if (held === null) return;
    for (const account of held.accounts) {
      account.reserved -= held.amount;
      this.changed.add(account);
    }
  }

  /** All of it or nothing. */
  private decided({ budgets, amount }: Asked, before: SpentBefore): Decision {
    const { now, others } = before;
    const accounts = budgets.map((budget) => this.accountOf(budget, before));
    const shares: Share[] = [];
    for (const { window, budget, spent, reserved } of accounts) {
      const other = others.get(window.name) ?? NOTHING;
      const share = { budget, start: window.start, spent: spent + other.spent };
      if (share.spent + reserved + other.reserved + amount > budget.limit) return { over: { ...share, now } };
      shares.push(share);
    }
    for (const account of accounts) account.reserved += amount;
    return { held: { amount, accounts, shares } };
  }

  private accountOf(budget: Budget, { now, own }: SpentBefore): Account {
    const window = windowOf(budget, now);
    const known = this.accounts.get(window.name);
    if (known) return Object.assign(known, { budget });
    const { spent } = own.get(window.name) ?? NOTHING;
    const account: Account = { window, budget, spent, reserved: 0, warned: 0 };
    this.accounts.set(window.name, account);
    return account;
  }

  private warn(account: Account, total: number): void {
    const { budget, window, warned } = account;
    const percent = warnedAt(total, budget.limit);
    account.warned = percent;
    if (percent > warned) this.deps.onShare(budget, window, percent);
  }
}

const NOTHING: Spent = { spent: 0, reserved: 0 };

/** What is written of an account, and what all processes have spent of its window. */
type Row = Window & Spent & { readonly account: Account; readonly total: number };

const rowOf = (account: Account, { others }: SpentBefore): Row => {
  const { window, spent, reserved } = account;
  return { ...window, spent, reserved, account, total: spent + (others.get(window.name) ?? NOTHING).spent };
};

const heldOf = (decision: Decision | null): Held | null =>
  decision !== null && "held" in decision ? decision.held : null;

const windowOf = (budget: Budget, now: number): Window => {
  const start = windowStart(budget.period, now);
  return { name: windowName(budget, start), start };
};
