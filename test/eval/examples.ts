import type { Finding } from "#scan/detector";
import type { Examples } from "./options";
import { alarms, type Counting, isFound, type Seen } from "./seen";

/** What was not found: where it stands, and what it is, masked unless the text is to be shown. */
export function misses(seen: readonly Seen[], counts: Counting, { most, type }: Examples, show: boolean): string[] {
  const missed = seen.flatMap((one) =>
    one.sample.labels
      .filter((label) => label.type === type && !isFound(label, counts(one)))
      .map((label) => {
        const best = one.findings.filter((it) => it.start < label.end && it.end > label.start).map(claim);
        return `${place(one)}  ${preview(one.sample.text, label, show)}  ${label.subtype ?? kindOf(one)}  ${best.join(" ")}`;
      }),
  );
  return [`missed ${type}: ${missed.length}`, ...spread(missed, most)];
}

/** What was flagged and is not so: in samples that are negative for the flag's kind. */
export function falseFlags(seen: readonly Seen[], counts: Counting, { most, type }: Examples, show: boolean): string[] {
  const wrong = seen
    .filter(({ sample }) => !sample.positive)
    .flatMap((one) =>
      alarms(one, counts(one))
        .filter((it) => it.type === type || it.type.startsWith(`${type}.`))
        .map((it) => `${place(one)}  ${preview(one.sample.text, it, show)}  ${claim(it)}`),
    );
  return [`wrong ${type}: ${wrong.length}`, ...spread(wrong, most)];
}

const place = ({ sample }: Seen): string => `${sample.file}  ${sample.id}`;

const claim = ({ type, score }: Finding): string => `${type}@${score.toFixed(2)}`;

const kindOf = ({ sample }: Seen): string => {
  const kind = sample.meta["rule"] ?? sample.meta["transform"] ?? sample.meta["subset"];
  return typeof kind === "string" ? kind : "";
};

function preview(
  text: string,
  { start, end }: { readonly start: number; readonly end: number },
  show: boolean,
): string {
  if (!show) return `${JSON.stringify(text.slice(start, Math.min(end, start + 2)))}…(${end - start})`;
  const from = Math.max(0, start - 40);
  const cut = `${text.slice(from, start)}⟦${text.slice(start, Math.min(end, start + 160))}⟧${text.slice(end, end + 30)}`;
  return JSON.stringify(cut);
}

/** Evenly from all of them, so that one rule with many alike does not fill the list. */
function spread<Item>(items: readonly Item[], most: number): Item[] {
  if (items.length <= most) return [...items];
  return Array.from({ length: most }, (_, i) => items[Math.floor((i * items.length) / most)]).flatMap((it) =>
    it === undefined ? [] : [it],
  );
}
