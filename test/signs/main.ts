/**
 * `bun run signs`: measures how well the repository can be read, as a table. `--json` gives one JSON value, `--where KEY`
 * what one sign counted. Times are measured by `bun run bench`.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { COMPOSITION_SIGNS } from "./composition";
import { FLOW_SIGNS } from "./flows";
import { LAYOUT_SIGNS } from "./layout";
import { NAME_SIGNS } from "./names";
import { ROUTE_SIGNS } from "./routes";
import type { Sign } from "./sign";
import { STORE_SIGNS } from "./store";
import { readTree } from "./tree";

const SIGNS: readonly Sign[] = [
  ...COMPOSITION_SIGNS,
  ...ROUTE_SIGNS,
  ...LAYOUT_SIGNS,
  ...STORE_SIGNS,
  ...NAME_SIGNS,
  ...FLOW_SIGNS,
];

const { values } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    where: { type: "string" },
    root: { type: "string", default: join(import.meta.dir, "../..") },
  },
});

const wanted = values.where === undefined ? SIGNS : SIGNS.filter(({ key }) => key === values.where);
if (wanted.length === 0)
  throw new Error(`unknown sign ${values.where}; there are ${SIGNS.map(({ key }) => key).join(", ")}`);

const tree = await readTree(values.root);
const measured = await Promise.all(
  wanted.map(async (sign) => {
    const { now, found } = await sign.measure(tree);
    const state = sign.atMost === null ? null : now <= sign.atMost ? "met" : "not met";
    return { key: sign.key, sign: sign.title, now, target: sign.atMost, state, found };
  }),
);

const print = (rows: readonly (readonly string[])[]): void => {
  const widths = [0, 1, 2, 3, 4].map((at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  for (const row of rows) {
    const cells = row.map((cell, at) =>
      at === 2 || at === 3 ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0),
    );
    console.log(cells.join("  ").trimEnd());
  }
};

if (values.json)
  console.log(
    JSON.stringify(
      measured.map(({ found, ...row }) => (values.where ? { ...row, found } : row)),
      null,
      2,
    ),
  );
else if (values.where !== undefined) for (const line of measured.flatMap(({ found }) => found)) console.log(line);
else {
  print([
    ["key", "sign", "now", "target", ""],
    ...measured.map(({ key, sign, now, target, state }) => [
      key,
      sign,
      `${now}`,
      target === null ? "" : `${target}`,
      state ?? "",
    ]),
  ]);
  const held = measured.filter(({ state }) => state !== null);
  console.log(`${held.filter(({ state }) => state === "met").length} of ${held.length} met`);
}
