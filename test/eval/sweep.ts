import { figure, table } from "#test/bench/table";
import { answers } from "./label-types";
import { percent, share } from "./rates";
import { alarms, isFound, type Seen, scoredFrom } from "./seen";

/** What each threshold would cost and bring: recall of a label, or of what a flag type covers, against alarms. */
export function sweepTable(seen: readonly Seen[], type: string): string {
  const isFlag = type.includes(".") || type === type.toLowerCase();
  const meant = (flag: string): boolean => !isFlag || flag === type || flag.startsWith(`${type}.`);
  const own = seen.map((one) => ({ ...one, findings: one.findings.filter((it) => meant(it.type)) }));
  const label = (name: string): boolean =>
    isFlag ? own.some(({ findings }) => findings.some((finding) => answers(finding, name))) : name === type;
  const wanted = [...new Set(own.flatMap(({ sample }) => sample.labels.map((it) => it.type)))].filter(label);
  const kinds = new Set(
    own.flatMap(({ sample }) => (sample.labels.some((it) => wanted.includes(it.type)) ? [sample.kind] : [])),
  );
  const negatives = own.filter(
    ({ sample }) => !sample.positive && (kinds.has(sample.kind) || (sample.kind === "benign" && !kinds.has("pii"))),
  );
  const labels = own.flatMap((one) =>
    one.sample.labels.filter((it) => wanted.includes(it.type)).map((it) => ({ it, one })),
  );
  const rows = Array.from({ length: 20 }, (_, i) => (i + 1) / 20).map((least) => {
    const counts = scoredFrom(least);
    const found = labels.filter(({ it, one }) => isFound(it, counts(one)));
    const flagged = negatives.filter((one) =>
      alarms(one, counts(one)).some((finding) => wanted.some((name) => answers(finding, name))),
    );
    return [
      figure(least, 2),
      percent(share(found.length, labels.length)),
      percent(share(flagged.length, negatives.length)),
      String(flagged.length),
    ];
  });
  return table([`${type} from`, `recall of ${labels.length}`, `flagged of ${negatives.length}`, "texts"], rows);
}
