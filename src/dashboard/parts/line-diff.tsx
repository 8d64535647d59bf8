import { ScrollBox } from "./card";
import { cx } from "./class-names";

type DiffLine = { readonly kind: "same" | "gone" | "new"; readonly text: string };

/** Beyond it, texts are shown one after the other: nobody compares so many lines by eye. */
const MAX_CELLS = 4_000_000;

/** How many lines two texts have in common from each place on. */
const commonFrom = (before: readonly string[], after: readonly string[]): readonly Uint32Array[] => {
  const rows = Array.from({ length: before.length + 1 }, () => new Uint32Array(after.length + 1));
  for (let i = before.length - 1; i >= 0; i -= 1) {
    for (let j = after.length - 1; j >= 0; j -= 1) {
      const [row, below] = [rows[i], rows[i + 1]];
      if (!row || !below) continue;
      row[j] = before[i] === after[j] ? (below[j + 1] ?? 0) + 1 : Math.max(below[j] ?? 0, row[j + 1] ?? 0);
    }
  }
  return rows;
};

const marked = (kind: DiffLine["kind"], lines: readonly string[]): DiffLine[] => lines.map((text) => ({ kind, text }));

/** What has gone and what is new, line by line, along a longest common subsequence. */
export const linesOf = (beforeText: string, afterText: string): readonly DiffLine[] => {
  const before = beforeText === "" ? [] : beforeText.split("\n");
  const after = afterText === "" ? [] : afterText.split("\n");
  if (before.length * after.length > MAX_CELLS) return [...marked("gone", before), ...marked("new", after)];
  const common = commonFrom(before, after);
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < before.length && j < after.length) {
    const text = before[i] ?? "";
    if (text === after[j]) {
      lines.push({ kind: "same", text });
      i += 1;
      j += 1;
    } else if ((common[i + 1]?.[j] ?? 0) >= (common[i]?.[j + 1] ?? 0)) {
      lines.push({ kind: "gone", text });
      i += 1;
    } else {
      lines.push({ kind: "new", text: after[j] ?? "" });
      j += 1;
    }
  }
  return [...lines, ...marked("gone", before.slice(i)), ...marked("new", after.slice(j))];
};

const SIGNS = { same: " ", gone: "−", new: "+" } as const;
const READ_OUT = { same: "", gone: "gone: ", new: "new: " } as const;
const LOOKS = { same: "", gone: "bg-bad-soft text-bad", new: "bg-ok-soft text-ok" } as const;

/** Two texts as one, with signs before the lines that differ. */
export const LineDiff = ({
  before,
  after,
  label,
}: {
  readonly before: string;
  readonly after: string;
  readonly label: string;
}) => (
  <ScrollBox label={label} className="max-h-96 rounded-md border border-line bg-raised">
    <pre className="min-w-max py-2 font-mono text-xs">
      {linesOf(before, after).map(({ kind, text }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines repeat, and never move
        <span key={at} className={cx("block px-3", LOOKS[kind])}>
          <span aria-hidden className="mr-2 inline-block w-2 select-none">
            {SIGNS[kind]}
          </span>
          <span className="sr-only">{READ_OUT[kind]}</span>
          {text}
        </span>
      ))}
    </pre>
  </ScrollBox>
);
