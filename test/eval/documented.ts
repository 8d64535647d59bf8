import { DEFAULT_POLICY } from "#scan/defaults";
import { ORIGINS } from "#scan/detector";
import { ruleFor, type Thresholds } from "#scan/policy";
import type { Verdict } from "#test/bench/bar";
import { figure } from "#test/bench/table";
import type { GroupRow } from "./breakdown";
import type { Calibration, ScoreRow } from "./calibration";
import type { Class } from "./evasion";
import type { FileRow } from "./files";
import { rateOf, rateText } from "./interval";
import {
  LEFT_OUT_HEAD,
  LEFT_OUT_SCORES_HEAD,
  type LeftOutFigures,
  type LeftOutRow,
  leftOutCells,
  leftOutTables,
} from "./left-out-tables";
import type { LabelRow } from "./personal-data";
import type { Recall } from "./rates";
import type { Compared } from "./streamed";
import type { Versus } from "./versus";

/** What `docs/detection.json` holds: the figures of the tables in docs/detection.md, as counts. */
export type Documented = {
  readonly samples: number;
  /** Nothing was tuned to these samples; otherwise their figures are in-sample. */
  readonly unseen: boolean;
  readonly targets: readonly Verdict[];
  readonly labels: readonly LabelRow[];
  readonly vendor: Recall;
  readonly generic: Recall;
  readonly files: readonly FileRow[];
  readonly disguises: readonly { readonly class: Class; readonly plain: number; readonly both: number }[];
  readonly languages: readonly GroupRow[];
  readonly streamed: readonly GroupRow[];
  readonly compared: Compared;
  readonly calibration: Calibration;
  readonly peers: readonly Versus[];
  readonly leftOut: LeftOutFigures | undefined;
};

/** Samples whose name says little to who does not have them. */
const TITLES: Readonly<Record<string, string>> = {
  "injection_authored_indirect/explicit": "explicit instructions in documents",
  "injection_bipia_indirect/implicit": "implicit injections",
  "injection_bipia_indirect/context-clean": "mails, tables, code",
  injection_compass: "Chinese",
  injection_deepset: "deepset",
  "injection_jailbreaks_wild/jailbreak": "jailbreaks in the wild",
  "injection_xstest_safe/over-defence": "trigger words",
  benign_code_docs: "programming exercises",
  "benign_code_docs/code/docs": "code and its documents",
  "benign_mentions_of_attacks/mentions": "texts about attacks",
  "benign_prompts/role-play benign": "prompts that give a role",
  benign_prompts: "prompts",
  evasion: "disguised, and controls",
  pii_authored_hard_negatives: "numbers",
  pii_national_ids: "national numbers, right and wrong",
  pii_phones: "telephone numbers",
  pii_presidio_research: "sentences from templates",
  secrets_authored_lookalikes: "placeholders, digests",
  secrets_gitleaks: "gitleaks' vectors",
  secrets_lockfiles: "lock files",
};

const title = (name: string): string => TITLES[name] ?? name;
/** Fewer texts of a language say nothing of it. */
const MIN_TEXTS = 50;

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");

const counted = (count: number, of: number): string => rateText(rateOf(count, of));

/** The parts of docs/detection.md by their names. */
export function detectionTables(all: Documented): (readonly [name: string, text: string])[] {
  const mark = all.unseen ? "no" : "yes";
  const told = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
    table(
      [...head, "In-sample"],
      rows.map((row) => [...row, mark]),
    );
  return [
    [
      "detection targets",
      told(
        ["Target", "Limit", "Measured", ""],
        all.targets.map(({ name, limit, measured, verdict }) => [name, limit, measured, verdict]),
      ),
    ],
    ["detection labels", told(["Label", "Labels", "Recall", "IoU ≥ 0.5", "Precision"], all.labels.map(labelCells))],
    ["detection recall", told(["Samples", "Labels", "Recall", "Redacted or blocked"], recallCells(all))],
    [
      "detection alarms",
      told(
        ["Samples", "Texts", "As personal data", "As secret", "As injection", "Redacted or blocked"],
        all.files.filter(({ negatives }) => negatives > 0).map(alarmCells),
      ),
    ],
    [
      "detection disguises",
      told(
        ["Class", "Found in plain text", "Kept"],
        all.disguises.map((row) => [row.class, String(row.plain), counted(row.both, row.plain)]),
      ),
    ],
    [
      "detection languages",
      told(
        ["Language", "Texts", "Labels", "Found", "Redacted or blocked", "Negatives flagged", "Redacted or blocked"],
        [...all.languages.filter(({ texts }) => texts >= MIN_TEXTS), ...all.streamed].map(groupCells),
      ),
    ],
    [
      "detection streams",
      told(
        ["Streamed as whole", "Texts", "The same"],
        (
          [
            ["findings", all.compared.findings],
            ["redacted or blocked", all.compared.enforced],
            ["what leaves", all.compared.leaves],
          ] as const
        ).map(([what, rate]) => [what, String(rate.of), rateText(rate)]),
      ),
    ],
    [
      "detection scores",
      told(
        ["Flag type", "Score", "Findings", "Precision", "of what is stopped", "Labels", "Recall", "The default"],
        [...all.calibration.rows, ...all.calibration.categories].map(scoreCells),
      ),
    ],
    ["detection peers", all.peers.map((one) => peerTable(one, mark)).join("\n\n")],
    ...(all.leftOut ? leftOutParts(all.leftOut) : []),
  ];
}

