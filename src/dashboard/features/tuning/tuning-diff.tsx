import { Card, Facts } from "#dashboard/parts/card";
import { LineDiff } from "#dashboard/parts/line-diff";
import { aboutOf, effectOf, jsonOf, type OpenSuggestion, subjectOf } from "./tuning-words";

/** What it is about, and what becomes of it: in words, and line by line. */
export const TuningDiff = ({ it }: { readonly it: OpenSuggestion }) => {
  const words = effectOf(it);
  return (
    <Card title="Before and after">
      <Facts
        rows={[
          ["Match", aboutOf(it)],
          ["Scope", subjectOf(it)],
        ]}
      />
      <div className="mt-4">
        <Sides {...words} />
      </div>
      <details className="mt-4">
        <summary className="cursor-pointer font-medium">As JSON</summary>
        <div className="mt-2">
          <LineDiff label="The change as JSON" {...jsonOf(it)} />
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
