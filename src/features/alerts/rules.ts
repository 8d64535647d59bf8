import { type AlertRule, DEFAULT_RULES } from "#model/alert";
import type { AlertStore } from "#store/alert-port";

/** All rules: the built-in ones, as they were changed, then those that were added. */
export const rulesOf = async (alerts: Pick<AlertStore, "rules">): Promise<AlertRule[]> => {
  const stored = new Map((await alerts.rules()).map((rule) => [rule.id, rule]));
  const builtIn = DEFAULT_RULES.map((rule) => stored.get(rule.id) ?? rule);
  return [...builtIn, ...[...stored.values()].filter(({ id }) => !isBuiltIn(id))];
};

export const isBuiltIn = (id: string): boolean => DEFAULT_RULES.some((rule) => rule.id === id);
