import type { Judged, Scan } from "./scan";

/*
 * The findings of a scan in the form in which threads hand them over. A hundred thousand objects would take the
 * receiving thread more than a hundred milliseconds in one piece; these are a few strings and one block of numbers.
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

type Kind = Omit<Judged, "start" | "end">;

/** Findings between two looks at the time. */
const STRIDE = 256;

/** `pause`: null to go on, or what to wait for before going on. */
export async function unpackScan(
  { kinds, spans, unscanned }: PackedScan,
  pause: () => Promise<void> | null,
): Promise<Scan> {
  const parsed = kinds.map((json): Kind => JSON.parse(json));
  const findings: Judged[] = [];
  for (let at = 0; at < spans.length; at += NUMBERS) {
    const [start, end, kind] = [spans[at], spans[at + 1], parsed[spans[at + 2] ?? 0]];
    if (start === undefined || end === undefined || kind === undefined) throw new Error("a packed scan is cut off");
    findings.push({ ...kind, start, end });
    const wait = findings.length % STRIDE === 0 ? pause() : null;
    if (wait) await wait;
  }
  return unscanned === null || unscanned === undefined ? { findings } : { findings, unscanned };
}
