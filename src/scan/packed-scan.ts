import type { Judged, Scan } from "./scan";

/*
 * The findings of a scan as a few strings and one block of numbers: the form in which threads hand them over, and in
 * which those of long texts are kept. Half a million objects would take the receiving thread some hundred milliseconds,
 * and each of its garbage collections as long again, for as long as they are remembered.
 */

export type PackedScan = {
  /** Findings without their places, each different one once, as JSON. */
  readonly kinds: readonly string[];
  /** Three numbers a finding, in the order of the findings: start, end, index into `kinds`. */
  readonly spans: Uint32Array<ArrayBuffer>;
  readonly unscanned: Scan["unscanned"] | null;
};

const NUMBERS = 3;

export function packScan({ findings, unscanned }: Scan): PackedScan {
  const kinds: string[] = [];
  const known = new Map<string, number>();
  const spans = new Uint32Array(findings.length * NUMBERS);
  let at = 0;
  for (const { start, end, ...kind } of findings) {
    const json = JSON.stringify(kind);
    let index = known.get(json);
    if (index === undefined) {
      index = kinds.push(json) - 1;
      known.set(json, index);
    }
    spans[at] = start;
    spans[at + 1] = end;
    spans[at + 2] = index;
    at += NUMBERS;
  }
  return { kinds, spans, unscanned: unscanned ?? null };
}

/** A scan in either form. */
export type AnyScan = Scan | PackedScan;

type Kind = Omit<Judged, "start" | "end">;

export const countOf = (scan: AnyScan): number =>
  "spans" in scan ? scan.spans.length / NUMBERS : scan.findings.length;

/** One finding after the other, in their order; those of a packed scan are made when they are asked for. */
export function* findingsOf(scan: AnyScan): Generator<Judged, void> {
  if (!("spans" in scan)) {
    yield* scan.findings;
    return;
  }
  const { spans } = scan;
  const kinds = scan.kinds.map((json): Kind => JSON.parse(json));
  for (let at = 0; at < spans.length; at += NUMBERS) {
    const [start, end, kind] = [spans[at], spans[at + 1], kinds[spans[at + 2] ?? 0]];
    if (start === undefined || end === undefined || kind === undefined) throw new Error("a packed scan is cut off");
    yield { ...kind, start, end };
  }
}

/** Findings between two looks at the time. */
const STRIDE = 256;

/** All at once, made in slices. `pause`: null to go on, or what to wait for before going on. */
export async function unpackInSlices(scan: AnyScan, pause: () => Promise<void> | null): Promise<Scan> {
  if (!("spans" in scan)) return scan;
  const findings: Judged[] = [];
  for (const finding of findingsOf(scan)) {
    findings.push(finding);
    const wait = findings.length % STRIDE === 0 ? pause() : null;
    if (wait) await wait;
  }
  return scan.unscanned ? { findings, unscanned: scan.unscanned } : { findings };
}

/** In one piece: for what is known to be short. */
export function unpackScan(scan: AnyScan): Scan {
  if (!("spans" in scan)) return scan;
  const findings = [...findingsOf(scan)];
  return scan.unscanned ? { findings, unscanned: scan.unscanned } : { findings };
}

/** Whether some finding is all of a text of so many UTF-16 units. */
export function coversWhole(scan: AnyScan, length: number): boolean {
  if (!("spans" in scan)) return scan.findings.some(({ start, end }) => start === 0 && end === length);
  const { spans } = scan;
  for (let at = 0; at < spans.length; at += NUMBERS) if (spans[at] === 0 && spans[at + 1] === length) return true;
  return false;
}
