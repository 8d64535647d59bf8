/*
 * Trains the tagger behind `pii.name`: `bun .ci/train-names.ts DIR --lists FOLDER --seed 1` takes names and places from
 * packages in FOLDER, writes sentences with them, reads the harmless texts of DIR, prints figures for sentences left out,
 * and writes the weights. `--held FILE` measures on labelled samples that nothing is learned from; `--dry` writes nothing.
 * The same data and seed give the same weights.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { lexiconOf } from "#scan/tagger/lexicon";
import { Tagger, type TaggerModel } from "#scan/tagger/tagger";
import {
  hiddenNames,
  lessonsOf,
  lexiconWords,
  madeSamples,
  readTexts,
  smallWords,
  weakSamples,
} from "./train-names-data";
import { readLists } from "./train-names-lists";
import type { Sample } from "./train-names-made";
import { quantised, train } from "./train-names-model";
import { measure, readSamples, scannerOf } from "./train-names-report";

const BITS = 15;
const OUTPUT = join(import.meta.dir, "../src/scan/tagger/weights.ts");
/** By label. Sentences are easier than what people write, so that a margin means less there than in training. */
const CALIBRATION = [
  { slope: 1, offset: 0 },
  { slope: 0.4, offset: -0.4 },
  { slope: 0.4, offset: -0.4 },
  { slope: 0.5, offset: 0.3 },
];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: "string", default: "1" },
    lists: { type: "string", default: "." },
    held: { type: "string", multiple: true, default: [] },
    show: { type: "string", default: "0" },
    dry: { type: "boolean", default: false },
  },
});
const seed = Number(values.seed);
const lists = await readLists(values.lists);
const texts = readTexts(positionals[0] ?? ".", join(import.meta.dir, "../node_modules"));
const made = madeSamples(lists, smallWords(texts), seed);
const weak = weakSamples(texts);
console.log(
  `${texts.length} texts read, ${made.length} written; ${lists.first.size} first and ${lists.last.size} last names, ${lists.places.size} places`,
);

const whole = lexiconOf(lexiconWords(lists, texts, () => false));
const hidden = lexiconOf(lexiconWords(lists, texts, hiddenNames(seed)));
console.log(`${lexiconWords(lists, texts, () => false).size} words`);

const modelOf = (samples: readonly Sample[]): TaggerModel => {
  const blank = { bits: BITS, weights: new Uint8Array(4 << BITS).toBase64(), scale: 1, calibration: CALIBRATION };
  const tagger = new Tagger({ ...blank, lexicon: hidden });
  const lessons = samples.flatMap((sample) => lessonsOf(sample, tagger, BITS));
  console.log(`${lessons.length} words to learn from`);
  return { lexicon: whole, bits: BITS, ...quantised(train(lessons, BITS, seed)), calibration: CALIBRATION };
};

const isLeftOut = ({ pattern }: Sample): boolean => pattern % 5 === 3;
const tried = modelOf([...made.filter((sample) => !isLeftOut(sample)), ...weak]);
console.log("sentences left out:");
measure(
  made.filter(isLeftOut).filter((_, i) => i % 20 === 0),
  scannerOf(tried),
);
const model = modelOf([...made, ...weak]);
for (const file of values.held) {
  console.log(file);
  measure(readSamples(file), scannerOf(model), Number(values.show));
}
if (!values.dry) {
  writeFileSync(
    OUTPUT,
    `import type { TaggerModel } from "./tagger";\n\n/** Written by .ci/train-names.ts; docs/name-model.md is its model card. */\nexport const TAGGER_MODEL: TaggerModel = ${JSON.stringify(model, null, 2)};\n`,
  );
}
