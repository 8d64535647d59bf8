import { join } from "node:path";
import { type Verdict, verdictText } from "#test/bench/bar";
import { type GroupRow, groupTable } from "./breakdown";
import { type Calibration, calibrationText } from "./calibration";
import type { Documented } from "./documented";
import { CLASSES } from "./evasion";
import type { LeftOutFigures } from "./left-out-tables";
import { reportText } from "./measure";
import { type Compared, comparedText } from "./streamed";
import type { Measured } from "./targets";
import { type Versus, versusText } from "./versus";

/** All that one run measured; undefined for what was not asked for. */
export type Everything = Measured & {
  readonly samples: number;
  /** Which findings count. */
  readonly counting: string;
  readonly origins: readonly GroupRow[];
  readonly languages: readonly GroupRow[];
  readonly streams:
    | { readonly origins: readonly GroupRow[]; readonly languages: readonly GroupRow[]; readonly compared: Compared }
    | undefined;
  readonly calibration: Calibration | undefined;
  readonly peers: readonly Versus[];
  readonly targets: readonly Verdict[];
};

export function allText(all: Everything): string {
  const { streams, calibration: scores } = all;
  return [
    `${all.samples} samples; findings ${all.counting}; enforced: what it redacts or blocks\n` +
      "in brackets: 95 % interval (Wilson); µs/KB: least of three scans of each text",
    reportText(all),
    groupTable("origin", all.origins),
    groupTable("language", all.languages),
    ...(streams
      ? [
          groupTable("streamed, origin", streams.origins),
          groupTable("streamed, language", streams.languages),
          comparedText(streams.compared),
        ]
      : []),
    ...(scores ? [calibrationText(scores)] : []),
    ...all.peers.map(versusText),
    verdictText(all.targets),
  ].join("\n\n");
}

const ROOT = join(import.meta.dir, "../..");
const DOCUMENTED = join(ROOT, "docs/detection.json");

/** Renews the figures in the documents. Of programs that were not run the figures of an earlier run stay. */
export async function writeDocument(all: Everything, unseen: boolean): Promise<void> {
  const { samples, targets, labels, secrets, files, evasion, languages, streams, calibration, peers } = all;
  if (!streams || !calibration) throw new Error("a document takes streams and scores");
  const before = await documentedBefore();
  const kept = (before.peers ?? []).filter(({ peer }) => !peers.some((one) => one.peer.name === peer.name));
  const documented: Documented = {
    samples,
    unseen,
    targets,
    labels,
    vendor: secrets.vendor,
    generic: secrets.generic,
    files,
    disguises: CLASSES.map((name) => {
      const own = evasion.filter((row) => row.class === name);
      const sum = (key: "plain" | "both"): number => own.reduce((total, row) => total + row[key], 0);
      return { class: name, plain: sum("plain"), both: sum("both") };
    }),
    languages,
    streamed: streams.origins,
    compared: streams.compared,
    calibration,
    peers: [...peers, ...kept].sort((one, other) => (one.peer.name < other.peer.name ? -1 : 1)),
    leftOut: before.leftOut,
  };
  await written(documented);
}

/** Renews the figures of sources left out; all others stay. */
export async function writeLeftOut(leftOut: LeftOutFigures): Promise<void> {
  await written({ ...(await documentedBefore()), leftOut });
}

const documentedBefore = async (): Promise<Partial<Documented>> =>
  (await Bun.file(DOCUMENTED).exists()) ? await Bun.file(DOCUMENTED).json() : {};

async function written(documented: Partial<Documented>): Promise<void> {
  await Bun.write(DOCUMENTED, `${JSON.stringify(documented, null, 1)}\n`);
  const { exitCode, stderr } = Bun.spawnSync([process.execPath, ".ci/reference.ts", "--write"], { cwd: ROOT });
  if (exitCode !== 0) throw new Error(`the documents were not renewed: ${stderr.toString()}`);
  console.log("\nwritten: docs/detection.json and the tables made of it");
}
