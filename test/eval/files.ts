import { table } from "#test/bench/table";
import { isGoal } from "./label-types";
import { type Counters, falseAlarms, groupBy, percent, type Recall, recall, share } from "./rates";
import type { Seen } from "./seen";

export type FileRow = Recall & {
  /** The file, and the part of it where it has several. */
  readonly name: string;
  readonly positives: number;
  /** Positive records with any finding of their kind, wherever it stands. */
  readonly noticed: number;
  readonly negatives: number;
  /** Negatives wrongly flagged, by what they were taken for. */
  readonly pii: number;
  readonly secret: number;
  readonly injection: number;
  /** Negatives the built-in policy wrongly redacts or blocks. */
  readonly stopped: number;
};

const part = (value: unknown): string => (typeof value === "string" ? `/${value}` : "");

/** One row for each file and `meta.subset` of it. */
export function fileRows(seen: readonly Seen[], counters: Counters): FileRow[] {
  return [...groupBy(seen, ({ sample }) => sample.file + part(sample.meta["subset"]))].map(([name, group]) => {
    const positives = group.filter(({ sample }) => sample.positive);
    const negatives = group.filter(({ sample }) => !sample.positive);
    return {
      name,
      positives: positives.length,
      noticed: positives.filter((one) => counters.recorded(one).some(({ category }) => category === one.sample.kind))
        .length,
      ...recall(positives, counters, isGoal),
      negatives: negatives.length,
      pii: falseAlarms(negatives, counters.recorded, "pii"),
      secret: falseAlarms(negatives, counters.recorded, "secret"),
      injection: falseAlarms(negatives, counters.recorded, "injection"),
      stopped: falseAlarms(negatives, counters.enforced),
    };
  });
}

export const recallTable = (rows: readonly FileRow[]): string =>
  table(
    ["positives", "records", "noticed", "labels", "recall", "IoU ≥ 0.5", "enforced"],
    rows
      .filter(({ positives }) => positives > 0)
      .map((row) => [
        row.name,
        String(row.positives),
        percent(share(row.noticed, row.positives)),
        String(row.labels),
        percent(share(row.found, row.labels)),
        percent(share(row.strict, row.labels)),
        percent(share(row.enforced, row.labels)),
      ]),
  );

export const alarmTable = (rows: readonly FileRow[]): string =>
  table(
    ["negatives", "records", "as pii", "as secret", "as injection", "enforced"],
    rows
      .filter(({ negatives }) => negatives > 0)
      .map((row) => [
        row.name,
        String(row.negatives),
        ...[row.pii, row.secret, row.injection, row.stopped].map((flagged) => percent(share(flagged, row.negatives))),
      ]),
  );
