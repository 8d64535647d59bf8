import type { Budget, BudgetName } from "#model/budget";
import type { PriceRow } from "#model/price";
import type { SerialisedRecord } from "./record";

/* Prices that people set, budgets, and what was spent of them. See `port.ts` for what holds of every method. */

export type PriceStore = {
  list(): Promise<PriceRow[]>;
  /** Also in the place of one for the same models. False when there are `most` already. */
  put(row: PriceRow, record: SerialisedRecord, most: number): Promise<boolean>;
  /** False when there is none. */
  remove(row: Pick<PriceRow, "model" | "provider">, record: SerialisedRecord): Promise<boolean>;
};

/** Nano-dollars of one window: what has been spent, and what calls under way may come to. */
export type Spent = { readonly spent: number; readonly reserved: number };

/** A window of a budget by its name, and when it began. */
export type Window = { readonly name: string; readonly start: number };

export type SpentBefore = {
  /** The time by the store's clock, Unix milliseconds. */
  readonly now: number;
  /** By the names of windows: of other processes, and what is written of this one. */
  readonly others: ReadonlyMap<string, Spent>;
  readonly own: ReadonlyMap<string, Spent>;
};

/** What a process has spent of a window, and holds for its calls under way: all of it, and not how much more. */
export type OwnSpent = Window & Spent;

export type BudgetStore = {
  list(): Promise<Budget[]>;
  /** Also in the place of the one there is. False when there are `most` already. */
  put(budget: Budget, record: SerialisedRecord, most: number): Promise<boolean>;
  /** False when there is none. */
  remove(name: BudgetName, record: SerialisedRecord): Promise<boolean>;
  /** Over all processes; of those that do not live, what they spent. What nobody has spent anything of is not there. */
  spent(windows: (now: number) => readonly Window[]): Promise<ReadonlyMap<string, Spent>>;
  /**
   * One step over all processes: reads what has been spent and is held of some windows, and writes what this one does.
   * `work` may be asked again, when what it made was not written.
   */
  spend(windows: (now: number) => readonly Window[], work: (before: SpentBefore) => readonly OwnSpent[]): Promise<void>;
  /** Notes that a window's spending has reached a share of its budget; false when that was noted before, by whomever. */
  warn(window: Window, percent: number, record: SerialisedRecord): Promise<boolean>;
  /** Drops windows that began before. */
  forget(before: number): Promise<void>;
};
