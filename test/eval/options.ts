import { parseArgs } from "node:util";
import { ORIGINS, type Origin } from "#scan/detector";
import { PEERS, type PeerName } from "./peers";

/** So many of the wrong answers about one type. */
export type Examples = { readonly most: number; readonly type: string };

export type Options = {
  readonly folder: string;
  /** The folders of labelled texts of which each source is left out in turn; undefined for the usual figures. */
  readonly leftOut: readonly string[] | undefined;
  readonly json: string | undefined;
  /** A kind of samples, or a part of a file's name. */
  readonly only: string | undefined;
  /** Count every finding from this score on, instead of those the built-in policy records. */
  readonly from: number | undefined;
  readonly misses: Examples | undefined;
  readonly alarms: Examples | undefined;
  readonly sweep: string | undefined;
  /** Print the texts themselves, unmasked. */
  readonly show: boolean;
  /** Scan all texts as of this origin, instead of what their file's name tells. */
  readonly origin: Origin | undefined;
  /** Scan each text under every origin, for a table of them. */
  readonly origins: boolean;
  /** Also as answers that come in pieces. */
  readonly streamed: boolean;
  /** Say what scores mean. */
  readonly calibration: boolean;
  /** Programs of others, on the same samples. */
  readonly peers: readonly PeerName[];
  /** Renew docs/detection.json and the tables made of it. */
  readonly document: boolean;
  /** Nothing was tuned to these samples: their figures are not in-sample. */
  readonly unseen: boolean;
};

export const USAGE = `usage: bun run eval DIR [--json FILE] [--only KIND|FILE] [--from SCORE]
                    [--origin ORIGIN | --origins] [--streamed] [--calibration] [--peers gitleaks,presidio]
                    [--document [--unseen]]
                    [--misses N LABEL] [--alarms N FLAG] [--sweep LABEL|FLAG] [--show]
       bun run eval --left-out DIR... [--json FILE] [--document]`;

/** Throws an Error about what it does not know. */
export function readOptions(args: readonly string[]): Options {
  const rest = [...args];
  const misses = examples(rest, "--misses");
  const alarms = examples(rest, "--alarms");
  const { values, positionals } = parseArgs({
    args: rest,
    allowPositionals: true,
    options: {
      json: { type: "string" },
      only: { type: "string" },
      from: { type: "string" },
      sweep: { type: "string" },
      show: { type: "boolean", default: false },
      origin: { type: "string" },
      origins: { type: "boolean", default: false },
      streamed: { type: "boolean", default: false },
      calibration: { type: "boolean", default: false },
      peers: { type: "string" },
      document: { type: "boolean", default: false },
      unseen: { type: "boolean", default: false },
      "left-out": { type: "boolean", default: false },
    },
  });
  const leftOut = values["left-out"] ? positionals : undefined;
  const folder = folderOf(positionals, leftOut ? Number.POSITIVE_INFINITY : 1);
  const from = values.from === undefined ? undefined : Number(values.from);
  if (from !== undefined && !(from >= 0 && from <= 1)) throw new Error("--from must be from 0 to 1");
  const { json, only, sweep, show, origins, document, unseen } = values;
  const streamed = values.streamed || document;
  const calibration = values.calibration || document;
  if (document && (only ?? from ?? values.origin) !== undefined)
    throw new Error("--document takes all samples, as the built-in policy sees them");
  const origin = values.origin === undefined ? undefined : oneOf(ORIGINS, values.origin, "--origin");
  if (origin !== undefined && origins) throw new Error("--origin names one, --origins all: give one of the two");
  const peers = (values.peers?.split(",") ?? []).map((name) => oneOf(PEERS, name, "--peers"));
  return {
    folder,
    leftOut,
    json,
    only,
    from,
    misses,
    alarms,
    sweep,
    show,
    origin,
    origins,
    streamed,
    calibration,
    peers,
    document,
    unseen,
  };
}

function folderOf([folder, ...more]: readonly string[], most: number): string {
  if (folder === undefined || more.length >= most) throw new Error("name one folder of samples");
  return folder;
}

function oneOf<Name extends string>(names: readonly Name[], given: string, flag: string): Name {
  const found = names.find((name) => name === given);
  if (found === undefined) throw new Error(`${flag} knows ${names.join(", ")}; not ${given}`);
  return found;
}

/** Takes a flag of two values out of the arguments. */
function examples(args: string[], flag: string): Examples | undefined {
  const at = args.indexOf(flag);
  if (at < 0) return undefined;
  const [, most, type] = args.splice(at, 3);
  if (!(Number(most) > 0) || type === undefined) throw new Error(`${flag} takes a number and a type`);
  return { most: Number(most), type };
}
