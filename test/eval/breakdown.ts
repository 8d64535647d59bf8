import { figure, table } from "#test/bench/table";
import { type Rate, rateOf, rateText } from "./interval";
import { isGoal } from "./label-types";
import { type Counters, falseAlarms, groupBy, recall, share } from "./rates";
import type { Seen } from "./seen";

/** What was found and wrongly flagged in some texts, and what that cost. */
export type GroupRow = {
  readonly group: string;
  readonly texts: number;
  /** Of the labels. */
  readonly found: Rate;
  readonly enforced: Rate;
  /** Of the negatives. */
  readonly flagged: Rate;
  readonly stopped: Rate;
  /** A KB is 1,024 characters; null where no time was taken. */
  readonly microsPerKb: number | null;
};

const rowOf = (group: string, seen: readonly Seen[], counters: Counters): GroupRow => {
  const { labels, found, enforced } = recall(seen, counters, isGoal);
  const negatives = seen.filter(({ sample }) => !sample.positive);
  const timed = seen.filter(({ micros }) => micros !== undefined);
  const units = timed.reduce((sum, { sample }) => sum + sample.text.length, 0);
  const micros = timed.reduce((sum, one) => sum + (one.micros ?? 0), 0);
  return {
    group,
    texts: seen.length,
    found: rateOf(found, labels),
    enforced: rateOf(enforced, labels),
    flagged: rateOf(falseAlarms(negatives, counters.recorded), negatives.length),
    stopped: rateOf(falseAlarms(negatives, counters.enforced), negatives.length),
    microsPerKb: units === 0 ? null : share(micros * 1024, units),
  };
};

/** A row for each group, the largest first, and one for all where there are several. */
export function groupRows(seen: readonly Seen[], counters: Counters, key: (one: Seen) => string): GroupRow[] {
  const groups = [...groupBy(seen, key)].sort(([, one], [, other]) => other.length - one.length);
  const rows = groups.map(([group, own]) => rowOf(group, own, counters));
  return rows.length > 1 ? [...rows, rowOf("all", seen, counters)] : rows;
}

export const byOrigin = (seen: readonly Seen[], counters: Counters): GroupRow[] =>
  groupRows(seen, counters, ({ origin }) => origin);

export const byLanguage = (seen: readonly Seen[], counters: Counters): GroupRow[] =>
  groupRows(seen, counters, ({ sample }) => sample.lang);

export const groupTable = (title: string, rows: readonly GroupRow[]): string =>
  table(
    [title, "texts", "labels", "found", "enforced", "negatives", "flagged", "stopped", "µs/KB"],
    rows.map(({ group, texts, found, enforced, flagged, stopped, microsPerKb }) => [
      group,
      String(texts),
      String(found.of),
      rateText(found),
      rateText(enforced),
      String(flagged.of),
      rateText(flagged),
      rateText(stopped),
      figure(microsPerKb ?? undefined, 1),
    ]),
  );