/** The model has seen nothing of a source that was left out; the rules have in part. */
const LEFT_OUT_MARK = "rules yes, model no";
/** Fewer texts of a language say nothing of it. */
const MIN_LEFT_OUT = 20;

function leftOutParts(figures: LeftOutFigures): (readonly [name: string, text: string])[] {
  const { sources, origins, languages, scores } = leftOutTables(figures);
  const part = (what: string, rows: readonly LeftOutRow[]): string =>
    table(
      [what, ...LEFT_OUT_HEAD, "In-sample"],
      rows.map((row) => [...leftOutCells(row), LEFT_OUT_MARK]),
    );
  return [
    ["detection sources left out", part("Source left out", sources)],
    ["detection origins left out", part("Origin", origins)],
    [
      "detection languages left out",
      part(
        "Language",
        languages.filter(({ flagged }) => flagged.of >= MIN_LEFT_OUT),
      ),
    ],
    ["detection scores left out", table(LEFT_OUT_SCORES_HEAD, scores)],
  ];
}

const labelCells = ({ type, labels, found, strict, precision }: LabelRow): string[] => [
  type,
  String(labels),
  counted(found, labels),
  counted(strict, labels),
  precision === null || Number.isNaN(precision) ? "–" : `${(precision * 100).toFixed(1)} %`,
];

function recallCells({ vendor, generic, files }: Documented): string[][] {
  const rows: (readonly [string, Recall])[] = [
    ["vendors' secrets", vendor],
    ["generic credentials", generic],
    ...files.filter(({ positives }) => positives > 0).map((row) => [title(row.name), row] as const),
  ];
  return rows.map(([name, { labels, found, enforced }]) => [
    name,
    String(labels),
    counted(found, labels),
    counted(enforced, labels),
  ]);
}

const alarmCells = ({ name, negatives, pii, secret, injection, stopped }: FileRow): string[] => [
  title(name),
  String(negatives),
  ...[pii, secret, injection, stopped].map((flagged) => counted(flagged, negatives)),
];

const groupCells = ({ group, texts, found, enforced, flagged, stopped }: GroupRow): string[] => [
  group === "output" ? "all, streamed" : group === "–" ? "none told" : group,
  String(texts),
  String(found.of),
  ...[found, enforced, flagged, stopped].map(rateText),
];

const scoreCells = ({ type, scores, precision, enforcedRight, recall }: ScoreRow): string[] => [
  type.includes(".") ? `\`${type}\`` : `all \`${type}\``,
  scores === null ? "–" : [...new Set(scores.map((score) => score.toFixed(2)))].join(" to "),
  String(precision.of),
  rateText(precision),
  rateText(enforcedRight),
  String(recall.of),
  rateText(recall),
  type.includes(".") ? defaultOf(type) : "",
];

/** What the built-in policy does about a type, by origin where that differs. */
function defaultOf(type: string): string {
  const origins = new Map<string, string[]>();
  for (const origin of ORIGINS) {
    const said = thresholdsText(ruleFor(DEFAULT_POLICY.rules, type, origin)?.thresholds ?? {});
    origins.set(said, [...(origins.get(said) ?? []), origin]);
  }
  const [[commonest = ""] = [], ...others] = [...origins].sort(([, one], [, other]) => other.length - one.length);
  return [commonest, ...others.map(([said, named]) => `${named.join(", ")}: ${said}`)].join("; ");
}

const thresholdsText = ({ flag, redact, block }: Thresholds): string =>
  [
    ["flag", flag],
    ["redact", redact],
    ["block", block],
  ]
    .flatMap(([what, from]) => (typeof from === "number" ? [`${what} from ${from.toFixed(2)}`] : []))
    .join(", ") || "not recorded";

function peerTable({ samples, ours, peer }: Versus, mark: string): string {
  const cells = (found: string, precision: string): string => (precision === "" ? found : `${found}; ${precision}`);
  return [
    `${peer.name} ${peer.version}, on ${samples} of the samples:`,
    table(
      [peer.name, "Number", "Guardhouse", peer.name, "In-sample here"],
      [
        ...ours.rows.map((row, at) => {
          const other = peer.rows[at];
          const side = (one: typeof row | undefined): string =>
            one === undefined ? "–" : cells(rateText(one.found), one.precision ? rateText(one.precision) : "");
          return [row.what, String(row.found.of), side(row), side(other), mark];
        }),
        ["CPU, µs/KB", "", figure(ours.microsPerKb, 0), figure(peer.microsPerKb, 0), "–"],
      ],
    ),
  ].join("\n\n");
}
