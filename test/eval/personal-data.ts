import { table } from "#test/bench/table";
import { answers, isGoal } from "./label-types";
import { type Counters, groupBy, harmonic, percent, type Recall, recall, share } from "./rates";
import { overlap, type Seen } from "./seen";

export type LabelRow = Recall & { readonly type: string; readonly precision: number; readonly f1: number };

export type FlagRow = {
  readonly flag: string;
  readonly findings: number;
  /** On a label of that kind. */
  readonly right: number;
  /** On no label at all. */
  readonly beside: number;
};

const isPii = ({ sample }: Seen): boolean => sample.kind === "pii" && sample.file !== "evasion";

/** What was found of each kind of personal data, and how much of what was flagged as it is it. */
export function labelRows(seen: readonly Seen[], counters: Counters): LabelRow[] {
  const personal = seen.filter(isPii);
  const types = [...new Set(personal.flatMap(({ sample }) => sample.labels.map(({ type }) => type)))].sort();
  return types.filter(isGoal).map((type) => {
    let claims = 0;
    let right = 0;
    for (const one of personal) {
      for (const finding of counters.recorded(one).filter((it) => answers(it, type))) {
        claims++;
        if (one.sample.labels.some((label) => overlap(finding, label) && answers(finding, label.type))) right++;
      }
    }
    const rates = recall(personal, counters, (name) => name === type);
    const precision = share(right, claims);
    return { type, ...rates, precision, f1: harmonic(precision, share(rates.found, rates.labels)) };
  });
}

export function flagRows(seen: readonly Seen[], counters: Counters): FlagRow[] {
  const claims = seen
    .filter(isPii)
    .flatMap((one) => counters.recorded(one).map((finding) => ({ finding, labels: one.sample.labels })))
    .filter(({ finding }) => finding.category === "pii");
  return [...groupBy(claims, ({ finding }) => finding.type)].sort().map(([flag, group]) => ({
    flag,
    findings: group.length,
    right: group.filter(({ finding, labels }) =>
      labels.some((label) => overlap(finding, label) && answers(finding, label.type)),
    ).length,
    beside: group.filter(({ finding, labels }) => !labels.some((label) => overlap(finding, label))).length,
  }));
}

export const labelTable = (rows: readonly LabelRow[]): string =>
  table(
    ["label", "labels", "recall", "IoU ≥ 0.5", "precision", "F1", "redacted or blocked"],
    rows.map((row) => [
      row.type,
      String(row.labels),
      percent(share(row.found, row.labels)),
      percent(share(row.strict, row.labels)),
      percent(row.precision),
      percent(row.f1),
      percent(share(row.enforced, row.labels)),
    ]),
  );

export const flagTable = (rows: readonly FlagRow[]): string =>
  table(
    ["flag type", "findings", "precision", "on no label"],
    rows.map(({ flag, findings, right, beside }) => [
      flag,
      String(findings),
      percent(share(right, findings)),
      String(beside),
    ]),
  );
