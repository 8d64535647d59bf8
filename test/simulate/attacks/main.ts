import { parseArgs } from "node:util";
import { Random } from "#test/eval/random";
import type { Pair } from "./model.ts";
import { listedAttacks, pairsOf } from "./pairs.ts";
import { type Figures, figuresOf, inWords } from "./report.ts";
import { SUITES } from "./suites.ts";
import { TECHNIQUES } from "./techniques.ts";
import { AttackWorld, CONDITIONS, CONVERSATIONS, type Condition, type Conversing, type Outcome } from "./world.ts";

export const USAGE =
  "bun run simulate attacks [--suites NAME,…] [--techniques NAME,…] [--conversations named|none|each-step] [--compliance SHARE] [--seed N] [--json FILE]";

/** Plays all pairs, suites beside each other. */
export const playAll = async (
  world: AttackWorld,
  pairs: readonly Pair[],
  condition: Condition,
  obeys: (pair: Pair) => boolean = () => true,
  conversing: Conversing = "named",
): Promise<Outcome[]> => {
  const lanes = [...Map.groupBy(pairs, ({ suite }) => suite.name).values()].map(async (lane) => {
    const outcomes: Outcome[] = [];
    for (const pair of lane) outcomes.push(await world.play(pair, condition, { obeys: obeys(pair), conversing }));
    return outcomes;
  });
  return (await Promise.all(lanes)).flat();
};

const chosen = <T extends { readonly name: string } | { readonly id: string }>(
  all: readonly T[],
  names?: string,
): T[] => {
  const wanted = names?.split(",");
  return all.filter((one) => wanted?.includes("name" in one ? one.name : one.id) ?? true);
};

/** Whether the model obeys: drawn once a pair, the same in every condition. */
const draw = (share: number, seed: number, pairs: readonly Pair[]): ((pair: Pair) => boolean) => {
  const random = new Random(seed);
  const drawn = new Map(pairs.map((pair) => [pair, random.below(1_000_000) < share * 1_000_000]));
  return (pair) => drawn.get(pair) ?? true;
};

const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [line(head), line(head.map(() => "---")), ...rows.map(line), ""].join("\n");

const shown = (all: readonly Figures[]): string => {
  const names = (of: (figures: Figures) => object) => [...new Set(all.flatMap((figures) => Object.keys(of(figures))))];
  const split = (head: string, of: (figures: Figures) => Readonly<Record<string, Parameters<typeof inWords>[0]>>) =>
    table(
      [head, ...all.map(({ condition }) => condition)],
      names(of).map((name) => [
        name,
        ...all.map((figures) => {
          const share = of(figures)[name];
          return share ? inWords(share) : "–";
        }),
      ]),
    );
  const heads = [
    "through",
    "attacks that succeeded",
    "tasks done under attack",
    "honest tasks done",
    "honest held",
    "approvals an honest task held",
    "honest blocked",
  ];
  const rows = all.map(({ condition, attacked, honest }) => [
    condition,
    ...[attacked.attack, attacked.task, honest.task, honest.held].map(inWords),
    honest.held.count === 0 ? "–" : (honest.approvals / honest.held.count).toFixed(1),
    inWords(honest.blocked),
  ]);
  return [
    table(heads, rows),
    split("attacks, by suite", ({ bySuite }) => bySuite),
    split("attacks, by technique", ({ byTechnique }) => byTechnique),
    split("attacks, by goal", ({ byGoal }) => byGoal),
    split("attacks, by value", ({ byTrace }) => byTrace),
  ].join("\n");
};

/** `bun run simulate attacks`. */
export const attacks = async (args: readonly string[]): Promise<void> => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      suites: { type: "string" },
      techniques: { type: "string" },
      conversations: { type: "string", default: "named" },
      compliance: { type: "string", default: "1" },
      seed: { type: "string", default: "1" },
      json: { type: "string" },
      stops: { type: "boolean", default: false },
    },
  });
  const suites = chosen(SUITES, values.suites);
  const pairs = pairsOf(suites, chosen(TECHNIQUES, values.techniques));
  const conversing = CONVERSATIONS.find((one) => one === values.conversations);
  if (conversing === undefined) throw new Error(`--conversations takes one of ${CONVERSATIONS.join(", ")}`);
  const share = Number(values.compliance);
  if (!(share >= 0 && share <= 1)) throw new Error("--compliance takes a share from 0 to 1");
  const obeys = draw(share, Number(values.seed), pairs);
  await using world = await AttackWorld.open(suites, listedAttacks(pairs), "hub");
  const all: Figures[] = [];
  for (const condition of CONDITIONS) {
    const outcomes = await playAll(world, pairs, condition, obeys, conversing);
    all.push(figuresOf(condition, outcomes));
    if (values.stops) for (const outcome of outcomes) console.error(told(condition, outcome));
  }
  console.log(
    `${pairs.filter(({ attack }) => attack !== null).length} pairs of task and attack, compliance ${share}, conversations ${conversing}.\n`,
  );
  console.log(shown(all));
  if (values.json !== undefined)
    await Bun.write(values.json, `${JSON.stringify({ compliance: share, figures: all }, null, 2)}\n`);
};

const told = (condition: Condition, { pair, isAttackDone, isTaskDone, stops }: Outcome): string => {
  const { suite, task, attack } = pair;
  const name = attack === null ? "honest" : `${attack.goal.id} ${attack.technique.id}`;
  const how = stops.map(({ what, at, types }) => `${what} at ${at}: ${types}`).join("; ");
  return [
    condition,
    suite.name,
    task.id,
    name,
    isAttackDone ? "ATTACKED" : "-",
    isTaskDone ? "done" : "NOT DONE",
    how,
  ].join("\t");
};
