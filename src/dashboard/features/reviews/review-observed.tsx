import type { ReactNode } from "react";
import { Chip, Tag } from "#dashboard/parts/chip";
import { countOf } from "#dashboard/parts/numbers";
import { Time } from "#dashboard/parts/time";
import type { ReviewData } from "./review-answers";

/** What the agent really used of late, beside what is declared. */
export const Observed = ({
  observed,
  of,
  add,
}: {
  readonly observed: ReviewData["observed"];
  readonly of: "models" | "tools";
  /** What is offered beside something that was used and is not declared. */
  readonly add?: (name: string) => ReactNode;
}) => {
  const used = observed[of];
  return (
    <section aria-label={`Observed ${of}`} className="rounded-md border border-line bg-raised px-3 py-2">
      <h3 className="text-[13px] font-medium">
        Observed since <Time at={observed.since} plain />
      </h3>
      {used.length === 0 ? (
        <p className="text-[13px] text-muted">{of === "models" ? "No model calls." : "No tool calls."}</p>
      ) : (
        <ul className="mt-1 flex flex-col gap-1">
          {used.map(({ name, calls, declared }) => (
            <li key={name} className="flex flex-wrap items-center gap-2">
              <Tag>{name}</Tag>
              <span className="text-[13px] text-muted">{countOf(calls, "call")}</span>
              <Chip tone={declared ? "ok" : "warn"}>{declared ? "declared" : "not declared"}</Chip>
              {!declared && add?.(name)}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
};
