/*
 * Trains the model behind `injection.classifier`: `bun .ci/train-injection.ts DIR DIR --seed 1` reads the labelled
 * texts of folders, adds texts from grammars, prints figures for sources left out, and writes the weights. `--dry`
 * writes nothing. The same data and seed give the same weights.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Features, type LinearModel } from "#scan/classifier";
import { writeLeftOut } from "#test/eval/everything";
import { leftOutFigures } from "#test/eval/left-out";
import { leftOutText } from "#test/eval/left-out-tables";
import { readLabelled, written } from "./train-injection-data";
import { calibrate, leaveOut } from "./train-injection-left-out";
import { MODEL_BITS, quantised, train } from "./train-injection-model";

const OUTPUT = join(import.meta.dir, "../src/scan/classifier-weights.ts");

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: "string", default: "1" }, dry: { type: "boolean", default: false } },
});
const seed = Number(values.seed);
const features = new Features(MODEL_BITS);
const texts = readLabelled(positionals, features);
const made = written(seed, features);
console.log(`${texts.length} texts read, ${made.length} written`);
const left = leaveOut(texts, made, MODEL_BITS, seed);
const figures = leftOutFigures(left);
console.log(leftOutText(figures));
if (!values.dry) {
  const lessons = [...texts.flatMap((text) => text.lessons), ...made];
  const model: LinearModel = { ...quantised(train(lessons, MODEL_BITS, seed), MODEL_BITS), ...calibrate(left) };
  writeFileSync(
    OUTPUT,
    `import type { LinearModel } from "./classifier";\n\n/** Written by .ci/train-injection.ts; docs/injection-model.md is its model card. */\nexport const INJECTION_MODEL: LinearModel = ${JSON.stringify(model, null, 2)};\n`,
  );
  await writeLeftOut(figures);
}
