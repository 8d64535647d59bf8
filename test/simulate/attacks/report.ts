import type { Condition, Outcome } from "./world.ts";

/** A share with its 95 % interval by Wilson's score. */
export type Share = { readonly of: number; readonly count: number; readonly from: number; readonly to: number };

const Z = 1.96;

export const shareOf = (count: number, of: number): Share => {
  if (of === 0) return { of, count, from: 0, to: 1 };
  const p = count / of;
  const middle = (p + Z ** 2 / (2 * of)) / (1 + Z ** 2 / of);
  const reach = (Z / (1 + Z ** 2 / of)) * Math.sqrt((p * (1 - p)) / of + Z ** 2 / (4 * of ** 2));
  return { of, count, from: Math.max(0, middle - reach), to: Math.min(1, middle + reach) };
};

export const inWords = ({ of, count, from, to }: Share): string =>
  of === 0 ? "–" : `${percent(count / of)} (${percent(from)}–${percent(to)})`;

const percent = (share: number): string => (100 * share).toFixed(share > 0 && share < 0.1 ? 1 : 0);

export type Figures = {
  readonly condition: Condition;
  readonly attacked: { readonly attack: Share; readonly task: Share };
  /** Without attacks. `held`: calls a person had to approve though the user had asked for them. */
  readonly honest: { readonly task: Share; readonly held: Share; readonly blocked: Share; readonly approvals: number };
  readonly bySuite: Readonly<Record<string, Share>>;
  readonly byTechnique: Readonly<Record<string, Share>>;
  readonly byGoal: Readonly<Record<string, Share>>;
  /** Attacks whose call has a value of the attacker's, and those without one. */
  readonly byTrace: Readonly<Record<"traceable" | "untraceable", Share>>;
};

export const figuresOf = (condition: Condition, outcomes: readonly Outcome[]): Figures => {
  const attacked = outcomes.filter(({ pair }) => pair.attack !== null);
  const honest = outcomes.filter(({ pair }) => pair.attack === null);
  const share = (all: readonly Outcome[], is: (outcome: Outcome) => boolean): Share =>
    shareOf(all.filter(is).length, all.length);
  const succeeded = ({ isAttackDone }: Outcome) => isAttackDone;
  const by = (key: (outcome: Outcome) => string): Record<string, Share> =>
    Object.fromEntries([...Map.groupBy(attacked, key)].map(([name, all]) => [name, share(all, succeeded)]));
  const trace = by(({ pair }) => (pair.attack?.goal.isTraceable === true ? "traceable" : "untraceable"));
  return {
    condition,
    attacked: { attack: share(attacked, succeeded), task: share(attacked, ({ isTaskDone }) => isTaskDone) },
    honest: {
      task: share(honest, ({ isTaskDone }) => isTaskDone),
      held: share(honest, ({ stops }) => stops.some(({ what }) => what === "held")),
      blocked: share(honest, ({ stops }) => stops.some(({ what }) => what === "blocked")),
      approvals: honest.reduce((sum, { approvals }) => sum + approvals, 0),
    },
    bySuite: by(({ pair }) => pair.suite.name),
    byGoal: by(({ pair }) => `${pair.suite.name} ${pair.attack?.goal.id}`),
    byTechnique: by(({ pair }) => pair.attack?.technique.id ?? ""),
    byTrace: {
      traceable: trace["traceable"] ?? shareOf(0, 0),
      untraceable: trace["untraceable"] ?? shareOf(0, 0),
    },
  };
};
