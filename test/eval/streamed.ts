import type { Origin } from "#scan/detector";
import { type CompiledPolicy, isEnforced } from "#scan/policy";
import { type Judged, redactText } from "#scan/scan";
import { StreamScanner } from "#scan/stream-scanner";
import { table } from "#test/bench/table";
import { LABELS } from "#test/support/labels";
import { type Rate, rateOf, rateText } from "./interval";
import type { Random } from "./random";

/** Units of a piece: a provider's chunk is a token or a few, now and then a line. */
const PIECES = [1, 2, 3, 4, 6, 9, 14, 40, 160];

/** What a stream of a text said and let out. */
export type Streamed = { readonly findings: readonly Judged[]; readonly left: string };

/** Puts a text through the stream scanner in pieces of random size; what is cleared leaves after each. */
export function streamText(policy: CompiledPolicy, text: string, origin: Origin, random: Random): Streamed {
  const scanner = new StreamScanner(policy, origin, LABELS);
  const left: string[] = [];
  const release = (): void => {
    left.push(scanner.release(scanner.clearedTo).text);
  };
  for (let at = 0; at < text.length && !scanner.blocked; ) {
    const size = random.pick(PIECES);
    scanner.push(text.slice(at, at + size));
    release();
    at += size;
  }
  scanner.end();
  release();
  return { findings: scanner.findings, left: left.join("") };
}

/** What of a whole text leaves: labels in place of values, nothing from a block on. */
function leftOfWhole(text: string, findings: readonly Judged[]): string {
  const block = findings.find(({ action }) => action === "block");
  const left = redactText(text, findings, LABELS);
  return block
    ? left.slice(0, redactText(text.slice(0, block.start), findings.filter(isBefore(block)), LABELS).length)
    : left;
}

const isBefore =
  ({ start }: Judged) =>
  (one: Judged): boolean =>
    one.end <= start;

export type Compared = {
  /** Texts of which stream and whole text say the same. */
  readonly findings: Rate;
  readonly enforced: Rate;
  readonly leaves: Rate;
  /** By flag type, findings that only the one has. */
  readonly differing: readonly { readonly type: string; readonly whole: number; readonly streamed: number }[];
};

type Both = { readonly text: string; readonly whole: readonly Judged[]; readonly streamed: Streamed };

const keyOf = ({ type, start, end, action }: Judged): string => `${type} ${start} ${end} ${action}`;

export function compared(texts: readonly Both[]): Compared {
  const counts = { findings: 0, enforced: 0, leaves: 0 };
  const differing = new Map<string, { whole: number; streamed: number }>();
  const miss = (one: readonly Judged[], other: readonly Judged[], side: "whole" | "streamed"): number => {
    const known = new Set(other.map(keyOf));
    const missing = one.filter((finding) => !known.has(keyOf(finding)));
    for (const { type } of missing) {
      const row = differing.get(type) ?? { whole: 0, streamed: 0 };
      row[side]++;
      differing.set(type, row);
    }
    return missing.filter(({ action }) => isEnforced(action)).length;
  };
  for (const { text, whole, streamed } of texts) {
    const before = [...differing.values()].reduce((sum, row) => sum + row.whole + row.streamed, 0);
    const acted = miss(whole, streamed.findings, "whole") + miss(streamed.findings, whole, "streamed");
    const after = [...differing.values()].reduce((sum, row) => sum + row.whole + row.streamed, 0);
    counts.findings += Number(before === after);
    counts.enforced += Number(acted === 0);
    counts.leaves += Number(leftOfWhole(text, whole) === streamed.left);
  }
  return {
    findings: rateOf(counts.findings, texts.length),
    enforced: rateOf(counts.enforced, texts.length),
    leaves: rateOf(counts.leaves, texts.length),
    differing: [...differing]
      .map(([type, row]) => ({ type, ...row }))
      .sort((one, other) => other.whole + other.streamed - one.whole - one.streamed),
  };
}

export const comparedText = ({ findings, enforced, leaves, differing }: Compared): string =>
  [
    table(
      ["streamed and whole say the same", "texts", "same"],
      [
        ["findings", String(findings.of), rateText(findings)],
        ["redacted or blocked", String(enforced.of), rateText(enforced)],
        ["what leaves", String(leaves.of), rateText(leaves)],
      ],
    ),
    ...(differing.length === 0
      ? []
      : [
          table(
            ["flag type", "only whole", "only streamed"],
            differing.map(({ type, whole, streamed }) => [type, String(whole), String(streamed)]),
          ),
        ]),
  ].join("\n\n");
