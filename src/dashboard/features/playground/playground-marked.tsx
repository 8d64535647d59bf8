import type { AnswerTo } from "#dashboard/api/client";
import { ScrollBox } from "#dashboard/parts/card";
import { cx } from "#dashboard/parts/class-names";

type Flag = AnswerTo<"POST /api/scan">["flags"][number];

type Piece = { readonly start: number; readonly text: string; readonly flag: Flag | null };

/** The text in pieces; where findings overlap, the one that begins first takes the place. */
const piecesOf = (text: string, flags: readonly Flag[]): Piece[] => {
  const pieces: Piece[] = [];
  let at = 0;
  for (const flag of flags.toSorted((one, other) => one.start - other.start)) {
    if (flag.start < at) continue;
    if (flag.start > at) pieces.push({ start: at, text: text.slice(at, flag.start), flag: null });
    pieces.push({ start: flag.start, text: text.slice(flag.start, flag.end), flag });
    at = flag.end;
  }
  if (at < text.length) pieces.push({ start: at, text: text.slice(at), flag: null });
  return pieces;
};

const LOOKS: Readonly<Record<string, string>> = {
  block: "bg-bad-soft text-bad",
  redact: "bg-warn-soft text-warn",
  flag: "bg-info-soft text-info",
};

/** The text with what was found in it marked, each with its type. */
export const Marked = ({ text, flags }: { readonly text: string; readonly flags: readonly Flag[] }) => (
  <ScrollBox label="Text with findings" className="max-h-80">
    <p className="font-mono text-[13px] leading-6 break-words whitespace-pre-wrap">
      {piecesOf(text, flags).map(({ start, text: piece, flag }) =>
        flag ? (
          <mark
            key={start}
            title={`${flag.type}: ${flag.action}`}
            className={cx(
              "rounded px-0.5 underline decoration-dotted underline-offset-4",
              LOOKS[flag.action] ?? "bg-raised text-text",
            )}
          >
            {piece}
          </mark>
        ) : (
          <span key={start}>{piece}</span>
        ),
      )}
    </p>
  </ScrollBox>
);
