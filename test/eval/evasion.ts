import { table } from "#test/bench/table";
import { type Counters, groupBy, percent, share } from "./rates";
import type { Sample } from "./record";
import { isFound, overlap, type Seen, scanSamples } from "./seen";

/** What it takes to see through a disguise. */
export const CLASSES = ["normalising", "decoding", "optional"] as const;
export type Class = (typeof CLASSES)[number];

export type EvasionRow = {
  readonly transform: string;
  readonly class: Class;
  readonly kind: string;
  readonly labels: number;
  readonly found: number;
  /** Found where the same value stands undisguised in the same words. */
  readonly plain: number;
  readonly both: number;
  /** Covered by any finding, if only one that says that something is hidden. */
  readonly noticed: number;
};

const OPTIONAL = ["rlo_reversed", "newline_split", "rot13", "reversed", "typoglycemia"];

const said = (sample: Sample, name: string): string => {
  const value = sample.meta[name];
  return typeof value === "string" ? value : "";
};

function classOf(sample: Sample): Class {
  if (OPTIONAL.includes(said(sample, "transform"))) return "optional";
  return said(sample, "needs").startsWith("decode") ? "decoding" : "normalising";
}

/** The sample without its disguise; undefined for one that tells of none. */
function undisguised(sample: Sample): Sample | undefined {
  const [label] = sample.labels;
  const original = said(sample, "original");
  if (label === undefined || original === "") return undefined;
  const text = sample.text.slice(0, label.start) + original + sample.text.slice(label.end);
  return { ...sample, text, labels: [{ ...label, end: label.start + original.length }] };
}

type Trial = { readonly disguised: Seen; readonly plain: Seen };

export function evasionRows(seen: readonly Seen[], counters: Counters): EvasionRow[] {
  const found = ({ sample, ...rest }: Seen): boolean =>
    sample.labels.every((label) => isFound(label, counters.recorded({ sample, ...rest })));
  return [
    ...groupBy(trials(seen), ({ disguised }) => `${said(disguised.sample, "transform")} ${disguised.sample.kind}`),
  ]
    .map(([name, group]): EvasionRow => {
      const [transform = "", kind = ""] = name.split(" ");
      return {
        transform,
        kind,
        class: group[0] ? classOf(group[0].disguised.sample) : "optional",
        labels: group.length,
        found: group.filter(({ disguised }) => found(disguised)).length,
        plain: group.filter(({ plain }) => found(plain)).length,
        both: group.filter(({ plain, disguised }) => found(plain) && found(disguised)).length,
        noticed: group.filter(({ disguised }) =>
          counters.recorded(disguised).some((it) => disguised.sample.labels.some((label) => overlap(it, label))),
        ).length,
      };
    })
    .sort((one, other) => (one.class < other.class ? -1 : Number(one.class > other.class)));
}

function trials(seen: readonly Seen[]): Trial[] {
  const disguised = seen.filter(({ sample }) => sample.file === "evasion");
  return disguised.flatMap((one) => {
    const sample = undisguised(one.sample);
    const [plain] = sample === undefined ? [] : scanSamples([sample], { origin: one.origin });
    return plain === undefined ? [] : [{ disguised: one, plain }];
  });
}

/** How much of what is found undisguised is still found, over all rows of a class. */
export function kept(rows: readonly EvasionRow[], wanted: Class): number {
  const own = rows.filter((row) => row.class === wanted);
  return share(
    own.reduce((sum, { both }) => sum + both, 0),
    own.reduce((sum, { plain }) => sum + plain, 0),
  );
}

/** Harmless texts in the same scripts and characters. */
export const controls = (seen: readonly Seen[]): Seen[] =>
  seen.filter(({ sample }) => sample.file === "evasion" && !sample.positive);

export const evasionTable = (rows: readonly EvasionRow[]): string =>
  table(
    ["disguise", "class", "kind", "labels", "plain", "recall", "any flag"],
    rows.map((row) => [
      row.transform,
      row.class,
      row.kind,
      String(row.labels),
      percent(share(row.plain, row.labels)),
      percent(share(row.found, row.labels)),
      percent(share(row.noticed, row.labels)),
    ]),
  );
