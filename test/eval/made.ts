import { ATTACKS } from "./made-attacks";
import { NUMBERS, STRINGS, WORDS } from "./made-harmless";
import type { Maker } from "./made-personal-data";
import { PERSONAL_DATA } from "./made-personal-data";
import { SECRETS } from "./made-secrets";
import { NO_SECRETS } from "./made-secrets-harmless";
import { Random } from "./random";
import type { Sample } from "./record";

type Kind = Sample["kind"];

/** Samples with labels, made by rule from a seed: no value in them belongs to anybody. */
export function madeSamples(seed: number, each: number): Sample[] {
  const random = new Random(seed);
  return [
    ...positives("pii", PERSONAL_DATA, each, random),
    ...positives("secret", SECRETS, each, random),
    ...positives("injection", ATTACKS, each, random),
    ...negatives("pii", NUMBERS, each, random),
    ...negatives("secret", [...STRINGS, ...NO_SECRETS], each, random),
    ...negatives("injection", WORDS, each, random),
  ];
}

function positives(kind: Kind, makers: readonly Maker[], each: number, random: Random): Sample[] {
  return makers.flatMap(({ type, make, frames }, at) =>
    Array.from({ length: each }, (_, i): Sample => {
      const value = make(random);
      const frame = random.pick(frames);
      const start = frame.indexOf("@");
      const text = frame.slice(0, start) + value + frame.slice(start + 1);
      const labels = [{ type, start, end: start + value.length }];
      return {
        id: `${type}-${at}-${i}`,
        file: "made",
        kind,
        positive: true,
        text,
        lang: "en",
        labels,
        meta: { maker: at },
      };
    }),
  );
}

function negatives(
  kind: Kind,
  makers: readonly ((random: Random) => string)[],
  each: number,
  random: Random,
): Sample[] {
  return makers.flatMap((make, at) =>
    Array.from({ length: each }, (_, i): Sample => {
      const id = `${kind}-harmless-${at}-${i}`;
      return {
        id,
        file: "made",
        kind,
        positive: false,
        text: make(random),
        lang: "en",
        labels: [],
        meta: { maker: at },
      };
    }),
  );
}
