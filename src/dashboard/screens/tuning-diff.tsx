import { Card, Facts } from "#dashboard/parts/card";
import { ScrollBox } from "#dashboard/parts/scroll-box";
import { aboutOf, effectOf, jsonOf, type OpenSuggestion, subjectOf } from "./tuning-words";

/** What it is about, and what becomes of it: in words, and line by line. */
export const TuningDiff = ({ it }: { readonly it: OpenSuggestion }) => {
  const words = effectOf(it);
  return (
    <Card title="Before and after">
      <Facts
        rows={[
          ["Concerns", aboutOf(it)],
          ["Whose calls", subjectOf(it)],
        ]}
      />
      <div className="mt-4">
        <Sides {...words} />
      </div>
      <details className="mt-4">
        <summary className="cursor-pointer font-medium">As JSON</summary>
        <div className="mt-2">
          <Lines {...jsonOf(it)} />
        </div>
      </details>
    </Card>
  );
};

/** What is done about it now, beside what would be. */
export const Sides = ({ before, after }: { readonly before: string; readonly after: string }) => (
  <div className="grid gap-3 sm:grid-cols-2">
    <Side name="Before" text={before} />
    <Side name="After" text={after} />
  </div>
);

const Side = ({ name, text }: { readonly name: "Before" | "After"; readonly text: string }) => (
  <div className={`rounded-md border border-line p-3 ${name === "After" ? "bg-info-soft" : "bg-raised"}`}>
    <p className="text-[13px] font-medium">{name}</p>
    <p>{text}</p>
  </div>
);

const SIGNS = { same: " ", before: "-", after: "+" } as const;
const LOOKS = { same: "", before: "bg-bad-soft text-bad", after: "bg-ok-soft text-ok" } as const;

type Line = { readonly number: number; readonly kind: keyof typeof SIGNS; readonly text: string };

/** Both begin and end alike: what is between differs. */
const linesOf = (before: string, after: string): Line[] => {
  const [old, now] = [before.split("\n"), after.split("\n")];
  const shorter = Math.min(old.length, now.length);
  let head = 0;
  while (head < shorter && old[head] === now[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && old.at(-1 - tail) === now.at(-1 - tail)) tail += 1;
  const as = (kind: Line["kind"], lines: readonly string[]) => lines.map((text) => ({ kind, text }));
  const lines = [
    ...as("same", old.slice(0, head)),
    ...as("before", old.slice(head, old.length - tail)),
    ...as("after", now.slice(head, now.length - tail)),
    ...as("same", old.slice(old.length - tail)),
  ];
  return lines.map((line, number) => ({ ...line, number }));
};

const Lines = ({ before, after }: { readonly before: string; readonly after: string }) => (
  <div className="rounded-md border border-line bg-raised">
    <ScrollBox label="The change as JSON" className="max-h-96">
      <pre className="w-max min-w-full py-2 font-mono text-xs">
        {linesOf(before, after).map(({ number, kind, text }) => (
          <span key={number} className={`block px-3 ${LOOKS[kind]}`}>
            {SIGNS[kind]} {text}
          </span>
        ))}
      </pre>
    </ScrollBox>
  </div>
);
