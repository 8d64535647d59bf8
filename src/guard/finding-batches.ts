import type { Judged } from "#scan/scan";

/* Findings of long texts, which may be hundreds of thousands, a few at a time. */

/** Findings that are put on record in one piece. */
const BATCH = 1_024;

export function* batchesOf(findings: Iterable<Judged>): Generator<readonly Judged[], void> {
  let batch: Judged[] = [];
  for (const finding of findings) {
    batch.push(finding);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

export function* chained(...lists: readonly Iterable<Judged>[]): Generator<Judged, void> {
  for (const list of lists) yield* list;
}

/** Of findings that block, the first, and of each type the one with the best score: what a block's error says of them. */
export class BlockingFindings {
  private first: Judged | null = null;
  private readonly best = new Map<string, Judged>();

  add(findings: readonly Judged[]): void {
    for (const finding of findings) {
      if (finding.action !== "block") continue;
      this.first ??= finding;
      const best = this.best.get(finding.type);
      if (!best || finding.score > best.score) this.best.set(finding.type, finding);
    }
  }

  get list(): readonly Judged[] {
    return this.first === null ? [] : [this.first, ...this.best.values()];
  }
}
