import { figure, table } from "#test/bench/table";
import { type Rate, rateOf, rateText } from "./interval";
import { answers, isGoal } from "./label-types";
import type { PeerName, PeerRun } from "./peers";
import type { Sample } from "./record";
import { isGeneric, ruleOf } from "./secrets";
import { alarms, type Counting, isFound, overlap, recorded, type Seen } from "./seen";

/** What a program was asked for, on both sides: recall of some labels, and how much of what it said is right. */
export type VersusRow = {
  readonly what: string;
  readonly found: Rate;
  readonly precision: Rate | null;
};

export type Side = {
  readonly name: string;
  readonly version: string;
  readonly rows: readonly VersusRow[];
  readonly microsPerKb: number;
};

export type Versus = { readonly samples: number; readonly ours: Side; readonly peer: Side };

/** The samples that are about what a program looks for. */
export const samplesFor = (name: PeerName, seen: readonly Seen[]): Seen[] =>
  seen.filter(({ sample: { kind, file } }) => {
    if (file === "evasion") return false;
    return name === "gitleaks" ? kind === "secret" || kind === "benign" : kind === "pii";
  });

/** The same samples, the same matching: `seen` are ours, of which the times were taken. */
export function versus(run: PeerRun, seen: readonly Seen[]): Versus {
  const theirs = new Map(seen.map((one, at) => [one, run.findings[at] ?? []]));
  const units = seen.reduce((sum, { sample }) => sum + sample.text.length, 0);
  const micros = seen.reduce((sum, one) => sum + (one.micros ?? 0), 0);
  const rows = run.name === "gitleaks" ? secretRows : personalRows;
  return {
    samples: seen.length,
    ours: { name: "guardhouse", version: "", rows: rows(seen, recorded), microsPerKb: (micros * 1024) / units },
    peer: {
      name: run.name,
      version: run.version,
      rows: rows(seen, (one) => theirs.get(one) ?? []),
      microsPerKb: (run.seconds * 1e6 * 1024) / units,
    },
  };
}

function secretRows(seen: readonly Seen[], counts: Counting): VersusRow[] {
  const labelled = seen.filter(({ sample }) => sample.positive);
  const negatives = seen.filter(({ sample }) => !sample.positive);
  const found = (what: string, own: readonly Seen[]): VersusRow => {
    const labels = own.flatMap((one) => one.sample.labels.map((label) => isFound(label, counts(one))));
    return { what, found: rateOf(labels.filter(Boolean).length, labels.length), precision: null };
  };
  const flagged = (what: string, isOwn: (sample: Sample) => boolean): VersusRow => {
    const own = negatives.filter(({ sample }) => isOwn(sample));
    const wrong = own.filter((one) => alarms(one, counts(one)).some(({ category }) => category === "secret"));
    return { what, found: rateOf(wrong.length, own.length), precision: null };
  };
  return [
    found(
      "vendors' secrets found",
      labelled.filter((one) => !isGeneric(ruleOf(one))),
    ),
    found(
      "generic credentials found",
      labelled.filter((one) => isGeneric(ruleOf(one))),
    ),
    flagged("look-alikes, lock files, prompts, code flagged", ({ file }) => !file.startsWith("secrets_gitleaks")),
    flagged("gitleaks' own false positives flagged", ({ file }) => file.startsWith("secrets_gitleaks")),
  ];
}

function personalRows(seen: readonly Seen[], counts: Counting): VersusRow[] {
  const types = [...new Set(seen.flatMap(({ sample }) => sample.labels.map(({ type }) => type)))].filter(isGoal).sort();
  return types.map((type) => {
    const labels = seen.flatMap((one) =>
      one.sample.labels.filter((label) => label.type === type).map((label) => isFound(label, counts(one))),
    );
    const claims = seen.flatMap((one) =>
      counts(one)
        .filter((finding) => answers(finding, type))
        .map((finding) => one.sample.labels.some((label) => overlap(finding, label) && answers(finding, label.type))),
    );
    return {
      what: type,
      found: rateOf(labels.filter(Boolean).length, labels.length),
      precision: rateOf(claims.filter(Boolean).length, claims.length),
    };
  });
}

export function versusText({ samples, ours, peer }: Versus): string {
  const precision = ({ precision: rate }: VersusRow): string => (rate === null ? "" : rateText(rate));
  return [
    `${peer.name} ${peer.version}, on ${samples} samples`,
    table(
      [peer.name, "of", "here", "there", "precision here", "there"],
      [
        ...ours.rows.map((row, at) => {
          const other = peer.rows[at];
          return [
            row.what,
            String(row.found.of),
            rateText(row.found),
            other ? rateText(other.found) : "–",
            precision(row),
            other ? precision(other) : "–",
          ];
        }),
        ["CPU, µs/KB", "", figure(ours.microsPerKb, 0), figure(peer.microsPerKb, 0), "", ""],
      ],
    ),
  ].join("\n\n");
}
