/**
 * `bun run simulate health` and `bun run simulate drift`: the tables of docs/health.md, from the shipped code.
 * `bun run simulate splits [--cuts N] [--seed N]`: streams of messages and responses, cut at random bytes.
 * `bun run simulate attacks`: agents that obey what tools return, with and without the hub; see docs/detection.md.
 * `bun run simulate gateway`: real tool servers behind the gateway, by every client and dialect, for every kind of caller.
 * `bun run simulate cluster`: several hubs under load, and what must hold while they are killed, stopped and cut off.
 */

import { bandOf, healthOf } from "#model/health/health";
import { type FormName, trySplits } from "#test/support/split-trials";
import { USAGE as ATTACKS_USAGE, attacks } from "./attacks/main.ts";
import { cluster, USAGE } from "./cluster/main.ts";
import { steadyAgents } from "./course.ts";
import { falseAlarms, power, WITH_DRIFT, WITHOUT_DRIFT } from "./drift-samples.ts";
import { USAGE as GATEWAY_USAGE, gateway } from "./gateway/main.ts";
import { situation, TABLE } from "./health-table.ts";

type Cell = string | number;

const table = (head: readonly string[], rows: readonly (readonly Cell[])[]): void => {
  const line = (cells: readonly Cell[]) => `| ${cells.join(" | ")} |`;
  console.log([line(head), line(head.map(() => "---")), ...rows.map(line), ""].join("\n"));
};

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

const health = (): void => {
  const rows = TABLE.map(([name, told]) => {
    const { score, confidence, inputs, caps } = healthOf(situation(told));
    const weakest = inputs.reduce((worst, input) => (input.score < worst.score ? input : worst));
    const key = weakest.score === 1 ? "–" : weakest.key;
    const codes = caps.map(({ code }) => code).join(", ");
    return [name, score ?? "–", score === null ? "–" : bandOf(score), confidence, key, codes === "" ? "–" : codes];
  });
  table(["situation", "score", "band", "confidence", "weakest", "caps"], rows);
};

const drift = (): void => {
  const without = WITHOUT_DRIFT.map((sizes) => {
    const shares = [falseAlarms(sizes, 0.1), falseAlarms(sizes, 0.25), falseAlarms(sizes)];
    return [`${sizes.n} / ${sizes.m}`, ...shares.map(percent)];
  });
  table(["no drift, n / m", "index > 0.10", "index > 0.25", "over our threshold"], without);
  const seen = WITH_DRIFT.map((shift) => [shift.psi, shift.m, shift.level, percent(power(shift))]);
  table(["true index", "m", "is", "in"], seen);
  const hours = steadyAgents(40);
  const share = (status: string) => percent(hours.filter((one) => one === status).length / hours.length);
  table(
    ["agents that stay as they were", "watch", "drifting"],
    [[`${hours.length} hours`, share("watch"), share("drifting")]],
  );
};

const option = (name: string, otherwise: number): number => {
  const at = process.argv.indexOf(`--${name}`);
  const value = at < 0 ? otherwise : Number(process.argv[at + 1]);
  if (!Number.isSafeInteger(value) || value < 0) throw new Error(`--${name} takes a whole number`);
  return value;
};

const DEFAULT_CUTS = 100_000;

const splits = (): void => {
  const [cuts, seed] = [option("cuts", DEFAULT_CUTS), option("seed", Date.now() % 1_000_000_000)];
  const rows = (["messages", "responses"] satisfies FormName[]).map((form) => {
    const { streams, writes, bytes, blocked, ...tried } = trySplits(form, cuts, seed);
    return [form, seed, tried.cuts, streams, writes, `${(bytes / 1e6).toFixed(1)} MB`, blocked];
  });
  table(["form", "seed", "cuts", "streams", "writes", "read", "streams blocked"], rows);
};

const hubs = async (): Promise<void> => {
  process.exitCode = await cluster(process.argv.slice(3));
};

const SIMULATIONS: Readonly<Record<string, () => void | Promise<void>>> = {
  health,
  drift,
  splits,
  attacks: () => attacks(process.argv.slice(3)),
  cluster: hubs,
  gateway: async () => {
    process.exitCode = await gateway(process.argv.slice(3));
  },
};

const simulate = SIMULATIONS[process.argv[2] ?? ""];
if (simulate) await simulate();
else {
  console.error(
    `usage: bun run simulate health | drift | splits [--cuts N] [--seed N]\n       ${ATTACKS_USAGE}\n       ${USAGE}\n       ${GATEWAY_USAGE}`,
  );
  process.exitCode = 2;
}
