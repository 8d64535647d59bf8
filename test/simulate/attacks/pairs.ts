import type { Attack, Pair, Suite, Technique } from "./model.ts";

/** Every task alone, then with every attack of its suite. Attacks by definitions do not depend on the task: one is enough. */
export const pairsOf = (suites: readonly Suite[], techniques: readonly Technique[]): Pair[] =>
  suites.flatMap((suite) => {
    const attacks = attacksOf(suite, techniques);
    return suite.tasks.flatMap((task, at): Pair[] => [
      { suite, task, attack: null },
      ...attacks
        .filter(({ technique }) => technique.place === "result" || at === 0)
        .map((attack) => ({ suite, task, attack })),
    ]);
  });

const attacksOf = ({ goals }: Suite, techniques: readonly Technique[]): Attack[] =>
  goals.flatMap((goal) => techniques.map((technique) => ({ goal, technique })));

/** The attacks whose tools are to be listed. */
export const listedAttacks = (pairs: readonly Pair[]): (readonly [Suite, Attack])[] =>
  pairs.flatMap(({ suite, attack }) => (attack?.technique.place === "definition" ? [[suite, attack] as const] : []));
